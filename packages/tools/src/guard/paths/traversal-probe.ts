// For tests. Tries the corpus as whoever runs it, and says on standard output what went wrong. `node traversal-probe.ts`
import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { dirname, join, normalize } from 'node:path'
import { byChecking, byHandle, PathProblem, WorkFolder } from './index.ts'
import {
  allowedPaths,
  buildTraversalTree,
  canary,
  inside,
  refusedPaths,
  type TraversalTree,
} from './traversal-corpus.ts'

/** What tools do with a path. */
export interface PathGuard {
  read(root: string, path: string): Promise<string>
  write(root: string, path: string, text: string): Promise<unknown>
  list(root: string, path: string): Promise<string[]>
}

export const guards: Readonly<Record<string, PathGuard>> = {
  handles: guardBy(byHandle),
  checked: guardBy(byChecking),
  // The planted bug: a text that is normal and begins with the folder says nothing about where links lead. What it would
  // do beyond the folder of the test is not done, only said.
  planted: {
    read: async (root, path) => readFile(await harmless(root, path), 'utf8'),
    write: async (root, path, text) => writeFile(await harmless(root, path), text, { flag: 'r+' }),
    list: async (root, path) => readdir(await harmless(root, path)),
  },
}

function guardBy(holding: typeof byHandle): PathGuard {
  return {
    read: (root, path) =>
      WorkFolder.use(root, (folder) => folder.file(path, ({ handle }) => handle.readFile('utf8')), holding),
    write: (root, path, text) => WorkFolder.use(root, (folder) => folder.replace(path, Buffer.from(text)), holding),
    list: (root, path) =>
      WorkFolder.use(root, (folder) => folder.folder(path, async ({ held }) => readdir(held.path)), holding),
  }
}

async function harmless(root: string, path: string): Promise<string> {
  const whole = path.startsWith('/') ? normalize(path) : join(root, path)
  if (!whole.startsWith(root)) throw new PathProblem('outside', 'outside')
  const real = await realpath(whole)
  if (!real.startsWith(dirname(root)) || !statSync(real).isFile()) throw new Error(`it would have used ${real}`)
  return real
}

/** Every way in which the guard failed; empty where it held. */
export async function probe(guard: PathGuard): Promise<{ cases: number; failures: string[] }> {
  const tree = buildTraversalTree()
  try {
    const failures: string[] = []
    const before = outsideOf(tree)
    const refused = refusedPaths(tree)
    const allowed = allowedPaths(tree)
    for (const path of refused) failures.push(...(await tryRefused(guard, tree, path)))
    if (outsideOf(tree) !== before) failures.push(`outside was changed: ${outsideOf(tree)}`)
    for (const path of allowed) {
      const text = await guard.read(tree.R, path).catch((error: Error) => error.message)
      if (text !== inside) failures.push(`read ${JSON.stringify(path)}: ${text}`)
      const written = await guard.write(tree.R, path, inside).then(
        () => null,
        (error: Error) => error.message,
      )
      if (written !== null) failures.push(`write ${JSON.stringify(path)}: ${written}`)
    }
    if (outsideOf(tree) !== before) failures.push('outside was changed by allowed paths')
    return { cases: refused.length + allowed.length, failures }
  } finally {
    rmSync(tree.base, { recursive: true })
  }
}

async function tryRefused(guard: PathGuard, { R }: TraversalTree, path: string): Promise<string[]> {
  const failures: string[] = []
  const attempts: [what: string, attempt: () => Promise<unknown>][] = [
    ['read', () => guard.read(R, path)],
    ['list', () => guard.list(R, path)],
  ]
  for (const [what, attempt] of attempts) {
    const outcome = await attempt().catch((error: unknown) => error)
    if (outcome instanceof PathProblem && !outcome.message.includes(canary)) continue
    if (typeof outcome === 'string' && outcome === 'overwritten') continue
    failures.push(`${what} ${JSON.stringify(path)}: ${String(outcome).slice(0, 100)}`)
  }
  // Some of these name a new file inside, which may be written; that nothing outside changed is looked at afterwards.
  if (!isOfTheSystem(path))
    await guard.write(R, path, 'overwritten').catch((error) => {
      if (!(error instanceof PathProblem)) failures.push(`write ${JSON.stringify(path)}: ${error}`)
    })
  return failures
}

/** A guard that fails this test must not cost the machine its accounts. */
const isOfTheSystem = (path: string) => /(^|\/)(etc|proc|dev)\/|^out-(root|proc|cwd|fd)/.test(path)

function outsideOf({ O, R, base }: TraversalTree): string {
  const files = [O, join(O, 'deep'), `${R}-evil`, base].flatMap((folder) =>
    readdirSync(folder).map((name) => join(folder, name)),
  )
  return JSON.stringify(files.map((file) => [file, statSync(file).isFile() ? readFileSync(file, 'utf8') : null]))
}

if (process.argv[1] === import.meta.filename) {
  const result = await probe(guards[process.argv[2] ?? 'handles']!)
  console.log(JSON.stringify({ uid: process.getuid?.(), ...result }))
}
