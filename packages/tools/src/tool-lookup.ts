// What can be asked of a registry, and of a view of one.
import type { Alias, AnyTool, JSONSchema, Suspension, ToolContext, ToolResult } from './contract.ts'
import { toApiName } from './names.ts'
import type { Policy } from './policy/policy.ts'

export interface Found {
  tool: AnyTool
  /** Set where it was found by another system's name: its arguments are theirs. */
  alias: Alias | null
}

export interface FindOptions {
  /** The agent's attached tools, by canonical name: of two tools with one alias, the attached one is meant. */
  attached?: { has(name: string): boolean }
}

/** nodyn's view of a tool. The handler is the bare tool: only the executor checks policy, arguments and secrets. */
export interface ToolEntry {
  definition: { name: string; description: string; input_schema: JSONSchema; eager_input_streaming: boolean }
  handler(args: unknown, context: ToolContext): Promise<ToolResult | Suspension>
}

export interface ToolLookup {
  /** Grows with every change: what was worked out for one version holds until the next. */
  readonly version: number
  get(name: string): AnyTool | undefined
  getByApiName(apiName: string): AnyTool | undefined
  has(name: string): boolean
  /** In the order of registration. */
  list(): readonly AnyTool[]
  /** By canonical name, API name or alias, in this order. */
  find(name: string, options?: FindOptions): Found | undefined
  getEntries(): ToolEntry[]
  getPolicy(): Policy | undefined
  /** Only what is in scope, now and later. A view of a view narrows it further. */
  scopedView(scope: ToolScope): ToolLookup
}

/** Names, aliases, `file.*`, `group:fs`, `*`: as in policies. Denied wins; without `allowedTools`, everything else is in. */
export interface ToolScope {
  allowedTools?: readonly string[]
  deniedTools?: readonly string[]
}

export function toEntry(tool: AnyTool): ToolEntry {
  return {
    definition: {
      name: toApiName(tool.name),
      description: tool.description,
      input_schema: tool.inputSchema,
      eager_input_streaming: tool.eagerInputStreaming ?? false,
    },
    handler: (args, context) => tool.execute(args, context),
  }
}
