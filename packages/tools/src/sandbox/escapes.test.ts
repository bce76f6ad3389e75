// The corpus of ways out, as root and as an ordinary user. The controls plant a bug each: a corpus that finds nothing in
// a sandbox with a hole finds nothing anywhere.
import { execFile } from 'node:child_process'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { holdsUnlikePlantedBug } from '../guard/planted-bug.ts'
import { runAsOrdinaryUser } from './testing/as-ordinary-user.ts'
import { attemptEscapes } from './testing/attempt-escapes.ts'
import { escapeCorpus } from './testing/escape-corpus.ts'
import { describeNeeding, machineSandbox } from './testing/needs.ts'
import { weakened } from './testing/try-program.ts'
import { makeWorkFolder } from './testing/work-folder.ts'

test('the corpus has more than 100 ways out, each another one', () => {
  expect(escapeCorpus.length).toBeGreaterThan(150)
  expect(new Set(escapeCorpus.map(({ code }) => code)).size).toBe(escapeCorpus.length)
})

describeNeeding(['bubblewrap'], 'no program gets out of the sandbox', () => {
  test('by any way of the corpus', async () => {
    const { attempted, evidence } = await attemptEscapes(machineSandbox())
    expect(evidence).toEqual([])
    expect(attempted).toBe(escapeCorpus.length)
  })

  test('a hole in the paths is found', async () => {
    const only = ({ by }: { by: string }) => by === 'read' || by === 'write'
    const weaken = (request: Parameters<ReturnType<typeof machineSandbox>['run']>[0], outside: string) => ({
      ...request,
      writePaths: [...(request.writePaths ?? []), outside],
    })
    const { evidence } = await attemptEscapes(machineSandbox(), { only, weaken })
    expect(evidence.filter((line) => line.includes('read the canary')).length).toBeGreaterThan(8)
    expect(evidence).toContain('write: the canary was changed')
  })

  test('a hole in the network is found', async () => {
    const open = weakened(machineSandbox(), (request) => ({ ...request, network: 'all' }))
    const { evidence } = await attemptEscapes(open, { only: ({ by }) => by === 'network' })
    expect(evidence.find((line) => line.includes('connections arrived'))).toBeDefined()
  })
})

describeNeeding(['bubblewrap', 'root'], 'as root as well as without rights', () => {
  test('an ordinary user’s programs do not get out either', async () => {
    const script = join(import.meta.dirname, 'testing/print-attempts.ts')
    const result = JSON.parse(await runAsOrdinaryUser(script))
    expect(result).toMatchObject({ kind: 'bubblewrap', attempted: escapeCorpus.length, evidence: [] })
    expect(result.uid).toBeGreaterThan(0)
  })

  test('bwrap as root without our other measures is escaped from, as was measured', async () => {
    const folder = makeWorkFolder()
    const script = `mount -o remount,bind,rw / && echo x > ${folder.parent}/out && echo written`
    const attempt = (before: string[]) => async () => {
      const [file = '', ...args] = [...before, '/bin/sh', '-c', script]
      const { stdout } = await promisify(execFile)(file, args).catch(() => ({ stdout: '' }))
      return stdout.trim()
    }
    const bare = ['bwrap', '--unshare-all', '--ro-bind', '/', '/']
    try {
      await holdsUnlikePlantedBug(
        attempt(['setpriv', '--reuid=48231', '--regid=48231', '--clear-groups', '--', ...bare, '--cap-drop', 'ALL']),
        attempt(bare),
        async (getOut) => expect(await getOut()).toBe(''),
      )
    } finally {
      folder.remove()
    }
  })
})
