import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { readFile, realpath, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { holdsUnlikePlantedBug } from '../planted-bug.ts'
import {
  byChecking,
  byHandle,
  describeHolding,
  PathProblem,
  quotePath,
  showPath,
  WorkFolder,
  walkTree,
} from './index.ts'
import { guards, type PathGuard, probe } from './traversal-probe.ts'

const isRoot = process.getuid?.() === 0
const nobody = 65_534

let base: string
let root: string
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'qm-paths-'))
  root = join(base, 'root')
  mkdirSync(root)
})
afterEach(() => rmSync(base, { recursive: true }))

const write = (path: string, text: string) => WorkFolder.use(root, (folder) => folder.replace(path, Buffer.from(text)))
const read = (path: string) =>
  WorkFolder.use(root, (folder) => folder.file(path, ({ handle }) => handle.readFile('utf8')))
const modeOf = (path: string) => statSync(join(root, path)).mode & 0o7777

describe('the traversal corpus', () => {
  const mustHold = async (guard: PathGuard) => {
    const { cases, failures } = await probe(guard)
    expect(cases).toBeGreaterThan(200)
    expect(failures).toEqual([])
  }

  test('leads nowhere outside, by handle, and finds what is inside', () =>
    holdsUnlikePlantedBug(guards.handles!, guards.planted!, mustHold))

  test('leads nowhere outside where there is no /proc', () =>
    holdsUnlikePlantedBug(guards.checked!, guards.planted!, mustHold))

  test.runIf(isRoot)('leads nowhere outside for an ordinary user', async () => {
    const asNobody = async (guard: string) => {
      const { stdout } = await promisify(execFile)(
        process.execPath,
        [join(import.meta.dirname, 'traversal-probe.ts'), guard],
        { uid: nobody, gid: nobody, env: { TMPDIR: tmpdir() }, cwd: '/' },
      )
      const { uid, cases, failures } = JSON.parse(stdout)
      expect(uid).toBe(nobody)
      expect(cases).toBeGreaterThan(200)
      expect(failures).toEqual([])
    }
    await holdsUnlikePlantedBug('handles', 'planted', asNobody)
    await asNobody('checked')
  })
})

describe('a folder that somebody swaps for a link, over and over', () => {
  const raceMs = 10_000
  /** Check, then open: right in every test that stands still. */
  const planted: PathGuard = {
    async read(folder, path) {
      if (!(await realpath(join(folder, path))).startsWith(`${folder}/`)) throw new PathProblem('outside', 'outside')
      return readFile(join(folder, path), 'utf8')
    },
    async write(folder, path, text) {
      const parent = await realpath(join(folder, path, '..'))
      if (!parent.startsWith(`${folder}/`)) throw new PathProblem('outside', 'outside')
      await writeFile(join(folder, path), text)
    },
    list: async () => [],
  }

  test('is never followed out of the work folder', { timeout: 60_000 }, async () => {
    const outside = join(base, 'outside')
    const stay = async (guard: PathGuard) => {
      rmSync(root, { recursive: true })
      rmSync(outside, { recursive: true, force: true })
      mkdirSync(join(root, 'dir'), { recursive: true })
      mkdirSync(outside)
      writeFileSync(join(root, 'dir/f.txt'), 'inside')
      writeFileSync(join(outside, 'f.txt'), 'outside')
      const swapper = spawn(process.execPath, [join(import.meta.dirname, 'swapper.mjs'), join(root, 'dir'), outside])
      let [attempts, successes] = [0, 0]
      try {
        await once(swapper.stdout, 'data')
        for (const end = Date.now() + raceMs; Date.now() < end; attempts++) {
          const text = await guard.read(root, 'dir/f.txt').catch(mustBeKnown)
          expect(text, `read ${attempts}`).not.toBe('outside')
          if (text === 'inside') successes++
          await guard.write(root, 'dir/w.txt', 'written').catch(mustBeKnown)
          expect(readdirSync(outside), `write ${attempts}`).toEqual(['f.txt'])
        }
      } finally {
        swapper.kill('SIGKILL')
        if (swapper.exitCode === null) await once(swapper, 'exit')
      }
      // It raced with something to the end, and was not merely refused each time.
      expect(swapper.signalCode).toBe('SIGKILL')
      expect(attempts).toBeGreaterThan(200)
      expect(successes).toBeGreaterThan(20)
    }
    await holdsUnlikePlantedBug(guards.handles!, planted, stay)
  })
})

