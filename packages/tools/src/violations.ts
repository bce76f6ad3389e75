// Ajv's errors in words that a model can act on: where, what was expected, what was there.
import type { ErrorObject } from 'ajv'
import { limits } from './limits.ts'

export interface Violation {
  /** Dotted: `files.0.name`; empty for the whole value. A key that is not a plain word is quoted. */
  path: string
  /** What was expected and what was there, as the end of a sentence that starts with the path. */
  message: string
}

/** Follows from others that are listed as well: `if` says only that `then` failed. */
const echoes = new Set(['if', 'propertyNames'])

export function toViolations(errors: readonly ErrorObject[]): Violation[] {
  const seen = new Set<string>()
  const violations: Violation[] = []
  const telling = errors.filter((error) => !echoes.has(error.keyword))
  for (const error of telling.length > 0 ? telling : errors) {
    const violation = { path: pathOf(error), message: messageOf(error) }
    const key = `${violation.path}\0${violation.message}`
    if (seen.has(key)) continue
    seen.add(key)
    violations.push(violation)
  }
  return violations
}

/** The sentence for the model: every violation on a line, as many as `limits.violationsListed`. */
export function describeViolations(violations: readonly Violation[]): string {
  const lines = violations
    .slice(0, limits.violationsListed)
    .map(({ path, message }) => `- ${path === '' ? 'the arguments' : path}: ${message}`)
  const hidden = violations.length - lines.length
  if (hidden > 0) lines.push(`- and ${hidden} more`)
  const count = violations.length === 1 ? 'is one violation' : `are ${violations.length} violations`
  return `The arguments do not fit the schema; there ${count}:\n${lines.join('\n')}`
}

function pathOf({ instancePath, keyword, params, propertyName }: ErrorObject): string {
  const keys = instancePath
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
  if (keyword === 'required' || keyword === 'dependentRequired' || keyword === 'dependencies')
    keys.push(String(params.missingProperty))
  if (keyword === 'additionalProperties') keys.push(String(params.additionalProperty))
  if (keyword === 'unevaluatedProperties') keys.push(String(params.unevaluatedProperty))
  if (propertyName !== undefined) keys.push(propertyName)
  return keys.map((key) => (/^[\p{L}\p{N}_$-]{1,64}$/u.test(key) ? key : shown(key))).join('.')
}

function messageOf(error: ErrorObject): string {
  const { keyword, params, data } = error
  const got = `got ${shown(data)}`
  switch (keyword) {
    case 'type':
      return `must be ${alternatives([params.type].flat())}, ${got}`
    case 'required':
      return 'is required and missing'
    case 'dependentRequired':
    case 'dependencies':
      return `is required where ${params.property} is given`
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return `is not known here${knownProperties(error)}`
    case 'enum':
      return `must be one of ${listed(error.schema as readonly unknown[])}, ${got}`
    case 'const':
      return `must be ${shown(error.schema)}, ${got}`
    case 'minimum':
    case 'maximum':
    case 'exclusiveMinimum':
    case 'exclusiveMaximum':
      return `must be ${params.comparison} ${params.limit}, ${got}`
    case 'multipleOf':
      return `must be a multiple of ${params.multipleOf}, ${got}`
    case 'minLength':
    case 'maxLength':
      return `must have at ${keyword === 'minLength' ? 'least' : 'most'} ${params.limit} characters, has ${[...String(data)].length}`
    case 'minItems':
    case 'maxItems':
      return `must have at ${keyword === 'minItems' ? 'least' : 'most'} ${params.limit} items, has ${(data as unknown[]).length}`
    case 'minProperties':
    case 'maxProperties':
      return `must have at ${keyword === 'minProperties' ? 'least' : 'most'} ${params.limit} properties, has ${Object.keys(data as object).length}`
    case 'pattern':
      return `must match the pattern ${params.pattern}, ${got}`
    case 'format':
      return `must be in the format ${params.format}, ${got}`
    case 'uniqueItems':
      return 'must not have the same item twice'
    case 'anyOf':
      return 'must fit at least one of the alternatives'
    case 'oneOf':
      return params.passingSchemas
        ? 'fits more than one of the alternatives, must fit exactly one'
        : 'must fit exactly one of the alternatives'
    case 'not':
      return `must not be ${shown(data)}`
    case 'false schema':
      return 'is not accepted'
    default:
      return `${error.message ?? keyword}, ${got}`
  }
}

/** The model has usually mistyped one of these. */
function knownProperties({ parentSchema }: ErrorObject): string {
  const known = Object.keys((parentSchema?.properties as object | undefined) ?? {})
  return known.length === 0 ? '' : `; known are ${known.slice(0, 20).join(', ')}${known.length > 20 ? ', …' : ''}`
}

const alternatives = (types: readonly string[]) => types.map((type) => (type === 'null' ? 'null' : type)).join(' or ')

function listed(values: readonly unknown[]): string {
  const some = values.slice(0, 20).map(shown).join(', ')
  return values.length > 20 ? `${some}, … (${values.length} values)` : some
}

/** Short, and without walking through what may be megabytes. */
function shown(value: unknown): string {
  if (typeof value === 'string')
    return value.length > 60
      ? `${JSON.stringify(value.slice(0, 60))}… (${value.length} characters)`
      : JSON.stringify(value)
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `an array of ${value.length}`
  if (typeof value === 'object' && value !== null) return 'an object'
  if (typeof value === 'function' || typeof value === 'symbol') return `a ${typeof value}`
  return String(value)
}
