// Whether a schema is one that Anthropic's `strict` takes: the model's sampling is then held to it, and arguments of the
// wrong type do not happen. The grammar knows part of JSON Schema only, and a request with one schema outside of it is
// refused as a whole, so whatever is not known to be inside counts as outside.
//
//   objects say `additionalProperties: false`; enum and const have plain values; `$ref` leads to `$defs` and never back
//   to itself; no ranges, lengths, patterns or unknown formats; `minItems` is 0 or 1
//
// A property may be optional, and may have several types, but a request has only so many of either.
import type { JSONSchema } from '../contract.ts'

/** What a schema takes of a request's share. */
export interface StrictCost {
  optional: number
  unions: number
}

/** Per request, over all its strict tools. */
export const strictLimits = { tools: 20, optional: 24, unions: 16 } as const

const formats = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'uri', 'ipv4', 'ipv6', 'uuid'])
const types = new Set(['object', 'array', 'string', 'integer', 'number', 'boolean', 'null'])
const annotations = new Set(['title', 'description', 'default'])
/** A definition that is referred to from many places is written out in the grammar each time. */
const mostNodes = 500

/** Null where the schema does not allow it. */
export function strictCostOf(schema: JSONSchema): StrictCost | null {
  if (typeof schema !== 'object') return null
  const walk = new Walk(schema.$defs as Record<string, JSONSchema> | undefined)
  return walk.allows(schema, true) ? { optional: walk.optional, unions: walk.unions } : null
}

class Walk {
  optional = 0
  unions = 0
  readonly #definitions: Record<string, JSONSchema>
  readonly #open = new Set<string>()
  #nodes = 0

  constructor(definitions: Record<string, JSONSchema> | undefined) {
    this.#definitions = definitions ?? {}
  }

  allows(schema: JSONSchema, root = false): boolean {
    if (typeof schema !== 'object' || schema === null || ++this.#nodes > mostNodes) return false
    if (schema.$ref !== undefined)
      return Object.keys(schema).every((key) => key === '$ref' || annotations.has(key)) && this.#follows(schema.$ref)
    const kind = this.#typeOf(schema)
    if (kind === null) return false
    return (
      Object.entries(schema).every(([keyword, value]) => this.#allowsKeyword(keyword, value, kind, root)) &&
      (!kind.includes('object') || this.#allowsObject(schema))
    )
  }

  /** The types it accepts; empty where an enum, const or anyOf says instead; null where nothing does. */
  #typeOf(schema: { readonly [keyword: string]: unknown }): string[] | null {
    if (schema.type === undefined) return 'enum' in schema || 'const' in schema || 'anyOf' in schema ? [] : null
    const kind = Array.isArray(schema.type) ? (schema.type as string[]) : [String(schema.type)]
    if (kind.length > 1) this.unions++
    return kind.every((type) => types.has(type)) ? kind : null
  }

  #allowsKeyword(keyword: string, value: unknown, kind: readonly string[], root: boolean): boolean {
    switch (keyword) {
      case 'type':
      case 'title':
      case 'description':
      case 'default':
        return true
      case '$defs':
      case '$schema':
        // Definitions are judged where they are used.
        return root
      case 'properties':
      case 'required':
      case 'additionalProperties':
        return kind.includes('object')
      case 'items':
        return kind.includes('array') && this.allows(value as JSONSchema)
      case 'minItems':
        return value === 0 || value === 1
      case 'enum':
        return Array.isArray(value) && value.length > 0 && value.every(isPlain)
      case 'const':
        return isPlain(value)
      case 'format':
        return formats.has(value as string)
      case 'anyOf':
        this.unions++
        return !root && Array.isArray(value) && value.length > 0 && value.every((branch) => this.allows(branch))
      default:
        return false
    }
  }

  #allowsObject(schema: { readonly [keyword: string]: unknown }): boolean {
    if (schema.additionalProperties !== false) return false
    const properties = Object.entries((schema.properties ?? {}) as Record<string, JSONSchema>)
    const required = new Set((schema.required ?? []) as string[])
    for (const [name, property] of properties) {
      if (!required.has(name)) this.optional++
      if (!this.allows(property)) return false
    }
    return [...required].every((name) => properties.some(([property]) => property === name))
  }

  #follows(reference: unknown): boolean {
    const name = /^#\/\$defs\/([^/~%]+)$/.exec(String(reference))?.[1]
    if (name === undefined || !Object.hasOwn(this.#definitions, name) || this.#open.has(name)) return false
    this.#open.add(name)
    const allowed = this.allows(this.#definitions[name] as JSONSchema)
    this.#open.delete(name)
    return allowed
  }
}

const isPlain = (value: unknown): boolean => value === null || typeof value !== 'object'