/** Refused, or gone for a moment as the system says; what gets through is told by what was read or written. */
function mustBeKnown(error: unknown): null {
  if (error instanceof PathProblem || /^E[A-Z]+$/.test((error as { code?: string }).code ?? '')) return null
  throw error
}

describe('a file that is written', () => {
  test('is there as a whole, with the folders on the way, and nothing is left beside it', async () => {
    expect(await write('a/b/c.txt', 'one')).toEqual({ path: 'a/b/c.txt', created: true })
    expect(await write('a/b/c.txt', 'two')).toEqual({ path: 'a/b/c.txt', created: false })
    expect(readFileSync(join(root, 'a/b/c.txt'), 'utf8')).toBe('two')
    expect(readdirSync(join(root, 'a/b'))).toEqual(['c.txt'])
  })

  test('keeps its mode, but no set-uid', async () => {
    await write('run.sh', 'one')
    chmodSync(join(root, 'run.sh'), 0o4751)
    await write('run.sh', 'two')
    expect(modeOf('run.sh')).toBe(0o751)
  })

  test('is not written through its write protection', async () => {
    await write('a.txt', 'one')
    chmodSync(join(root, 'a.txt'), 0o444)
    await expect(write('a.txt', 'two')).rejects.toThrow('a.txt is read-only')
  })

  test('is written where a link inside leads, and the link stays', async () => {
    await write('real/a.txt', 'one')
    symlinkSync('real/a.txt', join(root, 'link'))
    expect(await write('link', 'two')).toMatchObject({ path: 'real/a.txt' })
    expect(await read('link')).toBe('two')
  })

  test.runIf(isRoot)("is its folder's owner's where root wrote it, folders included", async () => {
    chownSync(root, nobody, nobody)
    await write('a/b.txt', 'one')
    expect(statSync(join(root, 'a'))).toMatchObject({ uid: nobody, gid: nobody })
    expect(statSync(join(root, 'a/b.txt'))).toMatchObject({ uid: nobody, gid: nobody })
  })

  test('is not written where somebody changed it since it was read', async () => {
    await write('a.txt', 'one')
    const expected = statSync(join(root, 'a.txt'))
    await write('a.txt', 'two')
    const late = WorkFolder.use(root, (folder) => folder.replace('a.txt', Buffer.from('three'), { expected }))
    await expect(late).rejects.toThrow('changed by somebody else')
    expect(readdirSync(root)).toEqual(['a.txt'])
    expect(await read('a.txt')).toBe('two')
  })

  describe('clears away', () => {
    const leave = (name: string, minutes: number) => {
      writeFileSync(join(root, name), 'half')
      const then = Date.now() / 1_000 - minutes * 60
      utimesSync(join(root, name), then, then)
    }

    test.each([byHandle, byChecking])('what a crash left beside it long ago ($kind)', async (holding) => {
      leave('.qm-abcDEF012_-x.tmp', 11)
      mkdirSync(join(root, 'sub'))
      leave('sub/.qm-abcDEF012_-x.tmp', 11)
      await WorkFolder.use(root, (folder) => folder.replace('a.txt', Buffer.from('one')), holding)
      expect(readdirSync(root).sort()).toEqual(['a.txt', 'sub'])
      // Only where something is written.
      expect(readdirSync(join(root, 'sub'))).toEqual(['.qm-abcDEF012_-x.tmp'])
    })

    test('neither what is being written nor what is somebody’s', async () => {
      leave('.qm-stillBeing_1.tmp', 5)
      const others = ['.qm-short.tmp', '.qm-abcDEF012_-x.tmp.txt', 'x.qm-abcDEF012_-x.tmp', '.qm-aside-abcDEF012_-x']
      for (const name of others) leave(name, 60)
      leave('.qm-twoNames____.tmp', 60)
      linkSync(join(root, '.qm-twoNames____.tmp'), join(root, 'kept'))
      mkdirSync(join(root, '.qm-isAFolder___.tmp'))
      symlinkSync('kept', join(root, '.qm-isALink_____.tmp'))
      const before = readdirSync(root)
      await write('a.txt', 'one')
      expect(readdirSync(root).sort()).toEqual([...before, 'a.txt'].sort())
    })

    test('a writer that was killed is cleared after', async () => {
      const module = JSON.stringify(join(import.meta.dirname, 'index.ts'))
      const script = `import { WorkFolder } from ${module}
        await WorkFolder.use(process.argv[1], (folder) => folder.replace('a.txt', Buffer.from('half'), {
          signal: { throwIfAborted: () => process.kill(process.pid, 'SIGKILL') },
        }))`
      const writer = promisify(execFile)(process.execPath, ['--input-type=module', '-e', script, root])
      await expect(writer).rejects.toMatchObject({ signal: 'SIGKILL' })
      const [left, ...rest] = readdirSync(root)
      expect([left, rest]).toEqual([expect.stringMatching(/^\.qm-/), []])
      utimesSync(join(root, left!), 0, 0)
      await write('a.txt', 'whole')
      expect(readdirSync(root)).toEqual(['a.txt'])
    })
  })

  test('is not one of git’s own', async () => {
    for (const path of ['.git/config', 'sub/.git/hooks/pre-commit', '.GIT/config', '.git'])
      await expect(write(path, 'x')).rejects.toThrow('belongs to git itself')
    expect(await write('.gitignore', 'x')).toMatchObject({ created: true })
  })

  test('has no backslash in a new name', async () => {
    await expect(write('src\\a.ts', 'x')).rejects.toThrow('Write / between folders: src/a.ts')
  })
})

