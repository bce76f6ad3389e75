import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { Memories } from '../../ports/memories.ts'
import { memoryCommon, memoryConfigSchema, namespaceSchema, ownerOf } from './memory-common.ts'

export function createMemoryWriteTool(memories: Memories) {
  return defineTool({
    ...memoryCommon,
    name: 'memory.write',
    title: 'Note in the memory',
    description:
      'Notes something in a namespace of the long-term memory, for later conversations. What is noted there already is not noted twice.',
    effect: 'write',
    hook: 'log',
    // The same note once more is the one that is there; a replacement leaves the same behind.
    idempotent: true,
    eagerInputStreaming: true,
    aliases: aliasesOf('memory.write'),
    configSchema: memoryConfigSchema,
    inputSchema: {
      type: 'object',
      properties: {
        namespace: {
          ...namespaceSchema,
          description: 'knowledge, methods, project-state, learnings, or one of your own such as projects/apollo',
        },
        content: { type: 'string', maxLength: 20_000, description: 'What to note' },
        mode: {
          enum: ['append', 'replace'],
          default: 'append',
          description: 'append (default), or replace all that is noted in the namespace; with empty content: forget it',
        },
      },
      required: ['namespace', 'content'],
      additionalProperties: false,
    },
    summarize: ({ namespace, content, mode }) => ({
      title: mode === 'replace' ? `Replace what is noted in ${namespace}` : `Note something in ${namespace}`,
      facts: [{ label: 'Note', value: content || '(nothing: what is there is forgotten)' }],
    }),
    execute: async ({ namespace, content, mode }, context) => {
      const { conversationId } = context
      if (!content.trim() && mode === 'append') return failed('There is nothing to note: the content is empty.')
      const note = { namespace, content: content.trim(), mode, conversationId }
      const written = await memories.write(ownerOf(context), note)
      if (!written.ok) return failed(written.problem)
      const { noted, forgotten } = written
      const before = forgotten ? ` ${forgotten} earlier ${forgotten === 1 ? 'note was' : 'notes were'} forgotten.` : ''
      const done = noted ? `Noted in ${namespace}.` : content.trim() ? `That is in ${namespace} already.` : 'Forgotten.'
      return succeeded(`${done}${before}`, { data: { namespace, noted, forgotten } })
    },
  })
}
