import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { PathProblem, quotePath, showPath, WorkFolder } from '../../guard/paths/index.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { applyBatch } from './batch-apply.ts'
import { type BatchArguments, type PlannedFile, planBatch } from './batch-plan.ts'
import { countOf, fileCommon, fileLimits, inWorkFolder, sizeOf } from './work-files.ts'

/** Files on the card; the rest is counted, and all of them are in the arguments. */
const shownFiles = 50

export function createFileBatchTool(folders: WorkFolders) {
  return defineTool({
    ...fileCommon,
    name: 'file.batch',
    title: 'Change many files',
    description:
      'Renames, moves or transforms many files of the work folder at once: all of them or, where two would collide or ' +
      'one fails, none. pattern is a glob (IMG_*.jpg, whose wildcards are $1, $2 …) or a regular expression between ' +
      'slashes (/^(\\d+)-(.*)$/), matched against file names.',
    effect: 'write',
    hook: 'confirm',
    aliases: aliasesOf('file.batch'),
    inputSchema: {
      type: 'object',
      properties: {
        operation: {
          enum: ['rename', 'move', 'transform'],
          description: `rename: new names; move: into another folder; transform: find and replace in the contents (files over ${sizeOf(fileLimits.batchFileBytes)} are skipped)`,
        },
        pattern: { type: 'string', minLength: 1, maxLength: 1_000, description: 'Which files: *.txt, /^(\\d+)\\.md$/' },
        directory: { type: 'string', minLength: 1, default: '.', description: 'The folder (default: the work folder)' },
        recursive: { type: 'boolean', default: false, description: 'Files in folders below as well (default false)' },
        replacement: { type: 'string', minLength: 1, description: 'rename: the new name, such as photo-$1.jpg' },
        destination: { type: 'string', minLength: 1, description: 'move: the folder they go to; made if needed' },
        find: { type: 'string', minLength: 1, description: 'transform: the text to find' },
        replace: { type: 'string', description: 'transform: the text that takes its place' },
        regex: {
          type: 'boolean',
          default: false,
          description:
            'transform: find is a regular expression, and replace may name its groups with $1 (default false)',
        },
        files: {
          type: 'array',
          maxItems: fileLimits.batchFiles,
          description: 'Filled in by the system: what changes, file by file. Leave it out.',
          items: {
            type: 'object',
            description: 'One file',
            properties: {
              from: { type: 'string', description: 'The file' },
              to: { type: 'string', description: 'Its new path' },
              replacements: { type: 'integer', description: 'How often something is replaced in it' },
              digest: { type: 'string', description: 'What it said when this was planned (SHA-256)' },
            },
            required: ['from'],
            additionalProperties: false,
          },
        },
      },
      required: ['operation', 'pattern'],
      additionalProperties: false,
    },
    async complete(args, caller) {
      try {
        const signal = AbortSignal.timeout(planMs)
        const folder = await folders.folderOf(caller)
        const { files } = await WorkFolder.use(folder, (work) => planBatch(work, args, signal))
        if (files.length === 0) return { ok: false, problem: nothingToDo(args) }
        return { ok: true, arguments: { ...args, files } }
      } catch (error) {
        return { ok: false, problem: sentenceOf(error) }
      }
    },
    // What a batch changes is a list of files, and nobody has seen the next one.
    leaseOf: () => null,
    summarize: ({ operation, pattern, directory, files = [], find, replace }) => ({
      title: `${verbs[operation]} ${files.length > 0 ? countOf(files.length, 'file') : `files like ${showPath(pattern)}`} in ${showPath(directory)}`,
      facts: [
        ...(operation === 'transform' && find !== undefined
          ? [
              { label: 'Find', value: find },
              { label: 'Replace by', value: replace ?? '' },
            ]
          : []),
        ...files.slice(0, shownFiles).map((file) => ({ label: quotePath(file.from), value: changeOf(file) })),
        ...(files.length > shownFiles ? [{ label: 'And', value: `${files.length - shownFiles} more` }] : []),
      ],
    }),
    execute: async ({ files: planned, ...args }, context) =>
      inWorkFolder(folders, context, async (work) => {
        try {
          const plan = await planBatch(work, args, context.signal)
          // What a person saw is what runs, or nothing does.
          if (planned && !isSame(planned, plan.files))
            return failed('The files have changed since this was planned. Nothing was changed; call it again.')
          if (plan.files.length === 0) return failed(nothingToDo(args))
          await applyBatch(work, args, plan.files, context.signal)
          return describe(args, plan.files, plan.skipped)
        } catch (error) {
          context.signal.throwIfAborted()
          return failed(sentenceOf(error))
        }
      }),
  })
}

/** A plan is made while a call waits to be decided. */
const planMs = 30_000

const verbs = { rename: 'Rename', move: 'Move', transform: 'Transform' } as const

const changeOf = ({ to, replacements }: PlannedFile) =>
  to === undefined ? countOf(replacements ?? 0, 'replacement') : `→ ${quotePath(to)}`

const isSame = (planned: readonly PlannedFile[], now: readonly PlannedFile[]) =>
  planned.length === now.length &&
  now.every(({ from, to, digest }, index) => {
    const other = planned[index]!
    return from === other.from && to === other.to && digest === other.digest
  })

function nothingToDo({ pattern, directory, recursive, operation }: BatchArguments): string {
  const where = `${showPath(directory)}${recursive ? ' and below' : ''}`
  const what = operation === 'transform' ? 'has the text and matches' : 'that would change matches'
  return `No file in ${where} ${what} ${showPath(pattern)}. ${recursive ? 'Look with file.glob.' : 'Give recursive for the folders below.'}`
}

function describe(args: BatchArguments, files: readonly PlannedFile[], skipped: readonly string[]) {
  const done = { rename: 'Renamed', move: 'Moved', transform: 'Transformed' }[args.operation]
  const lines = files.slice(0, shownFiles).map((file) => `${quotePath(file.from)} ${changeOf(file)}`)
  if (files.length > shownFiles) lines.push(`… and ${files.length - shownFiles} more`)
  if (skipped.length > 0) lines.push(`Skipped: ${skipped.slice(0, 20).join(', ')}`)
  return succeeded([`${done} ${countOf(files.length, 'file')}:`, ...lines].join('\n'), { data: { files, skipped } })
}

/** What a plan or a step says; anything else is a fault of ours. */
function sentenceOf(error: unknown): string {
  if (error instanceof PathProblem || (error instanceof Error && error.constructor === Error && !('code' in error)))
    return error.message
  throw error
}
