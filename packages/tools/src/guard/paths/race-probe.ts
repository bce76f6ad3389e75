// For tests: reads, writes and lists while somebody swaps what is on the way for a link that leads out, over and over. As
// whoever runs this. What counts is what was read, and what lies outside afterwards. Prints JSON.
//   node race-probe.ts <handles|planted> <milliseconds in all>
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { readdir, readFile, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { PathProblem } from './index.ts'
import { guards, type PathGuard } from './traversal-probe.ts'

/** What is swapped, and for a link to where (`O`: outside). */
const swaps: Readonly<Record<string, { path: string; target: string }>> = {
  folder: { path: 'dir', target: 'O' },
  'folder, by a relative link': { path: 'dir', target: '../outside' },
  'folder within a folder': { path: 'dir/sub', target: 'O/sub' },
  file: { path: 'dir/sub/f.txt', target: 'O/sub/f.txt' },
}

/** Ways to write the same folder (`R`: the work folder). */
const folders = ['dir/sub', './dir/sub', 'dir/./sub', 'dir/../dir/sub', 'dir/sub/../sub', 'link/sub', 'R/dir/sub']

/** Each answers whether it did what it was asked to, and throws what is wrong where it got out. */
const operations: Readonly<Record<string, (guard: PathGuard, root: string, folder: string) => Promise<boolean>>> = {
  read: async (guard, root, folder) => {
    const text = await guard.read(root, `${folder}/f.txt`)
    if (text === 'outside') throw new Escape('read what is outside')
    return text === 'inside'
  },
  list: async (guard, root, folder) => {
    const names = await guard.list(root, folder)
    if (names.includes('only-outside.txt')) throw new Escape('listed what is outside')
    return names.includes('f.txt')
  },
  'write over': (guard, root, folder) => guard.write(root, `${folder}/f.txt`, 'inside').then(() => true),
  'write anew': (guard, root, folder) => guard.write(root, `${folder}/new.txt`, 'inside').then(() => true),
}

class Escape extends Error {}

/** Check, then open: right in every test that stands still. */
const planted: PathGuard = {
  read: async (root, path) => readFile(await checked(root, path), 'utf8'),
  list: async (root, path) => readdir(await checked(root, path)),
  async write(root, path, text) {
    await checked(root, dirname(path))
    await writeFile(resolve(root, path), text)
  },
}
async function checked(root: string, path: string): Promise<string> {
  const whole = resolve(root, path)
  if (!`${await realpath(whole)}/`.startsWith(`${root}/`)) throw new PathProblem('outside', 'outside')
  return whole
}

export interface RaceProbe {
  situations: number
  attempts: number
  /** Of those, the ones that did what they were asked to: it was no mere wall. By what was swapped. */
  successes: Record<string, number>
  escapes: string[]
}

export async function probeRaces(guard: PathGuard, raceMs: number): Promise<RaceProbe> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'qm-races-')))
  const situations = folders.flatMap((folder) => Object.keys(operations).map((operation) => ({ folder, operation })))
  const result: RaceProbe = { situations: 0, attempts: 0, successes: {}, escapes: [] }
  const eachMs = raceMs / (situations.length * Object.keys(swaps).length)
  try {
    for (const [what, swap] of Object.entries(swaps)) {
      const { root, outside } = buildTree(base)
      const before = lookAt(outside)
      const stop = await startSwapper(join(root, swap.path), swap.target.replace('O', outside))
      result.successes[what] = 0
      try {
        for (const { folder, operation } of situations) {
          const path = folder.replace('R', root)
          const attempt = async () => {
            result.attempts++
            if (await operations[operation]!(guard, root, path).catch(mustBeKnown)) result.successes[what]!++
            if (lookAt(outside) !== before) throw new Escape('changed what is outside')
          }
          try {
            for (const end = performance.now() + eachMs; performance.now() < end; ) await attempt()
          } catch (error) {
            if (!(error instanceof Escape)) throw error
            result.escapes.push(`${operation} in ${folder} while a ${what} is swapped: ${error.message}`)
            return result
          }
          result.situations++
        }
      } finally {
        await stop()
      }
    }
    return result
  } finally {
    rmSync(base, { recursive: true, force: true })
  }
}

/** Refused, or gone for a moment as the system says. */
function mustBeKnown(error: unknown): boolean {
  if (error instanceof PathProblem || /^E[A-Z]+$/.test((error as { code?: string }).code ?? '')) return false
  throw error
}

function buildTree(base: string): { root: string; outside: string } {
  const [root, outside] = [join(base, 'root'), join(base, 'outside')]
  rmSync(root, { recursive: true, force: true })
  rmSync(outside, { recursive: true, force: true })
  for (const [folder, text] of [
    [join(root, 'dir'), 'inside'],
    [outside, 'outside'],
  ] as const) {
    mkdirSync(join(folder, 'sub'), { recursive: true })
    writeFileSync(join(folder, 'sub/f.txt'), text)
  }
  writeFileSync(join(outside, 'sub/only-outside.txt'), 'outside')
  symlinkSync('dir', join(root, 'link'))
  return { root, outside }
}

const lookAt = (outside: string): string =>
  JSON.stringify([
    readdirSync(outside),
    readdirSync(join(outside, 'sub')),
    readFileSync(join(outside, 'sub/f.txt'), 'utf8'),
  ])

/** The answer stops it, and fails where it had stopped by itself: then nobody was raced with. */
async function startSwapper(path: string, target: string): Promise<() => Promise<void>> {
  const swapper = spawn(process.execPath, [join(import.meta.dirname, 'swapper.mjs'), path, target], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await once(swapper.stdout, 'data')
  return async () => {
    const ended = swapper.exitCode !== null || swapper.signalCode !== null
    if (ended) throw new Error(`the swapper ended by itself (${swapper.exitCode ?? swapper.signalCode})`)
    swapper.kill('SIGKILL')
    await once(swapper, 'exit')
  }
}

export const racedGuards: Readonly<Record<string, PathGuard>> = { handles: guards.handles!, planted }

if (process.argv[1] === import.meta.filename) {
  const [, , guard = 'handles', raceMs = '60000'] = process.argv
  const result = await probeRaces(racedGuards[guard]!, Number(raceMs))
  console.log(JSON.stringify({ uid: process.getuid?.(), ...result }))
}
