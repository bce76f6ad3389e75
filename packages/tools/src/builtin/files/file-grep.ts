import { rgPath } from '@vscode/ripgrep'
import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded, type ToolResult } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { showPath } from '../../guard/paths/index.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { type Sandbox, SandboxProblem } from '../../sandbox/sandbox.ts'
import { renderGrep } from './grep-output.ts'
import { fileCommon, fileLimits, inWorkFolder } from './work-files.ts'

/**
 * ripgrep walks by path, so a folder that is swapped for a link in mid-search would lead it out of the work folder. It
 * runs in the sandbox, where there is nothing to be led to.
 */
export function createFileGrepTool(folders: WorkFolders, sandbox: Sandbox) {
  return defineTool({
    ...fileCommon,
    name: 'file.grep',
    title: 'Search in files',
    description:
      'Searches the files of the work folder for a regular expression (ripgrep). Files that .gitignore names and binary ' +
      'files are left out.',
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    timeoutMs: fileLimits.grepMs + 5_000,
    maxOutputBytes: 2 * fileLimits.grepBytes,
    aliases: aliasesOf('file.grep'),
    inputSchema: {
      type: 'object',
      properties: {
        pattern: { type: 'string', minLength: 1, description: 'The regular expression: function.*Auth' },
        path: {
          type: 'string',
          minLength: 1,
          default: '.',
          description: 'The folder or file to search (default: the work folder)',
        },
        glob: { type: 'string', minLength: 1, description: 'Only files that match: *.js, src/**/*.ts, !*.min.js' },
        type: { type: 'string', minLength: 1, description: 'Only files of this type: js, py, rust …' },
        output_mode: {
          enum: ['content', 'files_with_matches', 'count'],
          default: 'files_with_matches',
          description: 'The lines, the files that have them (default), or how many each has',
        },
        ignore_case: { type: 'boolean', default: false, description: 'Capital letters do not matter (default false)' },
        context: {
          type: 'integer',
          minimum: 0,
          maximum: 20,
          default: 0,
          description: 'Lines before and after each, with output_mode content (default 0)',
        },
        multiline: {
          type: 'boolean',
          default: false,
          description: 'The pattern may match across lines (default false)',
        },
      },
      required: ['pattern'],
      additionalProperties: false,
    },
    execute: async (args, context) =>
      inWorkFolder(folders, context, async (work) => {
        // What the path leads to by itself, so that ripgrep is given no link to follow.
        const target = await work.place(args.path, async (place) => ({ kind: place.kind, path: place.path }))
        if (target.kind === 'missing') return failed(`There is no ${showPath(target.path)} in the work folder.`)
        if (target.kind !== 'file' && target.kind !== 'folder')
          return failed(`${showPath(target.path)} is neither a file nor a folder, so it cannot be searched.`)
        return search(sandbox, work.path, [...argumentsOf(args), '--', `./${target.path}`], args, context.signal)
      }),
  })
}

interface Wanted {
  pattern: string
  glob?: string
  type?: string
  output_mode: 'content' | 'files_with_matches' | 'count'
  ignore_case: boolean
  context: number
  multiline: boolean
}

function argumentsOf({ pattern, glob, type, output_mode, ignore_case, context, multiline }: Wanted): string[] {
  const modes = {
    content: ['--line-number', '--max-columns=500', '--max-columns-preview', `--context=${context}`],
    files_with_matches: ['--files-with-matches'],
    count: ['--count'],
  }
  return [
    // A NUL after the name, because a name may have anything else.
    ...['--no-config', '--color=never', '--no-heading', '--with-filename', '--null', '--no-follow', '--hidden'],
    ...modes[output_mode],
    ...(ignore_case ? ['--ignore-case'] : []),
    ...(multiline ? ['--multiline', '--multiline-dotall'] : []),
    ...(glob === undefined ? [] : [`--glob=${glob}`]),
    // After theirs: the last one that matches decides.
    '--glob=!.git',
    ...(type === undefined ? [] : [`--type=${type}`]),
    `--regexp=${pattern}`,
  ]
}

const programLimits = {
  wallClockMs: fileLimits.grepMs,
  cpuSeconds: 300,
  memoryBytes: 2 * 1024 ** 3,
  processes: 256,
  fileBytes: 1024 * 1024,
  openFiles: 1_024,
}

async function search(
  sandbox: Sandbox,
  folder: string,
  args: string[],
  wanted: Wanted,
  signal: AbortSignal,
): Promise<ToolResult> {
  const found: Buffer[] = []
  const complaints: Buffer[] = []
  let [foundBytes, complaintBytes] = [0, 0]
  let end: Awaited<ReturnType<Sandbox['run']>>
  try {
    end = await sandbox.run({
      command: [rgPath, ...args],
      cwd: folder,
      environment: { LC_ALL: 'C.UTF-8' },
      readPaths: [folder, rgPath],
      network: 'none',
      limits: programLimits,
      signal,
      onOutput(stream, chunk) {
        if (stream === 'stderr') {
          complaintBytes += chunk.byteLength
          if (complaintBytes < 64 * 1024) complaints.push(Buffer.from(chunk))
          return true
        }
        foundBytes += chunk.byteLength
        found.push(Buffer.from(chunk))
        return foundBytes < fileLimits.grepBytes
      },
    })
  } catch (error) {
    if (error instanceof SandboxProblem) return failed(error.message)
    throw error
  }
  signal.throwIfAborted()
  const complaint = Buffer.concat(complaints).toString().trim()
  const isCut = end.endedBy === 'output'
  if (foundBytes === 0 && end.endedBy === 'timeout')
    return failed(`Nothing was found within ${fileLimits.grepMs / 1_000} s. Search a smaller folder, or give glob.`)
  if (foundBytes === 0 && end.exitCode !== 0 && end.exitCode !== 1) return failed(explain(complaint, end.exitCode))
  const rendered = renderGrep(Buffer.concat(found), wanted.output_mode, isCut)
  if (rendered.files === 0) return succeeded(`Nothing matches ${showPath(wanted.pattern)}.`, { data: rendered.data })
  const notes = [
    ...(isCut ? ['(There is more: use a narrower pattern, path or glob.)'] : []),
    ...(end.endedBy === 'timeout' ? [`(Ended after ${fileLimits.grepMs / 1_000} s: there may be more.)`] : []),
    ...(complaint === '' ? [] : [`(Not everything could be searched: ${showPath(complaint.split('\n')[0]!)})`]),
  ]
  return succeeded([rendered.text, ...notes].join('\n'), { data: rendered.data })
}

/** What ripgrep said, without its name and without the advice that is about its own options. */
function explain(complaint: string, exitCode: number | null): string {
  const said = complaint
    .split('\n')
    .filter((line) => line.trim() !== '')
    .slice(0, 12)
    .join('\n')
    .replace(/^rg: /gm, '')
  if (/regex (parse )?error/.test(said)) return `The pattern is not a regular expression of ripgrep:\n${said}`
  if (/unrecognized file type/.test(said)) return `${said}. Use glob instead, such as *.ext.`
  return said === '' ? `The search ended with ${exitCode ?? 'a signal'} and said nothing.` : said
}
