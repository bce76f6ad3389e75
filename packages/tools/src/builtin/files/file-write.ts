import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { quotePath, showPath } from '../../guard/paths/index.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { countOf, fileCommon, inWorkFolder, leaseOfFolder } from './work-files.ts'

/** Characters of the content on the card; all of it is in the arguments. */
const shownCharacters = 2_000

export function createFileWriteTool(folders: WorkFolders) {
  return defineTool({
    ...fileCommon,
    name: 'file.write',
    title: 'Write a file',
    description:
      'Writes a file of the work folder, over the one that was there. Folders are made as needed. ' +
      'To change a part of a file, use file.edit.',
    effect: 'write',
    hook: 'log',
    eagerInputStreaming: true,
    aliases: aliasesOf('file.write'),
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'The file, from the work folder: notes/today.md' },
        content: { type: 'string', description: 'What the file says from then on' },
        encoding: {
          enum: ['utf8', 'base64'],
          default: 'utf8',
          description: 'How content is written: utf8 for text (default), base64 for binary files',
        },
      },
      required: ['path', 'content'],
      additionalProperties: false,
    },
    leaseOf: ({ path }) => leaseOfFolder('file.write', path),
    summarize: ({ path, content, encoding }) => {
      const bytes = encoding === 'base64' ? Buffer.byteLength(content, 'base64') : Buffer.byteLength(content)
      return {
        title: `Write ${countOf(bytes, 'byte')} to ${showPath(path)}`,
        facts: [
          { label: 'File', value: quotePath(path) },
          { label: 'Content', value: shown(content) },
        ],
      }
    },
    execute: async ({ path, content, encoding }, context) => {
      const bytes = encode(content, encoding)
      if (typeof bytes === 'string') return failed(bytes)
      return inWorkFolder(folders, context, async (folder) => {
        const written = await folder.replace(path, bytes, { signal: context.signal })
        return succeeded(
          `${written.created ? 'Created' : 'Replaced'} ${showPath(written.path)} (${countOf(bytes.length, 'byte')})`,
          { data: { ...written, size: bytes.length } },
        )
      })
    },
  })
}

/** The bytes, or what is wrong with the text. */
function encode(content: string, encoding: 'utf8' | 'base64'): Buffer | string {
  if (encoding === 'base64') {
    const compact = content.replace(/\s/g, '')
    if (!/^[A-Za-z0-9+/]*={0,2}$/.test(compact) || compact.length % 4 === 1)
      return 'The content is not base64. Give base64, or leave encoding out for text.'
    return Buffer.from(compact, 'base64')
  }
  if (!content.isWellFormed())
    return 'The content has half of a surrogate pair, which is not text. Leave it out, or give encoding base64.'
  return Buffer.from(content)
}

function shown(content: string): string {
  if (content.length <= shownCharacters) return content
  return `${content.slice(0, shownCharacters).toWellFormed()}… (${content.length - shownCharacters} more characters)`
}
