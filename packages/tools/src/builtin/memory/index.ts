import type { AnyTool } from '../../contract.ts'
import type { Memories } from '../../ports/memories.ts'
import { createMemoryReadTool } from './memory-read.ts'
import { createMemorySearchTool } from './memory-search.ts'
import { createMemoryWriteTool } from './memory-write.ts'

export function createMemoryTools(memories: Memories): AnyTool[] {
  return [createMemoryReadTool(memories), createMemoryWriteTool(memories), createMemorySearchTool(memories)]
}
