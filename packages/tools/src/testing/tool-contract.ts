// What holds for every tool. Each builtin's test calls `describeToolContract` with arguments that are valid for it:
//
//   describeToolContract(fileReadTool, { validArguments: { path: 'notes.md' }, context: { … } })
import { isDeepStrictEqual } from 'node:util'
import { describe, test } from 'vitest'
import { applyAlias } from '../aliases.ts'
import { problemOfDefinition } from '../check-definition.ts'
import { type AnyTool, type Effect, isSuspension, type ToolContext } from '../contract.ts'
import { fromApiName, toApiName } from '../names.ts'
import { compileSchema } from '../validate.ts'
import { sampleContext } from './sample-tools.ts'

export interface ToolContractOptions {
  /** The tool is called with them: give it a folder, a server or a store that may be used up. */
  validArguments: Readonly<Record<string, unknown>>
  /** More that must be refused, beyond what follows from the schema. */
  invalidArguments?: readonly unknown[]
  context?: Partial<ToolContext>
  /** False for a tool that cannot be called with them alone; then only what it declares is looked at. */
  executes?: boolean
}

type Check = (tool: AnyTool, options: ToolContractOptions) => void | Promise<void>

const abortMs = 1_000

/** By the sentence that it guarantees. Each throws where it does not hold. */
export const toolContract: Readonly<Record<string, Check>> = {
  'is a definition that the registry takes, with the schema of an object': (tool) => {
    const problem = problemOfDefinition(tool)
    if (problem) throw new Error(problem)
  },

  'tells the model what it does and what every argument means': (tool) => {
    for (const [path, schema] of propertiesOf(tool.inputSchema)) {
      const described = typeof schema === 'object' && schema !== null && 'description' in schema && schema.description
      if (typeof described !== 'string' || described.trim() === '') throw new Error(`${path} has no description`)
    }
    if (tool.description.length < 10) throw new Error('the description says nothing')
  },

  'has a name that the model API takes, read back to the same tool, and no alias twice': (tool) => {
    const apiName = toApiName(tool.name)
    if (!/^[A-Za-z0-9_-]{1,64}$/.test(apiName)) throw new Error(`${apiName} is no API name`)
    if (fromApiName(apiName) !== tool.name) throw new Error(`${tool.name} is too long to be read back from ${apiName}`)
    const names = [tool.name, apiName, ...(tool.aliases ?? []).map(({ name }) => name)]
    const others = new Set(names.slice(1))
    if (tool.name === apiName) others.delete(apiName)
    if (others.has(tool.name)) throw new Error(`${tool.name} is also its alias`)
    if ((tool.aliases?.length ?? 0) !== new Set(names.slice(2)).size) throw new Error('an alias is there twice')
  },

  'declares its effect, for each call as well': (tool, { validArguments }) => {
    const known: readonly unknown[] = ['read', 'write', 'execute', 'send'] satisfies Effect[]
    if (!known.includes(tool.effect)) throw new Error(`the effect ${String(tool.effect)} is unknown`)
    const effect = tool.effectOf ? tool.effectOf(accepted(tool, validArguments)) : tool.effect
    if (!known.includes(effect)) throw new Error(`the effect of a call, ${String(effect)}, is unknown`)
  },

  'renders a summary of a call, the same each time, without touching the arguments': (tool, { validArguments }) => {
    if (!tool.summarize) return
    const args = accepted(tool, validArguments)
    const before = structuredClone(args)
    const summary = tool.summarize(args)
    if (typeof summary?.title !== 'string' || summary.title.trim() === '') throw new Error('the summary has no title')
    if (summary.title.includes('\n')) throw new Error("the summary's title has more than one line")
    if (!isDeepStrictEqual(tool.summarize(args), summary)) throw new Error('the summary differs the second time')
    if (!isDeepStrictEqual(args, before)) throw new Error('the summary changed the arguments')
  },

  'accepts valid arguments': (tool, { validArguments }) => {
    accepted(tool, validArguments)
  },

  'refuses bad arguments: missing, of another type, no object at all': (tool, { validArguments, invalidArguments }) => {
    const schema = compileSchema(tool.inputSchema)
    const refuse = (args: unknown, what: string) => {
      if (schema.validate(args).ok) throw new Error(`${what} is accepted`)
    }
    for (const args of [null, 'text', 42, []]) refuse(args, JSON.stringify(args))
    for (const [index, args] of (invalidArguments ?? []).entries()) refuse(args, `invalidArguments[${index}]`)
    const { required = [], properties = {} } = tool.inputSchema as { required?: string[]; properties?: object }
    for (const name of required) {
      const { [name]: _, ...others } = validArguments
      refuse(others, `a call without ${name}`)
    }
    for (const name of Object.keys(properties)) {
      const wrong = [null, 42.5, 'text', [], {}, true].filter(
        (value) => !schema.validate({ ...validArguments, [name]: value }).ok,
      )
      if (wrong.length === 0) throw new Error(`${name} accepts anything`)
    }
  },

  'takes the arguments of every system it has an alias of': (tool, { validArguments }) => {
    const properties = (tool.inputSchema as { properties?: object }).properties ?? {}
    for (const alias of tool.aliases ?? []) {
      const mapping = Object.entries(alias.arguments ?? {})
      for (const name of [...mapping.map(([, ours]) => ours), ...Object.keys(alias.defaults ?? {})])
        if (!Object.hasOwn(properties, name)) throw new Error(`${alias.name} maps to ${name}, which is no argument`)
      const theirNames = new Map(mapping.map(([theirs, ours]) => [ours, theirs]))
      const theirs = Object.entries(validArguments).map(([name, value]) => [theirNames.get(name) ?? name, value])
      const mapped = applyAlias(alias, Object.fromEntries(theirs))
      if (!mapped.ok) throw new Error(mapped.error)
      accepted(tool, mapped.arguments)
    }
  },

  'ends a call with a result, or with a question that it can resume from': async (tool, options) => {
    if (options.executes === false) return
    const result = await within(10_000, call(tool, options, new AbortController().signal))
    if (typeof result !== 'object' || result === null) throw new Error('it returned nothing')
    if (isSuspension(result)) {
      if (!tool.resume) throw new Error('it asks, and has no resume')
      return
    }
    if (typeof result.success !== 'boolean') throw new Error('success is not a boolean')
    if (typeof result.output !== 'string') throw new Error('output is not a string')
    if (!result.success && !result.error?.trim()) throw new Error('it failed without an error')
    if (tool.outputSchema !== undefined && result.success && result.data !== undefined) {
      if (!compileSchema(tool.outputSchema).validate(result.data).ok) throw new Error('data does not fit outputSchema')
    }
  },

  'ends within a second when it is stopped, before or during its work': async (tool, options) => {
    if (options.executes === false) return
    for (const delay of [null, 20]) {
      const controller = new AbortController()
      if (delay === null) controller.abort(new Error('stopped'))
      else setTimeout(() => controller.abort(new Error('stopped')), delay)
      // How it ends does not matter: the executor knows that it was stopped.
      const ended = call(tool, options, controller.signal).catch(() => {})
      await within(abortMs + (delay ?? 0), ended)
    }
  },
}

