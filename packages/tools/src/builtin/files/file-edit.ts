import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { quotePath, showPath } from '../../guard/paths/index.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { explainNotFound, replaceText } from './replace-text.ts'
import { countOf, decodeText, fileCommon, fileLimits, inWorkFolder, leaseOfFolder, sizeOf } from './work-files.ts'

/** Lines that are named where a text is found more than once. */
const linesNamed = 10

export function createFileEditTool(folders: WorkFolders) {
  return defineTool({
    ...fileCommon,
    name: 'file.edit',
    title: 'Edit a file',
    description:
      'Replaces a text in a file of the work folder by another. The text must be there exactly once, ' +
      'white space included; with replace_all, every occurrence is replaced.',
    effect: 'write',
    hook: 'log',
    aliases: aliasesOf('file.edit'),
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, description: 'The file, from the work folder: src/main.ts' },
        search: { type: 'string', minLength: 1, description: 'The text that is there, exactly' },
        replace: { type: 'string', description: 'The text that takes its place' },
        replace_all: { type: 'boolean', default: false, description: 'Replace every occurrence (default false)' },
      },
      required: ['path', 'search', 'replace'],
      additionalProperties: false,
    },
    leaseOf: ({ path }) => leaseOfFolder('file.edit', path),
    summarize: ({ path, search, replace, replace_all }) => ({
      title: `Edit ${showPath(path)}${replace_all ? ' wherever the text is found' : ''}`,
      diff: { path: quotePath(path), before: search, after: replace },
    }),
    execute: async ({ path, search, replace, replace_all }, context) => {
      if (search === replace) return failed('search and replace are the same: nothing would change.')
      if (!replace.isWellFormed()) return failed('replace has half of a surrogate pair, which is not text.')
      return inWorkFolder(folders, context, async (folder) => {
        const file = await folder.file(path, async ({ handle, stat, path: found }) => ({
          stat,
          path: found,
          bytes: stat.size > fileLimits.editBytes ? null : await handle.readFile(),
        }))
        const shown = showPath(file.path)
        if (file.bytes === null)
          return failed(
            `${shown} has ${sizeOf(file.stat.size)}; at most ${sizeOf(fileLimits.editBytes)} can be edited. ` +
              'Use shell.exec (sed).',
          )
        const text = decodeText(file.bytes)
        if (text === null) return failed(`${shown} is not text (UTF-8), so it cannot be edited.`)
        const replaced = replaceText(text, search, replace)
        if (!replaced) return failed(`The text is not in ${shown}. ${explainNotFound(text, search)}`)
        const { lines } = replaced
        if (lines.length > 1 && !replace_all)
          return failed(
            `The text is in ${shown} ${lines.length} times (${linesOf(lines)}). ` +
              'Give more of what is around it, or replace_all.',
          )
        context.signal.throwIfAborted()
        await folder.replace(file.path, Buffer.from(replaced.text), { expected: file.stat, signal: context.signal })
        return succeeded(`Replaced ${countOf(lines.length, 'occurrence')} in ${shown} (${linesOf(lines)})`, {
          data: { path: file.path, replacements: lines.length },
        })
      })
    },
  })
}

function linesOf(lines: readonly number[]): string {
  const named = lines.slice(0, linesNamed).join(', ')
  return `line${lines.length === 1 ? '' : 's'} ${named}${lines.length > linesNamed ? ', …' : ''}`
}
