// Whether a tool's definition is one. Tools come out of TypeScript, but also out of manifests and MCP servers.
import type { AnyTool, JSONSchema } from './contract.ts'
import { problemOfName } from './names.ts'
import { compileSchema } from './validate.ts'

const effects: readonly unknown[] = ['read', 'write', 'execute', 'send']
const hooks: readonly unknown[] = ['confirm', 'log', 'silent', undefined]

/** What is wrong with it, as a sentence; null where nothing is. */
export function problemOfDefinition(tool: AnyTool): string | null {
  if (typeof tool !== 'object' || tool === null) return 'A tool is an object.'
  return (
    problemOfName(tool.name) ??
    problemOfTexts(tool) ??
    problemOfBehaviour(tool) ??
    problemOfLists(tool) ??
    problemOfInput(tool.inputSchema) ??
    problemOfSchema('outputSchema', tool.outputSchema) ??
    problemOfSchema('configSchema', tool.configSchema)
  )
}

function problemOfTexts(tool: AnyTool): string | null {
  for (const key of ['title', 'description', 'category'] as const)
    if (typeof tool[key] !== 'string' || tool[key].trim() === '') return `It has no ${key}.`
  return null
}

function problemOfBehaviour(tool: AnyTool): string | null {
  if (!effects.includes(tool.effect))
    return `Its effect is ${String(tool.effect)}, and not read, write, execute or send.`
  if (!hooks.includes(tool.hook)) return `Its hook is ${String(tool.hook)}, and not confirm, log or silent.`
  if (typeof tool.execute !== 'function') return 'It has no execute function.'
  for (const key of ['resume', 'complete', 'summarize', 'leaseOf', 'effectOf'] as const)
    if (tool[key] !== undefined && typeof tool[key] !== 'function') return `Its ${key} is not a function.`
  for (const key of ['timeoutMs', 'maxOutputBytes'] as const)
    if (tool[key] !== undefined && !isPositive(tool[key])) return `Its ${key} is not a positive number.`
  if (tool.rateLimit && !(isPositive(tool.rateLimit.calls) && isPositive(tool.rateLimit.perMs)))
    return 'Its rateLimit is not a positive number of calls in a positive number of milliseconds.'
  return null
}

function problemOfLists(tool: AnyTool): string | null {
  for (const key of ['groups', 'requiredSecretScopes', 'completes'] as const)
    if (tool[key] !== undefined && !isListOf(tool[key], (entry) => typeof entry === 'string' && entry !== ''))
      return `Its ${key} is not a list of names.`
  if (tool.aliases === undefined) return null
  if (!Array.isArray(tool.aliases)) return 'Its aliases are not a list.'
  // A server that calls its tool `bash` as well would be asked for what the model thinks is ours.
  if (tool.aliases.length > 0 && tool.name.startsWith('mcp:')) return 'An MCP tool has no aliases.'
  const seen = new Set<unknown>()
  for (const alias of tool.aliases) {
    const problem = problemOfName(alias?.name)
    if (problem) return `An alias is wrong: ${problem}`
    if (seen.has(alias.name)) return `It has the alias ${alias.name} twice.`
    seen.add(alias.name)
  }
  return null
}

function problemOfInput(schema: JSONSchema): string | null {
  if (typeof schema !== 'object' || schema === null || schema.type !== 'object')
    return 'Its inputSchema is not the schema of an object: it needs "type": "object".'
  return problemOfSchema('inputSchema', schema)
}

function problemOfSchema(key: string, schema: JSONSchema | undefined): string | null {
  if (schema === undefined) return null
  try {
    compileSchema(schema)
    return null
  } catch (error) {
    return `Its ${key} is wrong. ${(error as Error).message}`
  }
}

const isPositive = (value: unknown) => typeof value === 'number' && Number.isFinite(value) && value > 0
const isListOf = (list: unknown, test: (entry: unknown) => boolean) => Array.isArray(list) && list.every(test)
