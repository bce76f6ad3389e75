import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { testExecutor } from '../../executor/testing.ts'
import { createSandbox } from '../../sandbox/create-sandbox.ts'
import { describeNeeding, machineSandbox } from '../../sandbox/testing/needs.ts'
import { processesWith, uniqueSeconds } from '../../sandbox/testing/try-program.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { createShellExecTool } from './shell-exec.ts'
import { makeWorkplace } from './testing.ts'

const place = makeWorkplace()
afterAll(place.remove)
beforeEach(() => place.kept.clear())

describeNeeding(['bubblewrap'], 'shell.exec', () => {
  const tool = createShellExecTool({ sandbox: machineSandbox(), ...place })
  describeToolContract(tool, {
    validArguments: { command: 'echo hello' },
    invalidArguments: [{ command: '' }, { command: 'ls', timeout: 0 }, { command: 'ls', timeout: 10_000_000 }],
  })
  const { call, finish } = testExecutor([tool], {
    config: { profile: 'full', hooks: [{ pattern: '*', hook: 'silent' }] },
  })
  const run = (command: string, more: object = {}, name = 'shell.exec', config: object = {}) =>
    finish(name, { command, ...more }, {}, { configs: new Map([['shell.exec', config as Record<string, unknown>]]) })

  test('returns what a command wrote, and its exit code', async () => {
    expect(await run('echo hello')).toMatchObject({
      success: true,
      output: 'hello\n',
      data: { exitCode: 0, sandbox: 'bubblewrap' },
    })
    const bad = await run('echo out; echo err >&2; exit 3')
    expect(bad).toMatchObject({ success: false, code: 'tool_failed', output: 'out\n[stderr]\nerr\n' })
    expect(bad.error).toContain('Exit code 3')
    expect((await run('nosuchprogram')).error).toContain('command not found')
    expect((await run('true')).output).toBe('(no output)')
  })

  test("takes nodyn's and Lynkr's arguments", async () => {
    expect((await finish('bash', { command: 'sleep 5', timeout_ms: 200 })).error).toContain('after 0.2 s')
    const many = await finish('Bash', { command: 'seq 5000', timeout: 60_000 })
    expect(many.output.split('\n').length).toBeLessThan(1_010)
    expect(many.output).toContain('lines left out')
    expect(many.output).toMatch(/^1\n2\n.*4999\n5000\n?$/s)
  })

  test('keeps the directory for the next command of the conversation, and for no other', async () => {
    await run('mkdir -p a/b && cd a/b')
    expect((await run('pwd')).output.trim()).toBe(join(place.path, 'a/b'))
    await run('cd ..; false')
    expect((await run('pwd')).output.trim()).toBe(join(place.path, 'a'))
    const other = await finish('shell.exec', { command: 'pwd' }, {}, { conversationId: 'another' })
    expect(other.output.trim()).toBe(place.path)
    // It is kept without the machine's own path.
    expect([...place.kept.values()]).toEqual(['a'])
    await run('cd /tmp')
    expect((await run('pwd')).output.trim()).toBe(place.path)
    await run('cd a; exec true')
    expect((await run('pwd')).output.trim()).toBe(place.path)
  })

  test('goes on in the work folder where the directory is gone', async () => {
    await run('mkdir gone && cd gone')
    rmSync(join(place.path, 'gone'), { recursive: true })
    expect((await run('pwd')).output.trim()).toBe(place.path)
  })

  test('the card shows the resolved directory, and what was approved runs there', async () => {
    mkdirSync(join(place.path, 'project'), { recursive: true })
    await run('cd project')
    const asking = testExecutor([tool])
    const asked = await asking.call('Bash', { command: 'pwd\necho second' })
    if (asked.kind !== 'ask') throw new Error(asked.kind)
    expect(asked.summary).toMatchObject({
      title: 'Run pwd (and 1 more lines)',
      facts: [{ label: 'Command' }, { label: 'Directory', value: 'project' }],
    })
    // The directory moves on before somebody answers.
    await run('cd ..')
    const approval = { digest: asked.digest, by: 'member', via: 'answer' } as const
    const done = await asking.call('shell.exec', asked.arguments, { approval })
    expect(done).toMatchObject({
      success: true,
      output: expect.stringContaining(`${join(place.path, 'project')}\nsecond`),
    })
  })

  test.each([
    ['../..', 'outside'],
    ['/', 'outside'],
    ['/etc', 'outside'],
    ['nowhere', 'no folder'],
    ['tolink', 'no folder'],
    ['a\0b', 'outside'],
  ])('refuses the directory %j', async (cwd, sentence) => {
    rmSync(join(place.path, 'tolink'), { force: true })
    symlinkSync('/etc', join(place.path, 'tolink'))
    const outcome = await call('shell.exec', { command: 'pwd', cwd })
    expect(outcome).toMatchObject({
      kind: 'finished',
      code: 'invalid_arguments',
      error: expect.stringContaining(sentence),
    })
  })

  test('ends all of it at its time, and when it is stopped', async () => {
    const seconds = uniqueSeconds()
    const late = await run(`echo begun; setsid sleep ${seconds} & sleep ${seconds}`, { timeout: 300 })
    expect(late).toMatchObject({ success: false, output: 'begun\n' })
    const controller = new AbortController()
    setTimeout(() => controller.abort(), 200)
    const stopped = await finish(
      'shell.exec',
      { command: `setsid sleep ${seconds} & sleep ${seconds}` },
      {},
      { signal: controller.signal },
    )
    expect(stopped.code).toBe('stopped')
    expect(processesWith(seconds)).toEqual([])
  })

  test('ends a command that writes without end, and shows the beginning and the end', async () => {
    const endless = await run('yes line')
    expect(endless.error).toContain('10240 KB')
    expect(endless.output.length).toBeLessThan(70_000)
    expect(endless.output).toContain('lines left out')
  })

  test('shows what is no text without breaking', async () => {
    const { output, success } = await run("printf 'a\\000b\\377c'; head -c 100000 /dev/zero | tr '\\0' x")
    expect(success).toBe(true)
    expect(output.startsWith('a\uFFFDb\uFFFDc')).toBe(true)
    expect(output).toContain('more characters')
  })

  test('a fork bomb ends with its time, and nothing is left', async () => {
    const bomb = await run(':(){ :|:& };:; sleep 10', { timeout: 1_000 }, 'shell.exec', { processes: 30 })
    expect(bomb.success).toBe(false)
    expect((await run('echo alive')).output).toBe('alive\n')
  })

  test('a command can be anything that a shell takes', async () => {
    const command = `cat <<'EOF' | tr a-z A-Z
it's "quoted" $HOME
EOF
echo "\${BASH_VERSION:+bash}"; [[ a == a ]] && echo 'ok'`
    expect((await run(command)).output).toBe('IT\'S "QUOTED" $HOME\nbash\nok\n')
    expect((await run('echo "unclosed')).error).toContain('Exit code')
    expect((await run('x'.repeat(100_001))).code).toBe('invalid_arguments')
  })

  test('has no network and no secret, and its home is not ours', async () => {
    process.env.QM_TEST_SECRET = 'hush'
    const { output } = await run(
      'env; cat /proc/1/environ; (exec 3<>/dev/tcp/127.0.0.1/22) 2>&1; ls /sys/class/net 2>&1',
    )
    delete process.env.QM_TEST_SECRET
    expect(output).not.toContain('hush')
    expect(output).toContain('HOME=/tmp')
    expect(output).toMatch(/refused|unreachable/)
  })

  test('a folder that the owner opened can be read', async () => {
    const { output } = await run(`cat ${import.meta.dirname}/testing.ts | head -1`, {}, 'shell.exec', {
      read_paths: [import.meta.dirname],
    })
    expect(output).toBe(`${readFileSync(join(import.meta.dirname, 'testing.ts'), 'utf8').split('\n')[0]}\n`)
    expect((await run('true', {}, 'shell.exec', { read_paths: ['/nonexistent'] })).error).toContain('There is no')
  })
})

describe('without a sandbox', () => {
  const sandbox = createSandbox({ kind: 'none', detail: '', fix: null })
  const tool = createShellExecTool({ sandbox, ...place })
  const { finish } = testExecutor([tool], { config: { profile: 'full', hooks: [{ pattern: '*', hook: 'silent' }] } })

  test('commands are refused before anybody is asked, with what would help', async () => {
    const outcome = await finish('shell.exec', { command: 'echo x' })
    expect(outcome).toMatchObject({ success: false, code: 'invalid_arguments' })
    expect(outcome.error).toContain('apt install bubblewrap')
  })

  test('they run where the owner agreed to it, and the result says so', async () => {
    const configs = new Map([['shell.exec', { unconfined: true }]])
    const outcome = await finish('shell.exec', { command: 'echo x' }, {}, { configs })
    expect(outcome).toMatchObject({ success: true, output: 'x\n', data: { sandbox: 'none' } })
  })
})
