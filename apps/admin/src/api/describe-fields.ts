// The fields of a JSON Schema as lines of a table: names with dots, types in words.
import type { JsonSchema } from './openapi-document.ts'

export interface FieldLine {
  /** `error.details[].path` */
  name: string
  type: string
  required: boolean
  description: string
}

type Schemas = Readonly<Record<string, JsonSchema>>

interface Node extends JsonSchema {
  $ref?: string
  type?: string | string[]
  enum?: unknown[]
  const?: unknown
  format?: string
  anyOf?: Node[]
  items?: Node
  properties?: Record<string, Node>
  required?: string[]
  additionalProperties?: unknown
  description?: string
}

/** Every field that an object has, those of the objects in it after it. */
export function describeFields(schema: JsonSchema, schemas: Schemas): FieldLine[] {
  return linesOf(resolve(schema, schemas), schemas, '')
}

function linesOf(node: Node, schemas: Schemas, prefix: string): FieldLine[] {
  const variants = node.anyOf?.filter(({ type }) => type !== 'null')
  if (variants) return variants.flatMap((variant) => linesOf(resolve(variant, schemas), schemas, prefix))
  if (node.items) return linesOf(resolve(node.items, schemas), schemas, `${prefix}[]`)
  return Object.entries(node.properties ?? {}).flatMap(([name, given]) => {
    const field = resolve(given, schemas)
    const path = prefix ? `${prefix}.${name}` : name
    const line = {
      name: path,
      type: typeOf(field, schemas),
      required: node.required?.includes(name) ?? false,
      description: given.description ?? field.description ?? '',
    }
    return [line, ...linesOf(field, schemas, path)]
  })
}

/** `text`, `whole number`, `list of objects`, `open or answered`, `text or null`. */
export function typeOf(given: JsonSchema, schemas: Schemas): string {
  const node = resolve(given, schemas)
  if (node.enum) return node.enum.map((value) => `“${value}”`).join(', ')
  if (node.const !== undefined) return JSON.stringify(node.const)
  if (node.anyOf) return [...new Set(node.anyOf.map((each) => typeOf(each, schemas)))].join(' or ')
  if (Array.isArray(node.type)) return node.type.map((type) => typeOf({ ...node, type }, schemas)).join(' or ')
  if (node.type === 'array') return `list of ${plural(typeOf(node.items ?? {}, schemas))}`
  if (node.type === 'string') return node.format === 'date-time' ? 'time' : 'text'
  if (node.type === 'integer') return 'whole number'
  return node.type ? (words[node.type] ?? node.type) : 'any JSON'
}

const words: Record<string, string> = { boolean: 'true or false', null: 'null', number: 'number', object: 'object' }
const plural = (type: string) => (['text', 'object', 'time', 'whole number'].includes(type) ? `${type}s` : type)

function resolve(schema: JsonSchema, schemas: Schemas): Node {
  const name = /^#\/components\/schemas\/(.+)$/.exec(String(schema.$ref ?? ''))?.[1]
  return (name ? (schemas[name] ?? {}) : schema) as Node
}
