// How a schema is asked for: which field it becomes. Only what a person would write by hand is taken apart; everything
// else (tuples, conditions, schemas of schemas) is asked for as JSON, and checked by the server all the same.

export type Schema = { readonly [keyword: string]: unknown }

export type Shape =
  | { kind: 'text'; long: boolean }
  | { kind: 'number'; whole: boolean }
  | { kind: 'boolean' }
  | { kind: 'choice'; values: readonly unknown[] }
  | { kind: 'constant'; value: unknown }
  | { kind: 'object'; properties: readonly (readonly [name: string, schema: Schema])[]; required: ReadonlySet<string> }
  | { kind: 'list'; items: Schema }
  | { kind: 'alternatives'; alternatives: readonly Schema[] }
  | { kind: 'json' }

const deepest = 20

/** The schema itself where it is one of another place of the same document. */
export function follow(schema: unknown, root: Schema): Schema {
  let found: unknown = schema
  for (let step = 0; step < deepest; step++) {
    if (!isSchema(found)) return {}
    if (typeof found.$ref !== 'string') return found
    const { $ref, ...beside } = found
    if (!$ref.startsWith('#')) return {}
    let target: unknown = root
    for (const key of $ref.slice(1).split('/').slice(1).map(decodeKey)) {
      target = isSchema(target) || Array.isArray(target) ? (target as Schema)[key] : undefined
    }
    if (!isSchema(target)) return {}
    found = { ...target, ...beside }
  }
  return {}
}

export function shapeOf(schema: Schema, root: Schema): Shape {
  if (Object.hasOwn(schema, 'const')) return { kind: 'constant', value: schema.const }
  if (Array.isArray(schema.enum)) return { kind: 'choice', values: schema.enum }
  const own = allTogether(schema, root)
  if (own === null) return { kind: 'json' }
  const alternatives = alternativesOf(own, root)
  if (alternatives) return { kind: 'alternatives', alternatives }
  switch (own.type ?? (isSchema(own.properties) ? 'object' : undefined)) {
    case 'string':
      return { kind: 'text', long: isLong(own) }
    case 'number':
    case 'integer':
      return { kind: 'number', whole: own.type === 'integer' }
    case 'boolean':
      return { kind: 'boolean' }
    case 'array':
      return Array.isArray(own.prefixItems) || !isSchema(own.items)
        ? { kind: 'json' }
        : { kind: 'list', items: follow(own.items, root) }
    case 'object': {
      const properties = Object.entries(isSchema(own.properties) ? own.properties : {})
      const required = Array.isArray(own.required) ? own.required.map(String) : []
      return {
        kind: 'object',
        properties: properties.map(([name, property]) => [name, follow(property, root)] as const),
        required: new Set(required),
      }
    }
    default:
      return { kind: 'json' }
  }
}

/** The schema of a key that the object does not name; null where there may be none. */
export function schemaOfExtra(schema: Schema, root: Schema): Schema | null {
  const own = allTogether(schema, root) ?? schema
  if (isSchema(own.patternProperties)) return follow(Object.values(own.patternProperties)[0] ?? {}, root)
  if (isSchema(own.additionalProperties)) return follow(own.additionalProperties, root)
  return own.additionalProperties === true || (own.additionalProperties === undefined && !isSchema(own.properties))
    ? {}
    : null
}

/** What a field begins with when it is added, or is required: as much as is certain, and nothing that was not said. */
export function startValue(schema: Schema, root: Schema, depth = 0): unknown {
  if (Object.hasOwn(schema, 'default')) return schema.default
  const shape = shapeOf(schema, root)
  if (depth > deepest) return undefined
  switch (shape.kind) {
    case 'constant':
      return shape.value
    case 'choice':
      return shape.values.length === 1 ? shape.values[0] : undefined
    case 'text':
      return Number(schema.minLength ?? 0) > 0 || schema.format || schema.pattern ? undefined : ''
    case 'list':
      return []
    case 'alternatives':
      return startValue(shape.alternatives[0] ?? {}, root, depth + 1)
    case 'object': {
      const entries = shape.properties
        .filter(([name, property]) => shape.required.has(name) && !Object.hasOwn(property, 'default'))
        .map(([name, property]) => [name, startValue(property, root, depth + 1)] as const)
      return Object.fromEntries(entries.filter(([, value]) => value !== undefined))
    }
    default:
      return undefined
  }
}

/** Which alternative a value is meant to be: the first that it does not plainly contradict. */
export function chooseAlternative(alternatives: readonly Schema[], value: unknown, root: Schema): number {
  if (value === undefined) return 0
  return Math.max(
    0,
    alternatives.findIndex((schema) => fits(schema, value, root, 0)),
  )
}

