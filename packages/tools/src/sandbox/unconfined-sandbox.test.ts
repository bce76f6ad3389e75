import { expect, test } from 'vitest'
import { createSandbox } from './create-sandbox.ts'
import { SandboxProblem } from './sandbox.ts'
import { processesWith, tryScript, uniqueSeconds } from './testing/try-program.ts'

const sandbox = createSandbox({ kind: 'none', detail: 'bwrap is not installed.', fix: null })

test('says what it is', () => expect(sandbox.kind).toBe('none'))

test('runs a program without our environment, and never as root', async () => {
  const { stdout, exitCode } = await tryScript(sandbox, 'id -u; env | grep -c TEST_SECRET; echo $COLOR', {
    environment: { PATH: '/usr/bin:/bin', COLOR: 'red' },
  })
  const [uid, secrets, color] = stdout.split('\n')
  expect({ exitCode, secrets, color }).toEqual({ exitCode: 0, secrets: '0', color: 'red' })
  expect(uid).not.toBe('0')
})

test.skipIf(process.platform !== 'linux')('ends what left the process group, too', async () => {
  const seconds = uniqueSeconds()
  await tryScript(sandbox, `setsid sleep ${seconds} & sleep 0.1`)
  await tryScript(sandbox, `setsid sleep ${seconds} & sleep ${seconds}`, { limits: { wallClockMs: 300 } })
  expect(processesWith(seconds)).toEqual([])
})

test('holds to time and output', async () => {
  expect(await tryScript(sandbox, 'sleep 5', { limits: { wallClockMs: 200 } })).toMatchObject({ endedBy: 'timeout' })
  expect(await tryScript(sandbox, 'yes', { most: 100_000 })).toMatchObject({ endedBy: 'output' })
})

test('does not pretend to hold to a list of hosts', async () => {
  await expect(tryScript(sandbox, 'true', { network: { hosts: ['example.com'] } })).rejects.toThrow(SandboxProblem)
})