describe('things that are not files', () => {
  test('are named and never waited for', async () => {
    await promisify(execFile)('mkfifo', [join(root, 'pipe')])
    symlinkSync('pipe', join(root, 'to-pipe'))
    mkdirSync(join(root, 'folder'))
    for (const [path, what] of [
      ['pipe', 'pipe is a pipe (FIFO), not a file'],
      ['to-pipe', 'pipe is a pipe (FIFO), not a file'],
      ['folder', 'folder is a folder, not a file. Use file.list'],
    ] as const) {
      await expect(read(path)).rejects.toThrow(what)
      await expect(write(path, 'x')).rejects.toThrow(what)
    }
  })

  test.runIf(isRoot)('devices too', async () => {
    await promisify(execFile)('mknod', [join(root, 'zero'), 'c', '1', '5'])
    await expect(read('zero')).rejects.toThrow('zero is a device, not a file')
  })

  test('links in a circle end', async () => {
    symlinkSync('b', join(root, 'a'))
    symlinkSync('a', join(root, 'b'))
    await expect(read('a/x')).rejects.toThrow('they lead in a circle')
  })
})

describe('a walk through a tree', () => {
  const paths = async (holding = byHandle) =>
    WorkFolder.use(
      root,
      (work) =>
        work.folder('.', async (folder) => {
          const found: string[] = []
          const options = { signal: new AbortController().signal, enter: (path: string) => path !== 'closed' }
          for await (const { path, kind } of walkTree(folder, options)) found.push(`${kind} ${path}`)
          return found
        }),
      holding,
    )

  test('lists a folder before what is in it, and neither follows a link nor enters what it may not', async () => {
    for (const path of ['b/x.txt', 'a/y.txt', 'closed/z.txt']) await write(path, '')
    symlinkSync(base, join(root, 'link'))
    const expected = ['folder a', 'file a/y.txt', 'folder b', 'file b/x.txt', 'folder closed', 'link link']
    expect(await paths()).toEqual(expected)
    expect(await paths(byChecking)).toEqual(expected)
  })

  test('says which names no path can reach', async () => {
    writeFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from([0x61, 0xff])]), '')
    const reachable = await WorkFolder.use(root, (work) =>
      work.folder('.', async (folder) => {
        for await (const entry of walkTree(folder, { signal: new AbortController().signal, enter: () => true }))
          return entry.reachable
        return null
      }),
    )
    expect(reachable).toBe(false)
  })
})

test('nothing stays open', async () => {
  await write('a/b.txt', 'x')
  const openFiles = () => readdirSync('/proc/self/fd').length
  const before = openFiles()
  for (let time = 0; time < 50; time++) {
    await read('a/b.txt')
    await read('a/../../x').catch(() => {})
    await write('a/b.txt', 'y')
  }
  expect(openFiles()).toBeLessThanOrEqual(before + 2)
})

test('a path is shown so that nobody is fooled and a model can give it back', () => {
  expect(showPath('notes/a b.txt')).toBe('notes/a b.txt')
  for (const path of ['a\nb', 'evil\u202etxt.exe', '"quoted"', ' space', 'tag\u{e0041}', 'tab\t\\'])
    expect(JSON.parse(quotePath(path))).toBe(path)
  expect(quotePath('evil\u202etxt.exe')).toBe(String.raw`"evil\u202etxt.exe"`)
})

test('the doctor can say how paths are held', () => {
  expect(describeHolding()).toMatchObject(process.platform === 'linux' ? { kind: 'handles' } : { kind: 'checked' })
})
