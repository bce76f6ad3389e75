// Tools as LangChain takes them, for whoever runs an agent of LangChain's with ours. They run through the executor:
// policy, record, secrets and all. `@langchain/core` is an optional peer, loaded when this is called.
import { randomUUID } from 'node:crypto'
import type { DynamicStructuredTool } from '@langchain/core/tools'
import type { AnyTool, JSONSchema } from '../contract.ts'
import type { ExecuteToolCall } from '../executor/execute-tool-call.ts'
import type { Caller, Outcome } from '../executor/outcome.ts'
import { toApiName } from '../names.ts'
import type { ToolLookup } from '../tool-lookup.ts'

export interface LangChainToolsOptions {
  registry: ToolLookup
  /** Canonical names, as the policy resolved them. */
  allowed: Iterable<string>
  execute: ExecuteToolCall
  /** Whose calls they are; asked for each call, so that taint read in one counts in the next. */
  caller: () => Caller
  /** Every outcome, before LangChain gets it: where questions are asked and taint is kept. */
  onOutcome?: (outcome: Outcome, toolCallId: string) => void
}

/** Each returns text for the model; with a tool call of LangChain's, a ToolMessage whose artifact is the outcome. */
export async function toLangChainTools(options: LangChainToolsOptions): Promise<DynamicStructuredTool[]> {
  const { registry, allowed, execute, caller, onOutcome } = options
  const [{ DynamicStructuredTool }, { ToolMessage }] = await loadLangChain()
  const tools = [...new Set(allowed)]
    .map((name) => registry.get(name))
    .filter((tool): tool is AnyTool => tool !== undefined)

  return tools.map((tool) => {
    const name = toApiName(tool.name)
    return new DynamicStructuredTool({
      name,
      description: tool.description,
      schema: withoutPatterns(tool.inputSchema) as Record<string, unknown>,
      async func(args: unknown, _runManager, config) {
        const given = (config as { toolCall?: { id?: string } } | undefined)?.toolCall?.id
        const toolCallId = given ?? randomUUID()
        const mine = caller()
        const signal = config?.signal ? joinSignals(mine.signal, config.signal) : mine.signal
        const outcome = await execute(
          { toolCallId, name: tool.name, arguments: args },
          signal ? { ...mine, signal } : mine,
        )
        onOutcome?.(outcome, toolCallId)
        const content = describeOutcome(outcome)
        if (given === undefined) return content
        const status = outcome.kind === 'finished' && outcome.success ? 'success' : 'error'
        return new ToolMessage({ content, status, tool_call_id: given, name, artifact: outcome })
      },
    })
  })
}

/** What the model reads. A failure begins with what went wrong, and the output so far follows. */
export function describeOutcome(outcome: Outcome): string {
  switch (outcome.kind) {
    case 'ask':
      return `Tool '${outcome.tool}' was not run: a person has to approve it first.`
    case 'suspended':
      return `Tool '${outcome.tool}' waits for an answer: ${outcome.question.title}`
    case 'delegated':
      return `Tool '${outcome.tool}' waits for others: ${outcome.tasks.map(({ title }) => title).join(', ')}`
    case 'finished': {
      const parts = outcome.success ? [outcome.output] : [`Error: ${outcome.error}`, outcome.output]
      return [...parts, ...outcome.warnings.map((warning) => `Warning: ${warning}`)]
        .filter((part) => part !== '')
        .join('\n\n')
    }
  }
}

async function loadLangChain() {
  try {
    // The comments keep the console's bundler from looking for a package that need not be there.
    return await Promise.all([
      import(/* webpackIgnore: true */ /* turbopackIgnore: true */ '@langchain/core/tools'),
      import(/* webpackIgnore: true */ /* turbopackIgnore: true */ '@langchain/core/messages'),
    ])
  } catch (cause) {
    throw new Error('LangChain tools need the package @langchain/core. Install it: npm install @langchain/core', {
      cause,
    })
  }
}

const joinSignals = (ours: AbortSignal | undefined, theirs: AbortSignal): AbortSignal =>
  ours ? AbortSignal.any([ours, theirs]) : theirs

/**
 * LangChain checks arguments itself, with JavaScript's regular expressions, which a pattern of a stranger's tool can
 * hang. The model reads the pattern in the description instead; the executor checks it, in linear time.
 */
function withoutPatterns(schema: JSONSchema): JSONSchema {
  if (Array.isArray(schema)) return schema.map(withoutPatterns) as unknown as JSONSchema
  if (typeof schema !== 'object' || schema === null) return schema
  const copy: Record<string, unknown> = {}
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === 'patternProperties' || (keyword === 'pattern' && typeof value === 'string')) continue
    const plain = keyword === 'properties' || keyword === '$defs' || keyword === 'definitions'
    copy[keyword] = plain
      ? mapValues(value as Record<string, JSONSchema>, withoutPatterns)
      : isLiteral(keyword)
        ? value
        : withoutPatterns(value as JSONSchema)
  }
  if (typeof schema.pattern === 'string') {
    copy.description = [schema.description, `Matches ${schema.pattern}`].filter(Boolean).join(' ')
  }
  return copy
}

const isLiteral = (keyword: string): boolean => ['enum', 'const', 'default', 'examples', 'required'].includes(keyword)

const mapValues = (values: Record<string, JSONSchema>, map: (value: JSONSchema) => JSONSchema) =>
  Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value)]))
