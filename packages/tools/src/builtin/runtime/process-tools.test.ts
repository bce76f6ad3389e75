import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { testExecutor } from '../../executor/testing.ts'
import { describeNeeding, machineSandbox } from '../../sandbox/testing/needs.ts'
import { processesWith, uniqueSeconds } from '../../sandbox/testing/try-program.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { BackgroundProcesses } from './background-processes.ts'
import { createProcessTools } from './process-tools.ts'
import { makeWorkplace } from './testing.ts'

const place = makeWorkplace()
const processes = new BackgroundProcesses()
afterAll(async () => {
  await processes.stop()
  place.remove()
})

describeNeeding(['bubblewrap'], 'process tools', () => {
  const options = { sandbox: machineSandbox(), ...place, processes }
  const tools = createProcessTools(options)
  const [start, status, kill] = tools as [never, never, never]
  describeToolContract(start, { validArguments: { command: 'echo', args: ['hello'] } })
  describeToolContract(status, { validArguments: { pid: 12_345 } })
  describeToolContract(kill, { validArguments: { pid: 12_345 } })

  const silent = { config: { profile: 'full' as const, hooks: [{ pattern: '*', hook: 'silent' as const }] } }
  const { finish } = testExecutor(tools, silent)
  const startProcess = async (args: object) => {
    const outcome = await finish('process.start', args)
    if (!outcome.success) throw new Error(outcome.error ?? '')
    return (outcome.data as { pid: number }).pid
  }

  test('a process goes on after the call, and its output is there', async () => {
    const pid = await startProcess({ command: 'echo first; sleep 0.5; echo second; sleep 60' })
    expect(await finish('process.status', { pid })).toMatchObject({
      success: true,
      data: { running: true, output: 'first' },
    })
    await pause(600)
    expect(await finish('process.status', { pid, lines: 1 })).toMatchObject({ data: { output: 'second' } })
    expect(await finish('process.kill', { pid })).toMatchObject({ success: true, data: { running: false } })
    expect((await finish('process.status', { pid })).data).toMatchObject({ running: false, exitCode: 143 })
    expect((await finish('process.kill', { pid })).output).toContain('before this call')
  })

  test('arguments reach the program as they are, past any shell', async () => {
    const pid = await startProcess({ command: '/bin/echo', args: ['$HOME', 'a b', ';', 'ls'] })
    expect((await finish('process.status', { pid })).data).toMatchObject({
      running: false,
      exitCode: 0,
      output: '$HOME a b ; ls',
    })
  })

  test('one that fails at once says so', async () => {
    const outcome = await finish('process.start', { command: 'echo why >&2; exit 7' })
    expect(outcome).toMatchObject({ success: false, output: 'why\n' })
    expect(outcome.error).toContain('exit code 7')
    expect((await finish('process.start', { command: 'nosuchprogram', args: [] })).error).toContain('127')
  })

  test('one that ignores SIGTERM is ended by SIGKILL, with all it started', async () => {
    const seconds = uniqueSeconds()
    const pid = await startProcess({ command: `trap '' TERM; setsid sleep ${seconds} & while :; do sleep 0.1; done` })
    expect((await finish('process.kill', { pid })).error).toContain('SIGKILL')
    expect(await finish('process.kill', { pid, signal: 'SIGKILL' })).toMatchObject({ success: true })
    expect(processesWith(seconds)).toEqual([])
  })

  test('nobody reaches a process that is not theirs, of whatever kind', async () => {
    const pid = await startProcess({ command: 'sleep 60' })
    for (const caller of [{ workspaceId: 'other' }, { agentId: 'other' }])
      for (const name of ['process.status', 'process.kill'])
        expect((await finish(name, { pid }, {}, caller)).error).toContain('There is no process')
    expect((await finish('process.kill', { pid: process.pid })).error).toContain('There is no process')
    expect((await finish('process.status', { pid: 1 })).error).toContain(String(pid))
    await finish('process.kill', { pid, signal: 'SIGKILL' })
  })

  test('endless output is kept to its end', async () => {
    const pid = await startProcess({ command: 'yes something; true' })
    const before = process.memoryUsage().rss
    await pause(700)
    expect(process.memoryUsage().rss - before).toBeLessThan(200 * 1024 ** 2)
    expect(
      ((await finish('process.status', { pid, lines: 2_000 })).data as { output: string }).output.length,
    ).toBeLessThan(70_000)
    await finish('process.kill', { pid, signal: 'SIGKILL' })
  })

  test('the number of processes is limited, and a stop ends them all', async () => {
    const own = new BackgroundProcesses()
    const { finish: finishOwn } = testExecutor(createProcessTools({ ...options, processes: own }), silent)
    const seconds = uniqueSeconds()
    const started = await Promise.all(
      Array.from({ length: 21 }, () => finishOwn('process.start', { command: `sleep ${seconds}` })),
    )
    const refused = started.filter(({ success }) => !success)
    expect(refused.map(({ error }) => error)).toEqual([expect.stringContaining('20 processes already')])
    await own.stop()
    expect(processesWith(seconds)).toEqual([])
    expect((await finishOwn('process.start', { command: 'true' })).error).toContain('being stopped')
  })
})
