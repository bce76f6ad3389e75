// What the `memory.*` tools share.
import type { ToolContext } from '../../contract.ts'
import type { Memory, MemoryOwner } from '../../ports/memories.ts'

export const memoryCommon = { category: 'memory', groups: ['memory'] } as const

/** An attachment's setting: whose memory it is. */
export const memoryConfigSchema = {
  type: 'object',
  properties: {
    shared: {
      type: 'boolean',
      default: false,
      description: 'Whether all agents of the workspace share it; otherwise it is this agent’s own',
    },
  },
  additionalProperties: false,
} as const

export const namespaceSchema = {
  type: 'string',
  pattern: '^[A-Za-z0-9][A-Za-z0-9_.-]*(/[A-Za-z0-9][A-Za-z0-9_.-]*)*$',
  maxLength: 200,
} as const

export function ownerOf({ workspaceId, agentId, config }: ToolContext): MemoryOwner {
  return { workspaceId, agentId: config.shared === true ? null : agentId }
}

/** What strangers wrote stays theirs, also by way of a memory: whoever reads it has read them. */
export function taintBy(memories: readonly Memory[], context: ToolContext): void {
  for (const source of new Set(memories.flatMap(({ taint }) => taint))) context.taint(source)
}

export const dataOf = ({ id, namespace, content, createdAt }: Memory) => ({
  id,
  namespace,
  content,
  createdAt: createdAt.toISOString(),
})
