import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { FileEntry, VirtualFiles } from '../../ports/virtual-files.ts'
import { treeConfigSchema, treeOf, vfsCommon } from './virtual-tree.ts'

export function createVfsListTool(files: VirtualFiles) {
  return defineTool({
    ...vfsCommon,
    name: 'vfs.list',
    title: 'List virtual files',
    description: 'Lists the files and directories that are directly in a directory of the virtual file system.',
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    eagerInputStreaming: true,
    aliases: aliasesOf('vfs.list'),
    configSchema: treeConfigSchema,
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, default: '/', description: 'The directory (default: the root, /)' },
        after: { type: 'string', description: 'For the next page of a long list: the last path of the page before' },
      },
      additionalProperties: false,
    },
    execute: async ({ path, after }, context) => {
      const listed = await files.list(treeOf(context), path, after === undefined ? {} : { after })
      if (!listed.ok) return failed(listed.problem)
      const { entries, more } = listed
      const lines = entries.length > 0 ? entries.map(lineOf) : [after === undefined ? '(empty)' : '(no more)']
      const last = entries.at(-1)
      if (more && last) lines.push(`There is more: list again with after ${JSON.stringify(last.path)}.`)
      return succeeded([`Contents of ${listed.path}:`, ...lines].join('\n'), { data: { entries, more } })
    },
  })
}

// Padded by a space, so that the paths stand in one column.
const lineOf = ({ kind, path, size }: FileEntry): string =>
  kind === 'directory' ? `[DIR]  ${path}` : `[FILE] ${path} (${size} bytes)`
