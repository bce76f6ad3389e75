// Arguments against their schema: Ajv, draft 2020-12, compiled once, within a budget.
//
// Each schema has an Ajv of its own (0.1 ms), so that one tool's `$id` never meets another's and a schema that is gone
// takes everything it needed with it. Nothing is ever fetched: a reference leads into the schema or into `documents`.
import { createHash } from 'node:crypto'
import type { ErrorObject, KeywordCxt, ValidateFunction } from 'ajv'
import { _, Name } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JSONSchema } from './contract.ts'
import { canonicalJson } from './executor/digest.ts'
import { createFormats } from './formats.ts'
import { limits } from './limits.ts'
import { LinearRegExp } from './linear-regexp.ts'
import {
  define,
  isDeeperThan,
  type PreparedSchema,
  prepareSchema,
  SchemaProblem,
  stepsKeyword,
} from './prepare-schema.ts'
import { toViolations, type Violation } from './violations.ts'

export { SchemaProblem } from './prepare-schema.ts'
export { describeViolations, type Violation } from './violations.ts'

export type Validation = { ok: true; value: unknown } | { ok: false; violations: Violation[] }

export interface CompiledSchema {
  /** `value` has the defaults; the caller's object is never changed, and returned as it is where no default applies. */
  validate(value: unknown): Validation
}

export interface CompileOptions {
  /** Other schemas it may refer to, by address. */
  documents?: ReadonlyMap<string, JSONSchema>
}

const byObject = new WeakMap<object, CompiledSchema>()
/** By the digest of the text, for equal schemas that come as new objects: from the database, from a server. */
const byText = new Map<string, CompiledSchema>()

/** Throws a `SchemaProblem` for a schema that is wrong, too large, or uses what cannot be checked in bounded time. */
export function compileSchema(schema: JSONSchema, { documents }: CompileOptions = {}): CompiledSchema {
  if (documents !== undefined) return compile(prepareSchema(schema), documents)
  const known = typeof schema === 'object' && schema !== null ? byObject.get(schema) : undefined
  if (known) return known
  const prepared = prepareSchema(schema)
  const digest = createHash('sha256').update(prepared.text).digest('base64')
  const compiled = byText.get(digest) ?? compile(prepared, new Map())
  byText.delete(digest)
  byText.set(digest, compiled)
  if (byText.size > limits.compiledSchemas) byText.delete(byText.keys().next().value as string)
  if (typeof schema === 'object') byObject.set(schema, compiled)
  return compiled
}

function compile(prepared: PreparedSchema, documents: ReadonlyMap<string, JSONSchema>): CompiledSchema {
  checkAgainstMetaSchema(prepared)
  const compiled = new Compiled(prepared, documents)
  // Only a reference can still be wrong. The others are compiled at their first use, which for most never comes.
  if (prepared.hasReferences) compiled.tryOut()
  return compiled
}

let metaSchema: Ajv2020 | undefined

function checkAgainstMetaSchema({ schema }: PreparedSchema): void {
  // 33 ms once, 10 µs for each schema after.
  metaSchema ??= new Ajv2020({ strict: false, logger: false, validateFormats: false })
  if (metaSchema.validateSchema(schema)) return
  const error = metaSchema.errors?.at(-1)
  throw new SchemaProblem(
    `The schema at ${error?.instancePath || '/'} is wrong: ${error?.message ?? 'unknown keyword value'}.`,
  )
}

/** The value is not to blame, or not only: checking it was given up. */
class GivenUp extends Error {
  readonly errors: ErrorObject[]
  constructor(reason: string, errors: ErrorObject[] = []) {
    super(reason)
    this.errors = errors
  }
}

class Compiled implements CompiledSchema {
  readonly #prepared: PreparedSchema
  readonly #documents: ReadonlyMap<string, JSONSchema>
  #check: ValidateFunction | undefined
  #left = 0

  constructor(prepared: PreparedSchema, documents: ReadonlyMap<string, JSONSchema>) {
    this.#prepared = prepared
    this.#documents = documents
  }

