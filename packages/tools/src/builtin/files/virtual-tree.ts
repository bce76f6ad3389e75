// What the three `vfs.*` tools share.
import type { ToolContext } from '../../contract.ts'
import type { FileTree } from '../../ports/virtual-files.ts'

export const vfsCommon = { category: 'filesystem', groups: ['fs'] } as const

/** An attachment's setting: whose files they are. */
export const treeConfigSchema = {
  type: 'object',
  properties: {
    tree: {
      enum: ['conversation', 'agent'],
      default: 'conversation',
      description: 'Whose files they are: of each conversation (default), or the agent’s own, in all its conversations',
    },
  },
  additionalProperties: false,
} as const

export function treeOf({ workspaceId, conversationId, agentId, config }: ToolContext): FileTree {
  const owner =
    config.tree === 'agent'
      ? ({ kind: 'agent', id: agentId } as const)
      : ({ kind: 'conversation', id: conversationId } as const)
  return { workspaceId, owner }
}
