// What an owner sets when attaching a tool to an agent, e.g. `{ "default_limit": 20 }`.
//
// Three keys work for every tool, for each argument of its schema:
//   default_<argument>   what an argument is that the model leaves out; it goes before the schema's own default
//   max_<argument>       the most that a number may be; more is lowered to it
//   fixed_<argument>     what it is, whatever the model says
// Everything else is the tool's own, and valid by its `configSchema`; where that has one of these keys, it is its own
// too. All of it reaches the tool as `context.config`.
import type { AnyTool, JSONSchema } from './contract.ts'
import { define } from './prepare-schema.ts'
import { compileSchema } from './validate.ts'

export type ToolConfig = Readonly<Record<string, unknown>>
export type ParsedConfig = { ok: true; config: ToolConfig } | { ok: false; errors: string[] }

type Kind = 'default' | 'max' | 'fixed'
type ObjectSchema = { [keyword: string]: unknown; properties?: Record<string, JSONSchema> }

/** Each error is a sentence that names its key. Nothing (`null`) is the empty configuration. */
export function parseConfig(tool: AnyTool, json: unknown): ParsedConfig {
  if (json === null || json === undefined) return parseConfig(tool, {})
  if (typeof json !== 'object' || Array.isArray(json)) return { ok: false, errors: ['A configuration is an object.'] }
  const errors: string[] = []
  const generic: Record<string, unknown> = {}
  const own: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(json)) {
    const preset = presetOf(tool, key)
    if (preset === null) define(own, key, value)
    else {
      generic[key] = value
      const error = problemOfPreset(tool, preset, value)
      if (error) errors.push(`${key}: ${error}`)
    }
  }
  errors.push(...conflictsIn(generic))
  const validated = parseOwn(tool, own)
  errors.push(...validated.errors)
  if (errors.length > 0) return { ok: false, errors }
  return { ok: true, config: Object.freeze({ ...(validated.value as object), ...generic }) }
}

/**
 * The arguments as the configuration has them. Pure; before validation, so that a preset goes before the schema's
 * default. Arguments that are no object pass as they are, for the schema to refuse.
 */
export function applyConfig(tool: AnyTool, config: ToolConfig, args: unknown): unknown {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return args
  let changed: Record<string, unknown> | null = null
  const current = (name: string) => {
    const source = changed ?? (args as Record<string, unknown>)
    return Object.hasOwn(source, name) ? source[name] : undefined
  }
  const set = (name: string, value: unknown) => {
    changed ??= { ...args }
    changed[name] = value
  }
  for (const kind of ['default', 'fixed', 'max'] as const) {
    for (const key in config) {
      if (!key.startsWith(kind)) continue
      const preset = presetOf(tool, key)
      if (preset === null || preset.kind !== kind) continue
      const { argument } = preset
      const value = current(argument)
      if (kind === 'fixed') set(argument, config[key])
      else if (kind === 'default') {
        if (value === undefined) set(argument, config[key])
      } else {
        // The schema's own default must not be more than the cap either.
        const given = value === undefined ? defaultOf(tool, argument) : value
        if (typeof given === 'number' && given > (config[key] as number)) set(argument, config[key])
      }
    }
  }
  return changed ?? args
}

interface Preset {
  kind: Kind
  argument: string
}

function presetOf(tool: AnyTool, key: string): Preset | null {
  const split = /^(default|max|fixed)_(.+)$/s.exec(key)
  if (split === null || Object.hasOwn(propertiesOf(tool.configSchema), key)) return null
  const [, kind, argument] = split as unknown as [string, Kind, string]
  // A property called `__proto__` cannot be preset: assigning it would be something else.
  return argument !== '__proto__' && Object.hasOwn(propertiesOf(tool.inputSchema), argument) ? { kind, argument } : null
}

function problemOfPreset(tool: AnyTool, { kind, argument }: Preset, value: unknown): string | null {
  if (kind === 'max') {
    const types = [(propertiesOf(tool.inputSchema)[argument] as ObjectSchema)?.type].flat()
    if (!types.includes('number') && !types.includes('integer')) return `${argument} is not a number.`
    return typeof value === 'number' && Number.isFinite(value) ? null : 'must be a number.'
  }
  const { properties, required, ...rest } = tool.inputSchema as ObjectSchema
  const only = { $defs: rest.$defs ?? {}, definitions: rest.definitions ?? {} }
  const schema = { ...only, type: 'object', properties: { [argument]: properties?.[argument] } } as JSONSchema
  const validation = compileSchema(schema).validate({ [argument]: value })
  return validation.ok ? null : `${validation.violations.map(({ message }) => message).join('; ')}.`
}

function conflictsIn(generic: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(generic).flatMap(([key, value]) => {
    const [, kind, argument] = /^(default|max|fixed)_(.+)$/s.exec(key) as unknown as [string, Kind, string]
    if (kind === 'fixed' && Object.hasOwn(generic, `default_${argument}`))
      return [`${key}: default_${argument} is given as well, and would never be used.`]
    const max = Object.hasOwn(generic, `max_${argument}`) ? generic[`max_${argument}`] : undefined
    if (kind !== 'max' && typeof max === 'number' && typeof value === 'number' && value > max)
      return [`${key}: ${value} is more than max_${argument}, which is ${max}.`]
    return []
  })
}

function parseOwn(tool: AnyTool, own: Record<string, unknown>): { value: unknown; errors: string[] } {
  if (tool.configSchema === undefined) {
    const errors = Object.keys(own).map((key) => `${key}: ${tool.name} has no such setting or argument.`)
    return { value: {}, errors }
  }
  const validation = compileSchema(tool.configSchema).validate(own)
  if (validation.ok) return { value: validation.value, errors: [] }
  const errors = validation.violations.map(({ path, message }) => `${path || 'The configuration'}: ${message}.`)
  return { value: {}, errors }
}

function defaultOf(tool: AnyTool, argument: string): unknown {
  return (propertiesOf(tool.inputSchema)[argument] as ObjectSchema | undefined)?.default
}

function propertiesOf(schema: JSONSchema | undefined): Record<string, JSONSchema> {
  return (typeof schema === 'object' && (schema as ObjectSchema).properties) || {}
}
