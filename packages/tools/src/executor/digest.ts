// What an approval is bound to: this version of the tool, these arguments, this folder. Change any of them, and the
// digest is another one.
import { hash } from 'node:crypto'

export function digestOf(toolVersion: string, args: unknown, workingDirectory: string | undefined): string {
  // One JSON array, so that nothing can move from one part into the next.
  return hash(
    'sha256',
    `[${JSON.stringify(toolVersion)},${JSON.stringify(workingDirectory ?? null)},${canonicalJson(args)}]`,
    'hex',
  )
}

/**
 * JSON with sorted keys and no spaces, as in RFC 8785. It is the same before and after a trip through the database:
 * `canonicalJson(value) === canonicalJson(JSON.parse(JSON.stringify(value)))`. So -0 is 0, an undefined property is
 * absent, an undefined entry null; only own keys count, whatever their name; `toJSON` is not called, because arguments
 * are plain data (see measure-json.ts). What JSON cannot say throws.
 */
export function canonicalJson(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value)
    case 'number':
      if (!Number.isFinite(value)) throw new TypeError(`${value} has no JSON`)
      return String(value)
    case 'boolean':
      return value ? 'true' : 'false'
    case 'undefined':
      return 'null'
    case 'object':
      if (value === null) return 'null'
      return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as Record<string, unknown>)
    default:
      throw new TypeError(`a ${typeof value} has no JSON`)
  }
}

function canonicalArray(values: readonly unknown[]): string {
  let text = '['
  for (let index = 0; index < values.length; index++) {
    if (index > 0) text += ','
    text += canonicalJson(values[index])
  }
  return `${text}]`
}

function canonicalObject(value: Record<string, unknown>): string {
  const keys = Object.keys(value)
  if (keys.length > 1) keys.sort()
  let text = '{'
  for (const key of keys) {
    const entry = value[key]
    if (entry === undefined) continue
    if (text.length > 1) text += ','
    text += `${JSON.stringify(key)}:${canonicalJson(entry)}`
  }
  return `${text}}`
}
