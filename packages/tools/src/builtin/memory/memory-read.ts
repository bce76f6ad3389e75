import { aliasesOf } from '../../builtin-aliases.ts'
import { succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { Memories } from '../../ports/memories.ts'
import { dataOf, memoryCommon, memoryConfigSchema, namespaceSchema, ownerOf, taintBy } from './memory-common.ts'

export function createMemoryReadTool(memories: Memories) {
  return defineTool({
    ...memoryCommon,
    name: 'memory.read',
    title: 'Read the memory',
    description:
      'Returns what was noted in a namespace of the long-term memory: knowledge, methods, project-state, learnings, or one of your own such as projects/apollo.',
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    eagerInputStreaming: true,
    aliases: aliasesOf('memory.read'),
    configSchema: memoryConfigSchema,
    inputSchema: {
      type: 'object',
      properties: {
        namespace: { ...namespaceSchema, description: 'The namespace, e.g. knowledge or projects/apollo' },
      },
      required: ['namespace'],
      additionalProperties: false,
    },
    execute: async ({ namespace }, context) => {
      const { memories: found, more, nested } = await memories.read(ownerOf(context), namespace)
      taintBy(found, context)
      const lines = found.map(({ content }) => content)
      if (more) lines.unshift('[Older notes are left out; search for them.]')
      if (nested.length) lines.push(`[Under it: ${nested.join(', ')}]`)
      return succeeded(lines.join('\n') || `Nothing is noted in ${namespace}.`, {
        data: { memories: found.map(dataOf), more, nested },
      })
    },
  })
}