  validate(value: unknown): Validation {
    if (isDeeperThan(value, limits.jsonDepth)) return refused(`is nested deeper than ${limits.jsonDepth} levels`)
    const candidate = this.#prepared.hasDefaults ? clone(value) : value
    this.#left = limits.validationSteps
    try {
      this.#check ??= this.#compile()
      if (this.#check(candidate) === true) return { ok: true, value: candidate }
      const violations = toViolations(this.#check.errors ?? [])
      // They hold on to the value.
      this.#check.errors = null
      return { ok: false, violations }
    } catch (error) {
      if (error instanceof GivenUp && error.errors.length > 0)
        return { ok: false, violations: toViolations(error.errors) }
      if (error instanceof GivenUp) return refused(error.message)
      // The stack: a schema that refers to itself without going deeper into the value.
      if (error instanceof RangeError) return refused('cannot be checked: the schema refers to itself without end')
      if (error instanceof SchemaProblem) return refused(`cannot be checked: ${error.message}`)
      throw error
    }
  }

  /** Compiles now, and finds references that go round in circles before a call does. */
  tryOut(): void {
    this.#check = this.#compile()
    this.#left = limits.validationSteps
    try {
      for (const value of [{}, [], '', 0, null]) this.#check(value)
    } catch (error) {
      // Having too many violations is fine; the stack or the steps have run out otherwise.
      if (!(error instanceof GivenUp && error.errors.length > 0))
        throw new SchemaProblem('The schema refers to itself without end.')
    }
  }

  #spend(steps: number): void {
    this.#left -= steps
    if (this.#left < 0) throw new GivenUp('is too large to be checked against this schema; send less at once')
  }

  #compile(): ValidateFunction {
    const spend = (steps: number) => this.#spend(steps)
    const ajv = createAjv(spend, /json-schema\.org\/draft\/2020-12/.test(this.#prepared.text))
    try {
      for (const [address, document] of this.#documents) ajv.addSchema(prepareSchema(document).schema, address)
      return ajv.compile(this.#prepared.schema)
    } catch (error) {
      throw new SchemaProblem(reasonOf(error as Error))
    }
  }
}

// Of Ajv's generated functions: how many errors there are so far, and which.
const errors = new Name('errors')
const vErrors = new Name('vErrors')

function createAjv(spend: (steps: number) => void, meta: boolean): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    // The meta-schema, for a schema of schemas.
    meta,
    allErrors: true,
    verbose: true,
    useDefaults: true,
    // `{}` has no `constructor` and no `toString`, whatever JavaScript thinks.
    ownProperties: true,
    // Inlining would write a definition out once for each reference to it.
    inlineRefs: false,
    validateSchema: false,
    logger: false,
    formats: createFormats({ spend }),
    code: {
      regExp: Object.assign((pattern: string) => new LinearRegExp(pattern, { spend }), { code: 'LinearRegExp' }),
    },
  })
  ajv.addKeyword({
    keyword: stepsKeyword,
    schemaType: 'number',
    before: '$ref',
    code({ gen, schema, data }: KeywordCxt) {
      const call = gen.scopeValue('func', { ref: spend, code: _`spend` })
      const enough = gen.scopeValue('func', { ref: giveUp, code: _`giveUp` })
      gen.code(_`${call}(typeof ${data} == "string" ? ${schema} + ${data}.length / 16 : ${schema});`)
      gen.code(_`if (${errors} > ${limits.violationsCollected}) ${enough}(${vErrors});`)
    },
  })
  // Ajv compares each item with each; by their text it is one pass.
  ajv.removeKeyword('uniqueItems')
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    validate: (wanted: boolean, items: unknown[]) => !wanted || areUnique(items, spend),
  })
  return ajv
}

function areUnique(items: readonly unknown[], spend: (steps: number) => void): boolean {
  const texts = new Set<string>()
  for (const item of items) {
    const text = canonicalJson(item)
    spend(text.length / 16)
    texts.add(text)
  }
  return texts.size === items.length
}

function giveUp(errors: ErrorObject[]): never {
  throw new GivenUp('has too many violations', errors)
}

function clone(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(clone)
  const copy: Record<string, unknown> = {}
  for (const key of Object.keys(value)) define(copy, key, clone((value as Record<string, unknown>)[key]))
  return copy
}

const refused = (message: string): Validation => ({ ok: false, violations: [{ path: '', message }] })

function reasonOf(error: Error): string {
  if (error instanceof RangeError) return 'The schema has a chain of references that is too long.'
  const missing = (error as { missingRef?: string }).missingRef
  if (missing !== undefined) return `The schema refers to ${missing}, which is not in it; nothing is ever fetched.`
  return `The schema cannot be compiled: ${error.message}.`
}
