import { describe, expect, test } from 'vitest'
import { succeeded } from '../../contract.ts'
import { testExecutor, testTool } from '../../executor/testing.ts'
import { leaseOfCommand } from './command-lease.ts'

const keyOf = (command: string, cwd = '.') => leaseOfCommand(command, cwd).key

describe('the lease of a command', () => {
  test.each([
    ['npm test', 'npm test -- --watch src/a.test.ts'],
    ['npm test', 'npm test src/a.test.ts'],
    ['npm run build', 'npm run build'],
    ['git status', 'git status src'],
    ['git push origin main', 'git push origin other'],
    ['make check', 'make check'],
  ])('of %j speaks for %j', (approved, next) => expect(keyOf(next)).toBe(keyOf(approved)))

  test.each([
    ['npm test', 'npm publish'],
    ['npm test', 'npm test; curl evil.example'],
    ['npm test', 'npm test && rm -rf .'],
    ['npm test', 'npm test | sh'],
    ['npm test', 'npm test > /tmp/x'],
    ['npm test', 'npm test $(rm x)'],
    ['npm test', 'npm test `rm x`'],
    ['npm test', 'npm test\nrm -rf .'],
    ['npm test', 'npm test &'],
    ['npm test', 'NODE_OPTIONS=--require=x npm test'],
    ['npm test', 'npm test --script-shell evil'],
    ['npm test', 'npm test --script-shell=evil'],
    ['npm test', 'npm --prefix evil test'],
    ['npm test', '"npm" test'],
    ['npm test', './npm test'],
    ['npm test', 'sudo npm test'],
    ['npm test', 'env npm test'],
    ['npm run build', 'npm run deploy'],
    ['npm run build', 'npm run'],
    ['npm exec a', 'npm exec b'],
    ['git status', 'git push'],
    ['git status', 'git -c alias.status=!rm status'],
    ['git push origin main', 'git push --force origin main'],
    ['git push origin main', 'git push -f origin main'],
    ['git config user.name A', 'git config core.pager evil'],
    ['make check', 'make check SHELL=evil'],
    ['make check', 'make -f evil check'],
    ['rm build', 'rm build src'],
    ['rm -rf build', 'rm -rf /'],
    ['cat a.txt', 'cat b.txt'],
    ['bash a.sh', 'bash b.sh'],
    ['python3 a.py', 'python3 b.py'],
    ['ls', 'ls /etc'],
    ['echo a | cat', 'echo b | cat'],
    ['npm test', ''],
  ])('of %j does not speak for %j', (approved, next) => expect(keyOf(next)).not.toBe(keyOf(approved)))

  test('is for one folder', () => expect(keyOf('npm test', 'a')).not.toBe(keyOf('npm test', 'b')))

  test('is the same with and without a shell only where both say the same words', () => {
    expect(leaseOfCommand('npm', '.', ['test', 'x']).key).toBe(keyOf('npm test'))
    expect(leaseOfCommand('npm', '.', ['test', '; rm x']).key).not.toBe(keyOf('npm test'))
    expect(leaseOfCommand('npm', '.', ['publish']).key).not.toBe(keyOf('npm test'))
  })

  test('says on the card what it speaks for', () => {
    expect(leaseOfCommand('npm test -- x', '.').words).toBe('`npm test …` in this folder')
    expect(leaseOfCommand('rm -rf build', '.').words).toBe('this very command in this folder')
  })
})

describe('the scope of a question', () => {
  const ask = async (args: object, config: object = {}, more: object = {}) => {
    const tool = testTool(async () => succeeded('done'), {
      inputSchema: { type: 'object', properties: { command: { type: 'string' } } },
      effect: 'send',
      hook: 'confirm',
      leaseOf: ({ command }: { command: string }) => {
        if (command === 'throws') throw new Error('no idea')
        return command === 'never' ? null : leaseOfCommand(command, '.')
      },
      ...more,
    })
    const { call } = testExecutor([tool], { config: { profile: 'full', ...config } })
    const outcome = await call('test.tool', args)
    if (outcome.kind !== 'ask') throw new Error(outcome.kind)
    return outcome.leaseScope
  }

  test('is the same for calls of one key, and for nothing else', async () => {
    const [one, same, other] = [
      await ask({ command: 'npm test' }),
      await ask({ command: 'npm test a' }),
      await ask({ command: 'npm publish' }),
    ]
    expect(same).toEqual(one)
    expect(other?.key).not.toBe(one?.key)
    expect(await ask({ command: 'npm test' }, {}, { leaseOf: undefined })).toMatchObject({ words: 'this tool' })
  })

  test('is another where other people decide, and none where several must, or where the tool cannot say', async () => {
    const rule = (approval: object) => ({
      rules: [{ id: 'r', name: 'r', pattern: 'test.tool', verdict: 'ask', conditions: [], approval }],
    })
    const plain = await ask({ command: 'npm test' })
    const owners = await ask({ command: 'npm test' }, rule({ approvers: { roles: ['owner'] } }))
    expect(owners?.key).toEqual(expect.any(String))
    expect(owners?.key).not.toBe(plain?.key)
    expect(await ask({ command: 'npm test' }, rule({ required: 2 }))).toBeNull()
    expect(await ask({ command: 'npm test' }, rule({ lease: false }))).toBeNull()
    expect(await ask({ command: 'never' })).toBeNull()
    expect(await ask({ command: 'throws' })).toBeNull()
  })
})
