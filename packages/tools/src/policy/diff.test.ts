import { expect, test } from 'vitest'
import { diffPolicies, type PastCall } from './diff.ts'
import { Policy } from './policy.ts'
import { source, tool } from './testing.ts'

const tools = source(tool('file.read'), tool('shell.exec', { effect: 'execute' }))
const before = new Policy({ profile: 'full' })
const call = (id: number, name: string, args: unknown = {}): PastCall => ({
  id: String(id),
  tool: name,
  arguments: args,
  context: {},
})

test('says what would be decided otherwise, with both trails', async () => {
  const after = new Policy({
    profile: 'full',
    deny: ['file.*'],
    rules: [
      {
        id: 'r',
        name: 'status',
        pattern: 'shell.exec',
        conditions: [{ path: 'command', command: 'git status*' }],
        verdict: 'allow',
      },
    ],
  })
  const calls = [
    call(1, 'file.read'),
    call(2, 'shell.exec', { command: 'git status' }),
    call(3, 'shell.exec', { command: 'rm x' }),
    call(4, 'gone.tool'),
    call(5, 'file.read'),
  ]
  const diff = await diffPolicies(before, after, calls, tools)
  expect(diff).toMatchObject({ calls: 5, unchanged: 1, gone: 1, counts: { 'allow→deny': 2, 'ask→allow': 1 } })
  expect(diff.changed.map(({ call: { id }, change }) => `${id} ${change}`)).toEqual([
    '1 allow→deny',
    '2 ask→allow',
    '5 allow→deny',
  ])
  expect(diff.changed[0]!.after.trail.at(-1)!.reason).toBe('denied by the workspace: file.*')
  expect(diff.changed[1]!.before.trail.at(-1)!.layer).toBe('hook')
})

test('other approvers are a change too', async () => {
  const after = new Policy({ profile: 'full', approval: { required: 2 } })
  const diff = await diffPolicies(before, after, [call(1, 'shell.exec'), call(2, 'file.read')], tools)
  expect(diff.counts).toEqual({ 'ask→ask': 1 })
})

test('the same policy changes nothing', async () => {
  const diff = await diffPolicies(before, new Policy({ profile: 'full' }), [call(1, 'shell.exec')], tools)
  expect(diff).toMatchObject({ unchanged: 1, counts: {}, changed: [] })
})

test('streams however many calls there are and keeps only as many as it lists', async () => {
  async function* recorded() {
    for (let i = 0; i < 200_000; i++) yield call(i, 'file.read')
  }
  const after = new Policy({ profile: 'full', deny: ['*'] })
  const diff = await diffPolicies(before, after, recorded(), tools, { mostOfEach: 10 })
  expect(diff).toMatchObject({ calls: 200_000, counts: { 'allow→deny': 200_000 }, notListed: 199_990 })
  expect(diff.changed).toHaveLength(10)
})

test('the few of one kind are listed beside the many of another, over all parts together', async () => {
  const after = new Policy({ profile: 'full', deny: ['file.*'], hooks: [{ pattern: 'shell.exec', hook: 'log' }] })
  const listed = {}
  const part = (...calls: PastCall[]) => diffPolicies(before, after, calls, tools, { mostOfEach: 2, listed })
  const first = await part(call(1, 'file.read'), call(2, 'file.read'), call(3, 'file.read'))
  const second = await part(call(4, 'file.read'), call(5, 'shell.exec'))
  expect([...first.changed, ...second.changed].map(({ call: { id } }) => id)).toEqual(['1', '2', '5'])
  expect([first.notListed, second.notListed]).toEqual([1, 1])
})
