import type { Json } from '../model.ts'

/** Collects what is wrong with a payload, in Slack's words and with its pointers. */
export class Problems {
  readonly found: string[] = []

  add(at: string, words: string): void {
    this.found.push(`${words} [json-pointer:${at}]`)
  }

  /** The object at a place, or null when there is none; what is there and no object is a problem. */
  object(at: string, value: unknown, required = false): Json | null {
    if (value === undefined && !required) return null
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Json
    this.add(at, value === undefined ? `missing required field: ${at.split('/').at(-1)}` : 'must provide an object')
    return null
  }

  list(at: string, value: unknown, { min = 0, max = Number.POSITIVE_INFINITY, required = true } = {}): unknown[] {
    if (value === undefined && !required) return []
    if (!Array.isArray(value)) {
      this.add(at, value === undefined ? `missing required field: ${at.split('/').at(-1)}` : 'must be an array')
      return []
    }
    if (value.length < min) this.add(at, `no fewer than ${min} items allowed`)
    if (value.length > max) this.add(at, `no more than ${max} items allowed`)
    return value
  }

  string(at: string, value: unknown, { min = 0, max = Number.POSITIVE_INFINITY, required = false } = {}): string {
    if (value === undefined && !required) return ''
    if (typeof value !== 'string') {
      this.add(at, value === undefined ? `missing required field: ${at.split('/').at(-1)}` : 'must be a string')
      return ''
    }
    if (value.length < min) this.add(at, `must be more than ${min - 1} characters`)
    if (value.length > max) this.add(at, `must be less than ${max + 1} characters`)
    return value
  }

  number(at: string, value: unknown, min: number, max: number): void {
    if (value === undefined) return
    if (typeof value !== 'number' || value < min || value > max) this.add(at, `must be between ${min} and ${max}`)
  }

  oneOf(at: string, value: unknown, allowed: readonly string[], required = false): void {
    if (value === undefined && !required) return
    if (!allowed.includes(value as string)) this.add(at, `must be one of: ${allowed.join(', ')}`)
  }
}