export function describeToolContract(tool: AnyTool, options: ToolContractOptions): void {
  describe(`${tool.name} as a tool`, () => {
    for (const [sentence, check] of Object.entries(toolContract)) test(sentence, () => check(tool, options))
  })
}

function accepted(tool: AnyTool, args: unknown): unknown {
  const validation = compileSchema(tool.inputSchema).validate(args)
  if (!validation.ok) throw new Error(`${validation.violations[0]?.path} ${validation.violations[0]?.message}`)
  return validation.value
}

async function call(tool: AnyTool, { validArguments, context }: ToolContractOptions, signal: AbortSignal) {
  return tool.execute(accepted(tool, validArguments), sampleContext({ ...context, signal }))
}

async function within<Result>(ms: number, work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it did not end within ${ms} ms`)), ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

/** Every property of an object schema, and of the objects and items in it. */
function propertiesOf(schema: unknown, path = ''): [path: string, schema: unknown][] {
  if (typeof schema !== 'object' || schema === null) return []
  const { properties, items } = schema as { properties?: Record<string, unknown>; items?: unknown }
  const own = Object.entries(properties ?? {}).flatMap(([name, inner]): [string, unknown][] => {
    const at = path === '' ? name : `${path}.${name}`
    return [[at, inner], ...propertiesOf(inner, at)]
  })
  return [...own, ...propertiesOf(items, `${path}[]`)]
}
