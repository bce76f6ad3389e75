import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { VirtualFiles } from '../../ports/virtual-files.ts'
import { treeConfigSchema, treeOf, vfsCommon } from './virtual-tree.ts'

/** Characters of the content on the card; all of it is in the arguments. */
const shownCharacters = 2_000

export function createVfsWriteTool(files: VirtualFiles) {
  return defineTool({
    ...vfsCommon,
    name: 'vfs.write',
    title: 'Write a virtual file',
    description:
      'Writes a text file of the virtual file system, over the one that was there. Directories are made as needed.',
    effect: 'write',
    hook: 'log',
    eagerInputStreaming: true,
    aliases: aliasesOf('vfs.write'),
    configSchema: treeConfigSchema,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'The file, from the root: /output/results.json' },
        content: { type: 'string', description: 'What the file says from then on' },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    summarize: ({ path, content }) => ({
      title: `Write ${countOf(Buffer.byteLength(content), 'byte')} to ${path}`,
      facts: [
        { label: 'File', value: path },
        { label: 'Content', value: shown(content) },
      ],
    }),
    execute: async ({ path, content }, context) => {
      const bytes = new TextEncoder().encode(content)
      const written = await files.write(treeOf(context), path, bytes)
      if (!written.ok) return failed(written.problem)
      const size = bytes.byteLength
      return succeeded(`Successfully wrote ${countOf(size, 'byte')} to ${written.path}`, {
        data: { path: written.path, size, created: written.created },
      })
    },
  })
}

const countOf = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`

function shown(content: string): string {
  if (content.length <= shownCharacters) return content
  return `${content.slice(0, shownCharacters).toWellFormed()}… (${content.length - shownCharacters} more characters)`
}