/** What an alternative is called in the list of them. */
export function nameOf(schema: Schema, index: number): string {
  if (typeof schema.title === 'string') return schema.title
  if (Object.hasOwn(schema, 'const')) return JSON.stringify(schema.const)
  const kind = isSchema(schema.properties) ? Object.keys(schema.properties).slice(0, 3).join(', ') : schema.type
  return typeof kind === 'string' && kind ? `${words[kind] ?? kind}` : `Alternative ${index + 1}`
}

const words: Record<string, string> = {
  string: 'Text',
  number: 'Number',
  integer: 'Whole number',
  boolean: 'Yes or no',
  array: 'List',
  object: 'Object',
  null: 'Nothing (null)',
}

/** What must hold for a value, in words, after its description. */
export function describeLimits(schema: Schema): string {
  const told: string[] = []
  const { minimum, maximum, minLength, maxLength, minItems, maxItems, format, pattern } = schema
  const span = (from: unknown, to: unknown, of: string) => {
    if (typeof from === 'number' && typeof to === 'number') told.push(`${count(from)} to ${count(to)}${of}`)
    else if (typeof from === 'number') told.push(`at least ${count(from)}${of}`)
    else if (typeof to === 'number') told.push(`at most ${count(to)}${of}`)
  }
  span(minimum, maximum, '')
  if (typeof minLength === 'number' && minLength > 1) span(minLength, maxLength, ' characters')
  else span(undefined, maxLength, ' characters')
  span(minItems, maxItems, ' entries')
  if (typeof format === 'string') told.push(`format ${format}`)
  if (typeof pattern === 'string') told.push(`pattern ${pattern}`)
  return told.join(', ')
}

export const isSchema = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const count = (value: number) => value.toLocaleString('en-GB')

function fits(schema: Schema, value: unknown, root: Schema, depth: number): boolean {
  const own = follow(schema, root)
  if (Object.hasOwn(own, 'const')) return JSON.stringify(own.const) === JSON.stringify(value)
  if (Array.isArray(own.enum)) return own.enum.some((entry) => JSON.stringify(entry) === JSON.stringify(value))
  if (typeof own.type === 'string' && !isOfType(own.type, value)) return false
  if (!isSchema(value) || !isSchema(own.properties) || depth > deepest) return true
  const required = Array.isArray(own.required) ? own.required.map(String) : []
  if (required.some((name) => !Object.hasOwn(value, name))) return false
  return Object.entries(own.properties).every(
    ([name, property]) => !Object.hasOwn(value, name) || fits(property as Schema, value[name], root, depth + 1),
  )
}

function isOfType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null
  if (type === 'array') return Array.isArray(value)
  if (type === 'object') return isSchema(value)
  if (type === 'integer') return Number.isInteger(value)
  return typeof value === type
}

/** `allOf` of plain objects is one object; of anything else it is no field. */
function allTogether(schema: Schema, root: Schema): Schema | null {
  if (!Array.isArray(schema.allOf)) return schema
  let whole: Schema = schema
  for (const part of schema.allOf.map((entry) => follow(entry, root))) {
    if (part.allOf || part.oneOf || part.anyOf || part.not) return null
    const required = [...list(whole.required), ...list(part.required)]
    whole = {
      ...part,
      ...whole,
      properties: { ...(part.properties as object), ...(whole.properties as object) },
      required,
    }
  }
  return whole
}

/** Alternatives that are values of their own. Those that only say which keys go together stay with the server. */
function alternativesOf(schema: Schema, root: Schema): Schema[] | null {
  if (Array.isArray(schema.type)) {
    const { default: _default, ...rest } = schema
    return schema.type.map((type) => (type === 'null' ? { type } : { ...rest, type }))
  }
  const given = Array.isArray(schema.oneOf) ? schema.oneOf : Array.isArray(schema.anyOf) ? schema.anyOf : null
  if (!given || isSchema(schema.properties)) return null
  const alternatives = given.map((entry) => {
    const own = follow(entry, root)
    return own.type === undefined && schema.type !== undefined ? { ...own, type: schema.type } : own
  })
  return alternatives.every((entry) => shapeOf(entry, root).kind !== 'json') ? alternatives : null
}

const longNames = /^(body|code|command|content|message|prompt|replace|script|search|text|caption|question|sql|query)$/i

const isLong = ({ maxLength, format, pattern, 'x-name': name }: Schema) =>
  !format && !pattern && (Number(maxLength ?? 0) >= 2_000 || (typeof name === 'string' && longNames.test(name)))

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const decodeKey = (key: string) => {
  try {
    return decodeURIComponent(key).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    return key
  }
}
