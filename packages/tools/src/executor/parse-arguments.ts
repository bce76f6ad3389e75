// Untrusted → typed: whatever the model wrote, in the tool's own form and valid by its schema. Sizes come first, so that
// nothing after them walks more than it should.
import { applyAlias } from '../aliases.ts'
import { applyConfig, type ParsedConfig, parseConfig, type ToolConfig } from '../config.ts'
import type { AnyTool } from '../contract.ts'
import { limits } from '../limits.ts'
import type { Found } from '../tool-lookup.ts'
import { compileSchema, describeViolations } from '../validate.ts'
import { problemOfJson } from './measure-json.ts'
import type { Caller } from './outcome.ts'
import { Refusal } from './refusal.ts'

export interface ParsedArguments {
  arguments: unknown
  config: ToolConfig
}

const noConfig: ToolConfig = Object.freeze({})

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
  let config = noConfig
  const attached = configs?.get(tool.name)
  if (attached !== undefined) {
    const checked = parseOnce(tool, attached)
    if (!checked.ok) {
      const why = checked.errors.join(' ')
      return new Refusal('tool_unavailable', `Tool '${tool.name}' is not set up rightly for this agent: ${why}`)
    }
    config = checked.config
    args = applyConfig(tool, config, args)
  }
  const validation = compileSchema(tool.inputSchema).validate(args)
  if (!validation.ok)
    return new Refusal(
      'invalid_arguments',
      `Tool '${tool.name}' was not run. ${describeViolations(validation.violations)}`,
    )
  return { arguments: validation.value, config }
}

const parsedConfigs = new WeakMap<object, { tool: AnyTool; parsed: ParsedConfig }>()

/** The tool may have changed since the configuration was saved, so it is checked here; once for each object. */
function parseOnce(tool: AnyTool, config: ToolConfig): ParsedConfig {
  const known = parsedConfigs.get(config)
  if (known?.tool === tool) return known.parsed
  const parsed = parseConfig(tool, config)
  parsedConfigs.set(config, { tool, parsed })
  return parsed
}

const invalid = (tool: string, why: string): Refusal =>
  new Refusal('invalid_arguments', `The arguments of tool '${tool}' are not valid: ${why}`)

function describeType(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`
}
