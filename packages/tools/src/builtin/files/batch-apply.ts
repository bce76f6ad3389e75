// Does what was planned: all of it, or none. Each step knows its way back; the first that fails sends all back.
import { link, rename, rmdir, unlink } from 'node:fs/promises'
import { dirname } from 'node:path'
import {
  asideName,
  checkWritable,
  PathProblem,
  type Place,
  problemFromSystem,
  showPath,
  type WorkFolder,
} from '../../guard/paths/index.ts'
import { parseTextPattern } from './batch-pattern.ts'
import { type BatchArguments, digestOf, type PlannedFile, readWhole } from './batch-plan.ts'

type Undo = () => Promise<unknown>

export async function applyBatch(
  work: WorkFolder,
  args: BatchArguments,
  files: readonly PlannedFile[],
  signal: AbortSignal,
): Promise<void> {
  const undo: Undo[] = []
  try {
    if (args.operation === 'transform') await transform(work, args, files, signal, undo)
    else await moveAll(work, files, signal, undo)
  } catch (error) {
    await undoAll(undo, error)
    throw error
  }
}

/** What cannot be undone is said, and the rest is undone all the same. */
async function undoAll(undo: Undo[], cause: unknown): Promise<void> {
  const problems: string[] = []
  for (const step of undo.reverse()) await step().catch((error: Error) => problems.push(error.message))
  if (problems.length > 0)
    throw new Error(`${(cause as Error).message} Not everything could be put back: ${problems.slice(0, 5).join(' ')}`)
}

async function transform(
  work: WorkFolder,
  { find, replace, regex }: BatchArguments,
  files: readonly PlannedFile[],
  signal: AbortSignal,
  undo: Undo[],
): Promise<void> {
  const pattern = parseTextPattern(find ?? '', replace ?? '', regex)
  for (const { from, digest } of files) {
    signal.throwIfAborted()
    const read = await readWhole(work, from)
    if (read.problem !== null || digestOf(read.bytes) !== digest) throw changed(from)
    await work.replace(from, Buffer.from(pattern.replace(read.text).text), { expected: read.stat, signal })
    undo.push(() => work.replace(from, read.bytes))
  }
}

async function moveAll(
  work: WorkFolder,
  files: readonly PlannedFile[],
  signal: AbortSignal,
  undo: Undo[],
): Promise<void> {
  const sources = new Set(files.map(({ from }) => from))
  let moves = files.map(({ from, to }) => ({ from, to: to ?? from }))
  // Where one takes the other's name, all step aside first.
  if (moves.some(({ to }) => sources.has(to))) {
    const stepped = moves.map(({ from, to }) => ({ from, aside: asideOf(from), to }))
    moves = [
      ...stepped.map(({ from, aside }) => ({ from, to: aside })),
      ...stepped.map(({ aside, to }) => ({ from: aside, to })),
    ]
  }
  for (const { from, to } of moves) {
    signal.throwIfAborted()
    await makeFolder(work, to, undo)
    await moveFile(work, from, to)
    undo.push(() => moveFile(work, to, from))
  }
}

function asideOf(path: string): string {
  const folder = dirname(path)
  return folder === '.' ? asideName() : `${folder}/${asideName()}`
}

/** The folder it goes to; gone again where the batch does not come about. */
async function makeFolder(work: WorkFolder, to: string, undo: Undo[]): Promise<void> {
  const made: string[] = []
  for (let folder = dirname(to); folder !== '.' && folder !== '/'; folder = dirname(folder)) {
    if (await isThere(work, folder)) break
    made.push(folder)
  }
  undo.push(async () => {
    for (const folder of made) await work.place(`${folder}/..`, (place) => removeIn(place, folder))
  })
  if (made.length > 0) await work.place(to, async () => {}, { createParents: true })
}

const isThere = (work: WorkFolder, path: string): Promise<boolean> =>
  work
    .place(path, async (place) => place.kind !== 'missing')
    .catch((error: unknown) => {
      if (error instanceof PathProblem && error.code === 'missing') return false
      throw error
    })

async function removeIn(place: Place, folder: string): Promise<void> {
  if (place.kind === 'folder') await rmdir(place.folder.at(folder.slice(folder.lastIndexOf('/') + 1)))
}

/** Never over something that is there: a second name is given, which fails where it is taken, and the first is removed. */
async function moveFile(work: WorkFolder, from: string, to: string): Promise<void> {
  await work.place(from, (source) =>
    work.place(to, async (target) => {
      if (source.kind !== 'file') throw changed(from)
      checkWritable(source)
      checkWritable(target)
      if (target.kind !== 'missing') throw new PathProblem('exists', `${showPath(to)} is there by now.`)
      const [old, now] = [source.folder.at(source.name), target.folder.at(target.name)]
      try {
        await source.folder.holding.verify(source.folder.held, from)
        await target.folder.holding.verify(target.folder.held, to)
        await link(old, now).then(
          () => unlink(old),
          // A file system without second names, or a file of somebody else's; that the name is free was looked at.
          (error: NodeJS.ErrnoException) => {
            if (error.code === 'EPERM' || error.code === 'ENOTSUP' || error.code === 'EMLINK') return rename(old, now)
            throw error
          },
        )
      } catch (error) {
        throw problemFromSystem(error, to)
      }
    }),
  )
}

const changed = (path: string) =>
  new PathProblem('changed', `${showPath(path)} is not what it was when this was planned. Plan it again.`)
