import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { VirtualFiles } from '../../ports/virtual-files.ts'
import { treeConfigSchema, treeOf, vfsCommon } from './virtual-tree.ts'

export function createVfsReadTool(files: VirtualFiles) {
  return defineTool({
    ...vfsCommon,
    name: 'vfs.read',
    title: 'Read a virtual file',
    description:
      'Reads a text file of the virtual file system, which belongs to this conversation and not to any computer.',
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    eagerInputStreaming: true,
    aliases: aliasesOf('vfs.read'),
    configSchema: treeConfigSchema,
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', minLength: 1, description: 'The file, from the root: /data/report.txt' } },
      required: ['path'],
      additionalProperties: false,
    },
    execute: async ({ path }, context) => {
      const read = await files.read(treeOf(context), path)
      if (!read.ok) return failed(read.problem)
      try {
        return succeeded(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(read.content))
      } catch {
        return failed(`${read.path} is not text: its ${read.content.byteLength} bytes are not UTF-8.`)
      }
    },
  })
}
