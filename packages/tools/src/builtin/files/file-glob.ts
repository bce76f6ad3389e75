import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { PathProblem, quotePath, showPath, type WorkFolder, walkTree } from '../../guard/paths/index.ts'
import { LinearRegExp } from '../../linear-regexp.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { globToRegExp, splitGlob } from './glob-pattern.ts'
import { closedFolders, countOf, fileCommon, fileLimits, inWorkFolder } from './work-files.ts'

export function createFileGlobTool(folders: WorkFolders) {
  return defineTool({
    ...fileCommon,
    name: 'file.glob',
    title: 'Find files by name',
    description:
      'Finds files of the work folder by a pattern: * and ? within a name, ** across folders, [a-z], {ts,tsx}. ' +
      '.git and node_modules are looked into only when the pattern names them.',
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    aliases: aliasesOf('file.glob'),
    inputSchema: {
      type: 'object',
      properties: {
        pattern: { type: 'string', minLength: 1, description: 'The pattern: **/*.js, src/**/*.test.ts' },
        path: { type: 'string', minLength: 1, default: '.', description: 'The folder (default: the work folder)' },
        limit: {
          type: 'integer',
          minimum: 1,
          maximum: 5_000,
          default: fileLimits.listEntries,
          description: `How many files (default ${fileLimits.listEntries})`,
        },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    execute: async ({ pattern, path, limit }, context) =>
      inWorkFolder(folders, context, async (work) => {
        const relative = pattern.startsWith(`${work.path}/`) ? pattern.slice(work.path.length + 1) : pattern
        const trimmed = relative.replace(/^(?:\.\/+)+/, '')
        if (trimmed.startsWith('/') || trimmed.split('/').includes('..'))
          return failed(
            `The pattern ${showPath(pattern)} leads out of the work folder. Begin it at the folder: **/*.js`,
          )
        let matcher: Matcher
        try {
          matcher = createMatcher(trimmed)
        } catch (error) {
          return failed((error as Error).message)
        }
        const found = await find(work, path, matcher, limit, context.signal)
        return describe(found, pattern, limit)
      }),
  })
}

interface Matcher {
  folder: string
  matches(path: string): boolean
  /** Folders below `folder` that the pattern can reach. */
  depth: number
  names: string
}

function createMatcher(glob: string): Matcher {
  const { folder, rest } = splitGlob(glob)
  const expression = new LinearRegExp(globToRegExp(rest))
  const isDeep = rest.includes('**') || /\{[^}]*\//.test(rest)
  return {
    folder,
    matches: (path) => expression.test(path),
    depth: isDeep ? Number.POSITIVE_INFINITY : rest.split('/').length,
    names: glob,
  }
}

interface Found {
  paths: string[]
  more: boolean
  /** Whether the walk ended before it saw everything. */
  partial: boolean
}

async function find(
  work: WorkFolder,
  path: string,
  matcher: Matcher,
  limit: number,
  signal: AbortSignal,
): Promise<Found> {
  // The folder that was asked for must be there; one that the pattern names may be missing.
  await work.folder(path, async () => {})
  const found: Found = { paths: [], more: false, partial: false }
  try {
    await work.folder(matcher.folder === '' ? path : `${path}/${matcher.folder}`, async (folder) => {
      const { length } = folder.names
      const enter = (inner: string, name: string) =>
        inner.split('/').length - length < matcher.depth && (!closedFolders.has(name) || matcher.names.includes(name))
      let seen = 0
      for await (const entry of walkTree(folder, { signal, enter })) {
        if (++seen > fileLimits.walkEntries) {
          found.partial = true
          return
        }
        if (entry.kind === 'folder' || !entry.reachable) continue
        if (!matcher.matches(entry.path.split('/').slice(length).join('/'))) continue
        if (found.paths.length === limit) {
          found.more = true
          return
        }
        found.paths.push(entry.path)
      }
    })
  } catch (error) {
    if (!(error instanceof PathProblem && (error.code === 'missing' || error.code === 'not-a-folder'))) throw error
  }
  return found
}

function describe({ paths, more, partial }: Found, pattern: string, limit: number) {
  const data = { paths, more: more || partial }
  const lines = paths.map(quotePath)
  if (more) lines.push(`(There are more than ${countOf(limit, 'file')}: use a narrower pattern or path.)`)
  if (partial) lines.push('(Not everything was looked at: use a narrower path.)')
  if (lines.length > 0) return succeeded(lines.join('\n'), { data })
  const hint = pattern.includes('**') ? '' : ` For all folders below, write **/${pattern.split('/').at(-1)}.`
  return succeeded(`No file matches ${showPath(pattern)}.${hint}`, { data })
}
