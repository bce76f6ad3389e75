// What a schema has to pass before Ajv sees it, and the copy that Ajv gets.
//
// A schema may come from a stranger (an MCP server, a tool an agent made). So it is walked once, within bounds of size,
// depth and count; every pattern is compiled; and the copy gets a `stepsKeyword` in each subschema, which spends from
// the budget of the value that is checked. That is what keeps `allOf` of `allOf` of …, a recursive `anyOf` or an enum of
// thousands in a list of millions from hanging the process: no shape of schema needs to be recognised as evil.
import type { JSONSchema } from './contract.ts'
import { limits } from './limits.ts'
import { LinearRegExp } from './linear-regexp.ts'
import { leadsToSchema, listOfSchemas, mapOfSchemas, oneSchema, plain, references } from './schema-keywords.ts'

export interface PreparedSchema {
  schema: JSONSchema
  /** As JSON: two schemas with the same text are the same. */
  text: string
  hasDefaults: boolean
  /** Whether it refers to anything, itself included; only then can compiling find a fault that the walk did not. */
  hasReferences: boolean
}

/** A fault of the schema, as a sentence. Not a fault of a value. */
export class SchemaProblem extends Error {
  override name = 'SchemaProblem'
}

export const stepsKeyword = 'x-steps'

type Node = Record<string, unknown>

export function prepareSchema(schema: JSONSchema): PreparedSchema {
  if (typeof schema === 'boolean') return { schema, text: String(schema), hasDefaults: false, hasReferences: false }
  if (!isNode(schema)) throw new SchemaProblem('A schema is an object, true or false.')
  const text = textOf(schema)
  const walk = new Walk()
  // From the text, so that getters, prototypes and later changes of the caller's object are out of the game.
  const copy = walk.subschema(JSON.parse(text), '') as JSONSchema
  walk.resolveDynamicReferences()
  return { schema: copy, text, hasDefaults: walk.hasDefaults, hasReferences: walk.hasReferences }
}

function textOf(schema: JSONSchema): string {
  if (isDeeperThan(schema, limits.schemaDepth))
    throw new SchemaProblem(`The schema is nested deeper than ${limits.schemaDepth} levels, or contains itself.`)
  const text = JSON.stringify(schema)
  if (text.length > limits.schemaCharacters)
    throw new SchemaProblem(`The schema has ${text.length} characters; the limit is ${limits.schemaCharacters}.`)
  return text
}

class Walk {
  hasDefaults = false
  hasReferences = false
  #nodes = 0
  #unevaluated = false
  readonly #dynamicAnchors = new Map<unknown, number>()
  readonly #dynamicReferences: Node[] = []

  /**
   * With one `$dynamicAnchor` of its name, a `$dynamicRef` is a `$ref`. With several it depends on the way there, which
   * Ajv follows only in part: better no tool than one whose arguments are checked against the wrong schema.
   */
  resolveDynamicReferences(): void {
    for (const copy of this.#dynamicReferences) {
      const reference = copy.$dynamicRef as string
      const anchor = reference.slice(reference.indexOf('#') + 1)
      if ((this.#dynamicAnchors.get(anchor) ?? 0) > 1)
        throw new SchemaProblem(`The schema has several $dynamicAnchor named ${anchor}; only one is supported.`)
      delete copy.$dynamicRef
      also(copy, { $ref: reference })
    }
  }

  subschema(value: unknown, path: string): unknown {
    if (typeof value === 'boolean') return value
    if (!isNode(value)) throw new SchemaProblem(`${at(path)} must be a schema: an object, true or false.`)
    this.#nodes += 1
    if (this.#nodes > limits.schemaNodes)
      throw new SchemaProblem(`The schema has more than ${limits.schemaNodes} subschemas.`)
    this.#unevaluated ||= 'unevaluatedProperties' in value || 'unevaluatedItems' in value
    if (this.#unevaluated && this.#nodes > limits.schemaNodesUnevaluated)
      throw new SchemaProblem(`A schema with unevaluated… has at most ${limits.schemaNodesUnevaluated} subschemas.`)
    const copy: Node = {}
    for (const [keyword, under] of Object.entries(inNewSpelling(value))) this.#keyword(copy, keyword, under, path)
    this.#protoProperty(copy)
    spellForAjv(copy)
    if (typeof copy.$dynamicRef === 'string') this.#dynamicReferences.push(copy)
    copy[stepsKeyword] = weightOf(value)
    return copy
  }

  /**
   * Only what is known is copied. The rest means nothing to a check, but something to Ajv: `$async` would turn every
   * check into a promise, which counts as true, and an `$id` under a keyword of their own would be a schema to refer to.
   */
  #keyword(copy: Node, keyword: string, under: unknown, path: string): void {
    const inside = `${path}/${escapePointer(keyword)}`
    if (references.has(keyword)) copy[keyword] = this.#reference(keyword, under, inside)
    else if (listOfSchemas.has(keyword) && Array.isArray(under)) copy[keyword] = this.#list(under, inside)
    else if (mapOfSchemas.has(keyword) && isNode(under)) copy[keyword] = this.#map(under, inside, keyword)
    else if (oneSchema.has(keyword)) copy[keyword] = this.subschema(under, inside)
    else if (listOfSchemas.has(keyword) || mapOfSchemas.has(keyword)) copy[keyword] = under
    else if (plain.has(keyword)) copy[keyword] = this.#plain(keyword, under, inside)
  }

  #reference(keyword: string, under: unknown, path: string): unknown {
    this.hasReferences = true
    if (keyword === '$dynamicAnchor') this.#dynamicAnchors.set(under, (this.#dynamicAnchors.get(under) ?? 0) + 1)
    if (keyword.endsWith('ef') && typeof under === 'string' && !leadsToSchema(under))
      throw new SchemaProblem(`${at(path)} refers to ${under.slice(0, 200)}, which is not the place of a schema.`)
    return under
  }

  #plain(keyword: string, under: unknown, path: string): unknown {
    if (keyword === 'default') this.#default(under, path)
    if (keyword === 'pattern') this.#pattern(under, path)
    if (keyword === 'enum' && Array.isArray(under) && under.length > limits.enumValues)
      throw new SchemaProblem(`${at(path)} has ${under.length} values; the limit is ${limits.enumValues}.`)
    return under
  }

  #list(schemas: readonly unknown[], path: string): unknown[] {
    return schemas.map((schema, index) => this.subschema(schema, `${path}/${index}`))
  }

