// What a batch would do, file by file, before anything is done: this is what the card shows, and what runs.
import { createHash } from 'node:crypto'
import { basename, dirname } from 'node:path'
import {
  checkWritable,
  PathProblem,
  showPath,
  type TreeEntry,
  type WorkFolder,
  walkTree,
} from '../../guard/paths/index.ts'
import { type NamePattern, parseNamePattern, parseTextPattern } from './batch-pattern.ts'
import { closedFolders, decodeText, fileLimits, sizeOf } from './work-files.ts'

export interface BatchArguments {
  operation: 'rename' | 'move' | 'transform'
  pattern: string
  directory: string
  recursive: boolean
  replacement?: string
  destination?: string
  find?: string
  replace?: string
  regex: boolean
}

export interface PlannedFile {
  from: string
  /** Where it goes; without it, it stays and its content changes. */
  to?: string
  /** How often something is replaced in it, and what it said before (SHA-256). */
  replacements?: number
  digest?: string
}

export interface BatchPlan {
  files: PlannedFile[]
  /** Files that match and are left alone, with the reason. */
  skipped: string[]
}

/** Throws a PathProblem or an Error with a sentence where nothing should be done. */
export async function planBatch(work: WorkFolder, args: BatchArguments, signal: AbortSignal): Promise<BatchPlan> {
  mustHave(args)
  const pattern = parseNamePattern(args.pattern)
  const paths = await matching(work, args, pattern, signal)
  if (paths.length > fileLimits.batchFiles)
    throw new Error(`More than ${fileLimits.batchFiles} files match. Use a narrower pattern or directory.`)
  const plan =
    args.operation === 'transform' ? await planTransform(work, args, paths, signal) : planMoves(args, pattern, paths)
  for (const { from } of plan.files) await work.place(from, async (place) => checkWritable(place))
  await refuseCollisions(work, plan.files)
  return plan
}

function mustHave({ operation, replacement, destination, find, replace }: BatchArguments): void {
  const needed = {
    rename: [['replacement', replacement]],
    move: [['destination', destination]],
    transform: [
      ['find', find || undefined],
      ['replace', replace],
    ],
  }[operation]
  for (const [name, value] of needed)
    if (value === undefined) throw new Error(`The operation ${operation} needs ${name}.`)
}

async function matching(
  work: WorkFolder,
  { directory, recursive }: BatchArguments,
  pattern: NamePattern,
  signal: AbortSignal,
): Promise<string[]> {
  return work.folder(directory, async (folder) => {
    const paths: string[] = []
    let seen = 0
    const enter = (_path: string, name: string) => recursive && !closedFolders.has(name)
    const isWanted = ({ kind, reachable, name }: TreeEntry) => kind === 'file' && reachable && pattern.matches(name)
    for await (const entry of walkTree(folder, { signal, enter })) {
      if (++seen > fileLimits.walkEntries) throw new Error('There are too many files here. Use a narrower directory.')
      if (isWanted(entry)) paths.push(entry.path)
      if (paths.length > fileLimits.batchFiles) break
    }
    return paths
  })
}

function planMoves(args: BatchArguments, pattern: NamePattern, paths: readonly string[]): BatchPlan {
  const files = paths.map((from) => {
    if (args.operation === 'move') return { from, to: join(trimmed(args.destination!), basename(from)) }
    const name = pattern.replace(basename(from), args.replacement!)
    if (name === '' || name === '.' || name === '..' || /[/\\\0]/.test(name) || Buffer.byteLength(name) > 255)
      throw new Error(`${showPath(from)} cannot be named ${showPath(name)}. Choose another replacement.`)
    return { from, to: join(dirname(from), name) }
  })
  return { files: files.filter(({ from, to }) => from !== to), skipped: [] }
}

async function planTransform(
  work: WorkFolder,
  { find, replace, regex }: BatchArguments,
  paths: readonly string[],
  signal: AbortSignal,
): Promise<BatchPlan> {
  const pattern = parseTextPattern(find!, replace!, regex)
  const plan: BatchPlan = { files: [], skipped: [] }
  let total = 0
  for (const from of paths) {
    signal.throwIfAborted()
    const read = await readWhole(work, from)
    if (read.problem !== null) {
      plan.skipped.push(read.problem)
      continue
    }
    const { count } = pattern.replace(read.text)
    if (count === 0) continue
    total += read.bytes.length
    if (total > fileLimits.batchBytes)
      throw new Error(`These files have more than ${sizeOf(fileLimits.batchBytes)} together. Use a narrower pattern.`)
    plan.files.push({ from, replacements: count, digest: digestOf(read.bytes) })
  }
  return plan
}

/** The whole text of a file, or why a batch leaves it alone. */
export async function readWhole(work: WorkFolder, path: string) {
  return work.file(path, async ({ handle, stat }) => {
    if (stat.size > fileLimits.batchFileBytes)
      return { problem: `${showPath(path)} (over ${sizeOf(fileLimits.batchFileBytes)})` } as const
    const bytes = await handle.readFile()
    const text = decodeText(bytes)
    if (text === null) return { problem: `${showPath(path)} (not text)` } as const
    return { problem: null, bytes, text, stat } as const
  })
}

export const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** Two that would have one name, and a name that is taken by a file that stays. */
async function refuseCollisions(work: WorkFolder, files: readonly PlannedFile[]): Promise<void> {
  const leaving = new Set(files.map(({ from }) => from))
  const taken = new Map<string, string>()
  for (const { from, to } of files) {
    if (to === undefined) continue
    const other = taken.get(to)
    if (other !== undefined)
      throw new Error(
        `${showPath(other)} and ${showPath(from)} would both become ${showPath(to)}. Nothing was changed.`,
      )
    taken.set(to, from)
    if (leaving.has(to)) continue
    const isTaken = await isThere(work, to)
    if (isTaken)
      throw new Error(`${showPath(to)} is there already, so ${showPath(from)} cannot go there. Nothing was changed.`)
  }
}

async function isThere(work: WorkFolder, path: string): Promise<boolean> {
  try {
    return await work.place(path, async (place) => {
      checkWritable(place)
      return place.kind !== 'missing'
    })
  } catch (error) {
    // Its folder is made when it is needed.
    if (error instanceof PathProblem && error.code === 'missing') return false
    throw error
  }
}

const trimmed = (folder: string) => folder.replace(/\/+$/, '') || '/'
const join = (folder: string, name: string) => (folder === '.' ? name : `${folder.replace(/^(\.\/+)+/, '')}/${name}`)
