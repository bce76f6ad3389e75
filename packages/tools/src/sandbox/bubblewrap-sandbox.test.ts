import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, closeSync, mkdirSync, openSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, describe, expect, test } from 'vitest'
import { SandboxProblem } from './sandbox.ts'
import { sandboxAccount } from './sandbox-account.ts'
import { describeNeeding, machineSandbox } from './testing/needs.ts'
import { processesWith, tryScript, uniqueSeconds } from './testing/try-program.ts'
import { makeWorkFolder } from './testing/work-folder.ts'

const folder = makeWorkFolder()
afterAll(folder.remove)

describeNeeding(['bubblewrap'], 'the sandbox', () => {
  const sandbox = machineSandbox()

  test('runs a program where it was told, and says how it ended', async () => {
    const script = 'pwd; cat; echo problem >&2; echo text > file; exit 3'
    const end = await tryScript(sandbox, script, { cwd: folder.path, writePaths: [folder.path], input: 'given\n' })
    expect(end).toMatchObject({
      exitCode: 3,
      signal: null,
      endedBy: null,
      stdout: `${folder.path}\ngiven\n`,
      stderr: 'problem\n',
    })
    expect(readFileSync(join(folder.path, 'file'), 'utf8')).toBe('text\n')
  })

  test('opens a folder for reading only', async () => {
    const readable = join(folder.parent, 'readable')
    mkdirSync(readable)
    chmodSync(readable, 0o777)
    writeFileSync(join(readable, 'notes'), 'to be read')
    const end = await tryScript(sandbox, `cat notes; echo x > notes`, { cwd: readable, readPaths: [readable] })
    expect(end.stdout).toBe('to be read')
    expect(end.stderr).toContain('Read-only file system')
  })

  test('knows its own account', async () => {
    expect((await tryScript(sandbox, 'whoami; id -gn; cd; pwd')).stdout).toBe('agent\nagent\n/tmp\n')
  })

  test('leaves nothing behind when a program ends, not even what left its group', async () => {
    const seconds = uniqueSeconds()
    const end = await tryScript(sandbox, `setsid sleep ${seconds} & (nohup sleep ${seconds} &) ; sleep 0.1; echo done`)
    expect(end).toMatchObject({ exitCode: 0, stdout: 'done\n' })
    expect(processesWith(seconds)).toEqual([])
  })

  test.each(['timeout', 'stop', 'output'] as const)('leaves nothing behind when it is ended: %s', async (how) => {
    const seconds = uniqueSeconds()
    const controller = new AbortController()
    if (how === 'stop') setTimeout(() => controller.abort(), 200)
    const end = await tryScript(
      sandbox,
      `setsid sleep ${seconds} & echo started; sleep 0.1; ${how === 'output' ? 'yes' : `sleep ${seconds}`}`,
      {
        limits: { wallClockMs: how === 'timeout' ? 300 : 10_000 },
        signal: controller.signal,
        most: 10_000,
      },
    )
    expect(end.endedBy).toBe(how)
    expect(end.durationMs).toBeLessThan(3_000)
    expect(processesWith(seconds)).toEqual([])
  })

  test('starts nothing when it was stopped before', async () => {
    expect(await tryScript(sandbox, 'echo x', { signal: AbortSignal.abort() })).toMatchObject({
      endedBy: 'stop',
      stdout: '',
    })
  })

  test.each(['bubblewrap', 'none'])('a bot that is killed leaves no program behind (%s)', async (kind) => {
    const seconds = uniqueSeconds()
    const bot = spawn(process.execPath, [join(import.meta.dirname, 'testing/sleep-for-ever.ts'), kind, seconds])
    await once(bot.stdout, 'data')
    // The bot, and the three sleeps that it started.
    await expect.poll(() => processesWith(seconds).length, { timeout: 10_000 }).toBeGreaterThanOrEqual(4)
    bot.kill('SIGKILL')
    await once(bot, 'exit')
    const left = () => processesWith(seconds)
    for (let waited = 0; waited < 2_000 && left().length > (kind === 'none' ? 2 : 0); waited += 50) await pause(50)
    // Without a sandbox only the program itself goes with the bot; that is what "none" means.
    const survivors = left()
    expect(survivors.length).toBe(kind === 'none' ? 2 : 0)
    for (const pid of survivors) process.kill(pid, 'SIGKILL')
  })

  test('asks a program to end, and it may say goodbye', async () => {
    const end = await tryScript(sandbox, 'trap "echo bye; exit 5" TERM; echo ready; while :; do sleep 0.05; done', {
      onStart: (program) => setTimeout(() => program.terminate(), 400),
    })
    expect(end).toMatchObject({ exitCode: 5, stdout: 'ready\nbye\n', endedBy: null })
  })

  test('passes on no file that we have open', async () => {
    const open = openSync('/', 'r')
    const { stdout } = await tryScript(sandbox, 'for f in /proc/self/fd/*; do readlink $f; done')
    closeSync(open)
    const files = stdout
      .trim()
      .split('\n')
      .filter((file) => !/^(socket|pipe):|^\/dev\/null$|^\/proc\//.test(file))
    expect(files).toEqual([])
  })

  test('takes input that is not read, and output in any encoding', async () => {
    expect(await tryScript(sandbox, 'exit 0', { input: 'x'.repeat(1_000_000) })).toMatchObject({ exitCode: 0 })
    expect((await tryScript(sandbox, "printf '\\377\\000x'")).bytes).toBe(3)
  })

  test('runs many at once', async () => {
    const ends = await Promise.all(Array.from({ length: 20 }, (_, index) => tryScript(sandbox, `echo ${index}`)))
    expect(ends.map(({ stdout }) => stdout.trim())).toEqual(Array.from({ length: 20 }, (_, index) => String(index)))
  })

  describe('refuses, with a sentence,', () => {
    const link = join(folder.parent, 'link')
    symlinkSync('/etc', link)
    test.each([
      ['a folder that is not there', { writePaths: ['/nonexistent/x'] }, 'There is no'],
      ['a relative folder', { writePaths: ['work'] }, 'not an absolute path'],
      ['the root', { writePaths: ['/'] }, 'its own'],
      ['the root in disguise', { readPaths: ['/usr/..'] }, 'its own'],
      ['the processes', { readPaths: ['/proc/1'] }, 'its own'],
      ['the devices', { readPaths: ['/dev'] }, 'its own'],
      ['the system for writing', { writePaths: ['/usr/local'] }, 'belongs to the system'],
      ['a folder behind a link', { readPaths: [link] }, 'symbolic link'],
      ['a folder behind a link on the way', { readPaths: [join(link, 'ssl')] }, 'symbolic link'],
      ['a device', { readPaths: ['/dev/null'] }, 'its own'],
      ['a directory to run in that is not there', { cwd: '/nonexistent' }, 'could not be set up'],
      ['a command that is too long', { command: ['/bin/echo', 'x'.repeat(200_000)] as [string, string] }, 'too long'],
      ['a command with a NUL', { command: ['/bin/echo', 'a\0b'] as [string, string] }, 'NUL'],
      ['no command', { command: [''] as [string] }, 'no program'],
      ['a variable that is none', { environment: { 'A=B': 'x' } }, 'not the name'],
      ['a limit that is none', { limits: { memoryBytes: Number.NaN } }, 'memoryBytes'],
    ])('%s', async (_what, changes, sentence) => {
      const trying = tryScript(sandbox, 'echo started', changes)
      await expect(trying).rejects.toThrow(SandboxProblem)
      await expect(trying).rejects.toThrow(sentence)
    })
  })
})

describeNeeding(['bubblewrap', 'root'], 'as root', () => {
  test('a folder below one that nobody else may enter works, and nothing beside it is there', async () => {
    const closed = makeWorkFolder()
    writeFileSync(join(closed.parent, 'secret'), 'secret')
    chmodSync(closed.parent, 0o700)
    try {
      const script = `echo text > made; ls -A ..; cat ../secret; cat made`
      const end = await tryScript(machineSandbox(), script, { cwd: closed.path, writePaths: [closed.path] })
      expect(end.stdout).toBe('work\ntext\n')
      const { uid, gid } = statSync(join(closed.path, 'made'))
      expect({ uid, gid }).toEqual(sandboxAccount())
    } finally {
      closed.remove()
    }
  })

  test('programs do not run as root', async () => {
    const seconds = uniqueSeconds()
    const running = tryScript(machineSandbox(), `exec sleep ${seconds}`, { limits: { wallClockMs: 500 } })
    await pause(250)
    const [pid] = processesWith(seconds).filter((found) => readFileSync(`/proc/${found}/comm`, 'utf8') === 'sleep\n')
    expect(readFileSync(`/proc/${pid}/status`, 'utf8')).toContain(`Uid:\t${sandboxAccount()?.uid}\t`)
    await running
  })
})