  #map(schemas: Node, path: string, keyword: string): Node {
    const copy: Node = {}
    for (const [name, schema] of Object.entries(schemas)) {
      if (keyword === 'patternProperties') this.#pattern(name, path)
      const inside = `${path}/${escapePointer(name)}`
      // Under `dependencies`, a list names properties.
      define(copy, name, Array.isArray(schema) ? schema : this.subschema(schema, inside))
    }
    return copy
  }

  /** Ajv overlooks a property with this name, so it gets the same schema as a pattern. A default would set a prototype. */
  #protoProperty(copy: Node): void {
    const properties = copy.properties
    if (!isNode(properties) || !Object.hasOwn(properties, '__proto__')) return
    const { ['__proto__']: schema, ...others } = properties
    if (isNode(schema)) delete schema.default
    copy.properties = others
    copy.patternProperties = { ...(copy.patternProperties as Node | undefined), '^__proto__$': schema }
  }

  #pattern(pattern: unknown, path: string): void {
    if (typeof pattern !== 'string') throw new SchemaProblem(`${at(path)} must be a string.`)
    try {
      new LinearRegExp(pattern)
    } catch (error) {
      throw new SchemaProblem(`${at(path)}: ${(error as Error).message}`)
    }
  }

  #default(value: unknown, path: string): void {
    this.hasDefaults = true
    // Ajv writes defaults into its code as literals, where this key would be the object's prototype.
    if (hasProtoKey(value)) throw new SchemaProblem(`${at(path)} has a __proto__ key, which a default cannot have.`)
  }
}

/** Until 2019-09, tuples were a list under `items`. Many MCP servers still write draft-07. */
function inNewSpelling(schema: Node): Node {
  if (!Array.isArray(schema.items)) return schema
  const { items, additionalItems = true, ...others } = schema
  return { prefixItems: items, items: additionalItems, ...others }
}

/** What Ajv has no spelling for, in one that it has. */
function spellForAjv(copy: Node): void {
  if (Array.isArray(copy.enum) && copy.enum.length === 0) {
    delete copy.enum
    also(copy, false)
  }
  // Ajv overlooks a lone `if`, which refuses nothing and yet decides what `unevaluatedProperties` sees.
  if ('if' in copy && !('then' in copy) && !('else' in copy)) {
    also(copy, { anyOf: [copy.if, { [stepsKeyword]: 1 }] })
    delete copy.if
  }
  if (copy.$anchor === undefined && typeof copy.$dynamicAnchor === 'string') {
    copy.$anchor = copy.$dynamicAnchor
    delete copy.$dynamicAnchor
  }
}

function also(copy: Node, schema: unknown): void {
  copy.allOf = [...((copy.allOf as unknown[] | undefined) ?? []), schema]
}

/** Steps for one look at a value: what the subschema itself compares, beyond its subschemas. */
function weightOf(schema: Node): number {
  const count = (list: unknown) => (Array.isArray(list) ? list.length : 0)
  return 1 + ((count(schema.enum) + count(schema.required)) >> 3)
}

function hasProtoKey(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(hasProtoKey)
}

export function isDeeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (levels === 0) return true
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length; index++) if (isDeeperThan(value[index], levels - 1)) return true
    return false
  }
  for (const key in value) if (isDeeperThan((value as Node)[key], levels - 1)) return true
  return false
}

/** As JSON.parse would: `__proto__` becomes a property like any other. */
export function define(object: Node, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}

const isNode = (value: unknown): value is Node => typeof value === 'object' && value !== null && !Array.isArray(value)
const escapePointer = (key: string) => key.replaceAll('~', '~0').replaceAll('/', '~1')
const at = (path: string) =>
  path === '' ? 'The schema' : `The schema at ${path.length > 200 ? `…${path.slice(-200)}` : path}`
