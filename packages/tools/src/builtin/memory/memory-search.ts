import { aliasesOf } from '../../builtin-aliases.ts'
import { succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { Memories } from '../../ports/memories.ts'
import { dataOf, memoryCommon, memoryConfigSchema, namespaceSchema, ownerOf, taintBy } from './memory-common.ts'

export function createMemorySearchTool(memories: Memories) {
  return defineTool({
    ...memoryCommon,
    name: 'memory.search',
    title: 'Search the memory',
    description:
      'Searches the long-term memory by words and returns the notes that fit best, with when they were made.',
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    aliases: aliasesOf('memory.search'),
    configSchema: memoryConfigSchema,
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1_000, description: 'What to look for' },
        namespace: { ...namespaceSchema, description: 'Only there and under it' },
        limit: { type: 'integer', minimum: 1, maximum: 50, default: 10, description: 'How many (default 10)' },
        keywordOnly: { type: 'boolean', description: 'By words only, which is how everything is searched' },
      },
      required: ['query'],
      additionalProperties: false,
    },
    execute: async ({ query, namespace, limit }, context) => {
      const found = await memories.search(ownerOf(context), { query, limit, ...(namespace ? { namespace } : {}) })
      taintBy(found, context)
      const lines = found.map(
        ({ namespace, content, createdAt }) => `[${namespace}, ${createdAt.toISOString().slice(0, 10)}] ${content}`,
      )
      return succeeded(lines.join('\n') || 'Nothing in the memory fits.', { data: { memories: found.map(dataOf) } })
    },
  })
}
