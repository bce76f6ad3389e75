// Every limit of a request holds, and the test of it fails where it does not.
import { expect, test } from 'vitest'
import { holdsUnlikePlantedBug } from '../guard/planted-bug.ts'
import type { ProgramLimits, Sandbox } from './sandbox.ts'
import { describeNeeding, machineSandbox } from './testing/needs.ts'
import { ampleLimits, tryScript, weakened } from './testing/try-program.ts'
import { makeWorkFolder } from './testing/work-folder.ts'

const megabyte = 1024 * 1024

describeNeeding(['bubblewrap'], 'a program in the sandbox', () => {
  const sandbox = machineSandbox()
  const without = (...names: (keyof ProgramLimits)[]): Sandbox =>
    weakened(sandbox, (request) => ({
      ...request,
      limits: { ...request.limits, ...Object.fromEntries(names.map((name) => [name, ampleLimits[name]])) },
    }))

  test('ends at its time', () =>
    holdsUnlikePlantedBug(sandbox, without('wallClockMs'), async (tried) => {
      const end = await tryScript(tried, 'sleep 2', { limits: { wallClockMs: 300 } })
      expect(end).toMatchObject({ endedBy: 'timeout', exitCode: null, signal: 'SIGKILL' })
      expect(end.durationMs).toBeLessThan(1_500)
    }))

  test('has no more processor time than it was given', { timeout: 60_000 }, () =>
    holdsUnlikePlantedBug(sandbox, without('cpuSeconds'), async (tried) => {
      const limits = { cpuSeconds: 1, wallClockMs: 12_000 }
      expect(await tryScript(tried, 'while :; do :; done', { limits })).toMatchObject({ endedBy: null, exitCode: 137 })
    }),
  )

  test('has no more memory than it was given', () =>
    holdsUnlikePlantedBug(sandbox, without('memoryBytes'), async (tried) => {
      const script = 'head -c 100M /dev/zero | tail -c 100M | wc -c'
      expect((await tryScript(tried, script, { limits: { memoryBytes: 64 * megabyte } })).stdout.trim()).toBe('0')
    }))

  test('gets round the memory with memory files no further', () =>
    holdsUnlikePlantedBug(sandbox, without('memoryBytes'), async (tried) => {
      const script = 'for d in /tmp /dev/shm; do head -c 60M /dev/zero > $d/f; stat -c %s $d/f; done'
      const { stdout } = await tryScript(tried, script, { limits: { memoryBytes: 64 * megabyte } })
      for (const size of stdout.trim().split('\n')) expect(Number(size)).toBeLessThanOrEqual(32 * megabyte)
    }))

  test('writes no larger file than it may', () =>
    holdsUnlikePlantedBug(sandbox, without('fileBytes'), async (tried) => {
      const script = 'head -c 2M /dev/zero > f; stat -c %s f'
      expect((await tryScript(tried, script, { limits: { fileBytes: megabyte } })).stdout.trim()).toBe(String(megabyte))
    }))

  test('and all that it starts have no more memory together than they were given', { timeout: 60_000 }, () =>
    holdsUnlikePlantedBug(sandbox, without('totalMemoryBytes'), async (tried) => {
      const one = '(head -c 40M /dev/zero; sleep 6) | tail -c 40M > /dev/null'
      const limits = { totalMemoryBytes: 100 * megabyte, wallClockMs: 20_000 }
      expect(await tryScript(tried, `for i in 1 2 3 4; do ${one} & done; wait`, { limits })).toMatchObject({
        endedBy: 'memory',
      })
    }),
  )

  test('fills no more of the disk than it may, in however many files', { timeout: 60_000 }, () =>
    holdsUnlikePlantedBug(sandbox, without('diskBytes'), async (tried) => {
      const { path, remove } = makeWorkFolder()
      try {
        const script = 'for i in $(seq 40); do head -c 15M /dev/zero > f$i; sleep 0.05; done'
        const limits = { diskBytes: 40 * megabyte, wallClockMs: 20_000 }
        const end = await tryScript(tried, script, { limits, cwd: path, writePaths: [path] })
        expect(end).toMatchObject({ endedBy: 'disk' })
      } finally {
        remove()
      }
    }),
  )

  test('opens no more files than it may', () =>
    holdsUnlikePlantedBug(sandbox, without('openFiles'), async (tried) => {
      expect((await tryScript(tried, 'ulimit -n', { limits: { openFiles: 20 } })).stdout.trim()).toBe('20')
    }))

  test('forks for ever, and has no more processes than it may; others do not notice', () =>
    holdsUnlikePlantedBug(sandbox, without('processes'), async (tried) => {
      const count = 'for i in $(seq 60); do sleep 3 & done 2>/dev/null; echo $(ls -d /proc/[0-9]* | wc -l)'
      const [bomb, few, other] = await Promise.all([
        tryScript(tried, 'bomb() { bomb | bomb & }; bomb; sleep 1; echo end', {
          limits: { processes: 20, wallClockMs: 2_000 },
        }),
        tryScript(tried, count, { limits: { processes: 20 } }),
        tryScript(sandbox, 'for i in 1 2 3 4 5; do sh -c "echo fine"; sleep 0.1; done'),
      ])
      expect(bomb.durationMs).toBeLessThan(4_000)
      expect(Number(few.stdout.trim() || '0')).toBeLessThanOrEqual(22)
      expect(other.stdout).toBe('fine\n'.repeat(5))
    }))

  test('is ended when it has said enough, while it speaks', async () => {
    const end = await tryScript(sandbox, 'yes', { most: megabyte })
    expect(end.endedBy).toBe('output')
    expect(end.bytes).toBeLessThan(2 * megabyte)
    // A sandbox that does not listen to "enough" would go on until its time.
    const deaf = weakened(sandbox, (request) => ({
      ...request,
      onOutput: (...said) => request.onOutput(...said) || true,
    }))
    expect((await tryScript(deaf, 'yes', { most: megabyte, limits: { wallClockMs: 300 } })).endedBy).toBe('timeout')
  })

  test('has the environment that was said, and no other', async () => {
    process.env.QM_TEST_SECRET = 'secret'
    const { stdout } = await tryScript(sandbox, 'env', { environment: { PATH: '/usr/bin', COLOR: 'a b\nc' } })
    delete process.env.QM_TEST_SECRET
    expect(stdout.split('\n').sort()).toEqual(['', 'COLOR=a b', 'PATH=/usr/bin', 'PWD=/tmp', 'c'])
  })
})
