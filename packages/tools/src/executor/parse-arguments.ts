// Untrusted → typed: whatever the model wrote, in the tool's own form and valid by its schema. Sizes come first, so that
// nothing after them walks more than it should.
import { applyAlias } from '../aliases.ts'
import { limits } from '../limits.ts'
import type { Found } from '../registry.ts'
import { compileSchema, describeViolations } from '../validate.ts'
import { problemOfJson } from './measure-json.ts'
import type { Caller } from './outcome.ts'
import { Refusal } from './refusal.ts'

export interface ParsedArguments {
  arguments: unknown
  config: Readonly<Record<string, unknown>>
}

const noConfig: Readonly<Record<string, unknown>> = Object.freeze({})

export function parseArguments({ tool, alias }: Found, given: unknown, { configs }: Caller): ParsedArguments | Refusal {
  if (typeof given !== 'object' || given === null || Array.isArray(given)) {
    return invalid(tool.name, `they must be an object, and are ${describeType(given)}`)
  }
  const problem = problemOfJson(given, limits.argumentBytes)
  if (problem) return invalid(tool.name, `they are ${problem}`)

  let args: unknown = given
  if (alias !== null) {
    const mapped = applyAlias(alias, args)
    if (!mapped.ok) return invalid(tool.name, mapped.error)
    args = mapped.arguments
  }
  const validation = compileSchema(tool.inputSchema).validate(args)
  if (!validation.ok) return invalid(tool.name, describeViolations(validation.violations))
  return { arguments: validation.value, config: noConfig }
}

const invalid = (tool: string, why: string): Refusal =>
  new Refusal('invalid_arguments', `The arguments of tool '${tool}' are not valid: ${why}`)

function describeType(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
