import { aliasesOf } from '../../builtin-aliases.ts'
import { succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { quotePath, showPath, type TreeEntry, type WorkFolder, walkTree } from '../../guard/paths/index.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { closedFolders, fileCommon, fileLimits, inWorkFolder } from './work-files.ts'

export interface ListedEntry {
  kind: 'file' | 'directory' | 'link' | 'other'
  path: string
  size?: number
  target?: string
}

export function createFileListTool(folders: WorkFolders) {
  return defineTool({
    ...fileCommon,
    name: 'file.list',
    title: 'List files',
    description:
      'Lists what is in a folder of the work folder; recursive for everything below it, where .git and node_modules ' +
      'are named but not entered. Names with special characters are shown as JSON strings.',
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    aliases: aliasesOf('file.list'),
    inputSchema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1, default: '.', description: 'The folder (default: the work folder)' },
        recursive: { type: 'boolean', default: false, description: 'Everything below it as well (default false)' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 5_000,
          default: fileLimits.listEntries,
          description: `How many entries (default ${fileLimits.listEntries})`,
        },
        after: { type: 'string', description: 'For the next page of a long list: the last path of the page before' },
      },
      additionalProperties: false,
    },
    execute: async ({ path, recursive, limit, after }, context) =>
      inWorkFolder(folders, context, (work) => list(work, { path, recursive, limit, after, signal: context.signal })),
  })
}

interface Listing {
  path: string
  recursive: boolean
  limit: number
  after?: string
  signal: AbortSignal
}

async function list(work: WorkFolder, { path, recursive, limit, after, signal }: Listing) {
  return work.folder(path, async (folder, found) => {
    const entries: ListedEntry[] = []
    const lines: string[] = []
    const skipped: string[] = []
    // A folder is entered where the last path of the page before may be in it.
    const enter = (inner: string, name: string) =>
      recursive && !closedFolders.has(name) && (after === undefined || !isBefore(inner, after) || isIn(after, inner))
    let more = false
    for await (const entry of walkTree(folder, { signal, enter, skipped: ({ message }) => skipped.push(message) })) {
      if (after !== undefined && !isBefore(after, entry.path)) continue
      if (entries.length === limit) {
        more = true
        break
      }
      const listed = await describe(entry)
      if (!listed) continue
      entries.push(listed)
      lines.push(lineOf(listed, entry))
    }
    if (entries.length === 0) lines.push(after === undefined ? '(empty)' : '(no more)')
    const last = entries.at(-1)
    if (more && last) lines.push(`There is more: list again with after ${JSON.stringify(last.path)}.`)
    lines.push(...skipped.slice(0, 10).map((message) => `(not listed) ${message}`))
    return succeeded([`Contents of ${showPath(found)}:`, ...lines].join('\n'), { data: { path: found, entries, more } })
  })
}

async function describe({ folder, name, kind, path, reachable }: TreeEntry): Promise<ListedEntry | null> {
  if (kind === 'folder') return { kind: 'directory', path }
  if (!reachable) return { kind: kind === 'file' ? 'file' : 'other', path }
  if (kind === 'link') return { kind: 'link', path, target: (await folder.readLink(name)) ?? '' }
  const held = await folder.look(name)
  if (!held) return kind === 'file' ? null : { kind: 'other', path }
  await held.close()
  return kind === 'file' ? { kind, path, size: held.stat.size } : { kind: 'other', path }
}

// Padded, so that the paths stand in one column.
function lineOf({ kind, path, size, target }: ListedEntry, { closed, reachable, kind: exact }: TreeEntry): string {
  const shown = quotePath(path)
  if (!reachable) return `[${kind === 'directory' ? 'DIR' : 'FILE'}] ${shown} (the name is not UTF-8: not usable here)`
  if (kind === 'directory') return `[DIR]  ${shown}/${closed && isClosedName(path) ? ' (list it to see inside)' : ''}`
  if (kind === 'link') return `[LINK] ${shown} -> ${quotePath(target ?? '')}`
  return kind === 'file' ? `[FILE] ${shown} (${size} bytes)` : `[${exact.toUpperCase()}] ${shown}`
}

const isClosedName = (path: string) => closedFolders.has(path.slice(path.lastIndexOf('/') + 1))

const isIn = (path: string, folder: string) => path.startsWith(`${folder}/`)

/** In the order of the walk: name by name, a folder before what is in it. */
function isBefore(a: string, b: string): boolean {
  const [left, right] = [a.split('/'), b.split('/')]
  for (let at = 0; at < Math.min(left.length, right.length); at++)
    if (left[at] !== right[at]) return left[at]! < right[at]!
  return left.length < right.length
}
