import { describe, expect, it } from 'vitest'
import { type Answer, type AnyTool, succeeded } from '../contract.ts'
import { testExecutor, testTool } from './testing.ts'

const answer: Answer = { verdict: 'approve', value: 'blue', memberId: 'ann' }
const question = { kind: 'choice', title: 'Which colour?', options: ['red', 'blue'] } as const
const asking = (more: Partial<AnyTool> = {}) =>
  testTool(async () => ({ suspend: question }), {
    name: 'ask_user',
    resume: async (args, given) => succeeded(`${(args as { of: string }).of} is ${given.value} (${given.verdict})`),
    ...more,
  })

describe('a tool that needs a person', () => {
  it('suspends with its question, and goes on with the answer', async () => {
    const { call, events } = testExecutor([asking()])
    const suspended = await call('ask_user', { of: 'the sky' })
    expect(suspended).toMatchObject({
      kind: 'suspended',
      tool: 'ask_user',
      question,
      decision: { verdict: 'allow' },
      taint: [],
    })
    // Nothing was kept in between: it could be another machine.
    const { finish } = testExecutor([asking()])
    expect((await finish('ask_user', { of: 'the sky' }, { answer })).output).toBe('the sky is blue (approve)')
    expect(events.map((event) => event.type)).toEqual([
      'tool-call-request',
      'decision',
      'tool-call-start',
      'question-ask',
    ])
  })

  it('may ask again', async () => {
    const { call } = testExecutor([asking({ resume: async () => ({ suspend: { kind: 'text', title: 'Why?' } }) })])
    expect(await call('ask_user', {}, { answer })).toMatchObject({ kind: 'suspended', question: { kind: 'text' } })
  })

  it('learns of a no as of a yes', async () => {
    const { finish } = testExecutor([asking()])
    const denied = { ...answer, verdict: 'deny' as const }
    expect((await finish('ask_user', { of: 'it' }, { answer: denied })).output).toBe('it is blue (deny)')
  })

  it('is checked against the policy again when it goes on', async () => {
    const { finish } = testExecutor([asking()], { config: { profile: 'full', deny: ['ask_user'] } })
    expect((await finish('ask_user', {}, { answer })).code).toBe('refused_by_policy')
  })

  it('fails clearly where it cannot go on with an answer', async () => {
    const { finish } = testExecutor([testTool()])
    const outcome = await finish('test.tool', {}, { answer })
    expect(outcome).toMatchObject({ success: false, code: 'tool_failed' })
    expect(outcome.error).toContain('cannot go on with an answer')
  })

  it('shows no secret in its question, and passes on what it read', async () => {
    const tool = asking({
      untrusted: true,
      requiredSecretScopes: ['key'],
      execute: async (_, context) => ({ suspend: { kind: 'text', title: `Is ${context.secrets.get('KEY')} right?` } }),
    })
    const secrets = { read: () => new Map([['KEY', 'sk-very-secret']]) }
    const { call } = testExecutor([tool], { secrets })
    expect(await call('ask_user')).toMatchObject({
      question: { title: 'Is [redacted:KEY] right?' },
      taint: ['ask_user'],
    })
  })

  it('has work for others, and what they read for it taints what it goes on with', async () => {
    const tasks = [{ title: 'Count', task: 'Count the files.' }]
    const { call, finish } = testExecutor([asking({ execute: async () => ({ suspend: { kind: 'runs', tasks } }) })])
    expect(await call('ask_user', { of: 'it' })).toMatchObject({ kind: 'delegated', tasks, taint: [] })
    const outcome = await finish('ask_user', { of: 'it' }, { answer, taint: ['web.fetch'] })
    expect(outcome).toMatchObject({ success: true, taint: ['web.fetch'] })
    expect(outcome.output).toContain('untrusted-content')
  })

  it('fails clearly where the work for others cannot be read, or nothing could come of it', async () => {
    for (const tasks of [[], [{}], [{ title: 'x', task: ' ' }], [{ title: 'x', task: 'y', agentId: 7 }], 'all of it']) {
      const execute = async () => ({ suspend: { kind: 'runs', tasks: tasks as never } as const })
      expect((await testExecutor([asking({ execute })]).finish('ask_user')).code).toBe('tool_crashed')
    }
    const execute = async () => ({ suspend: { kind: 'runs', tasks: [{ title: 'x', task: 'y' }] } as const })
    const { finish } = testExecutor([testTool(execute)])
    expect((await finish('test.tool')).error).toContain('cannot go on')
  })

  it('fails clearly where its question cannot be shown', async () => {
    for (const suspend of [
      { kind: 'choice', title: 'x', options: [] },
      { kind: 'form', title: 'x', tabs: [{}] },
      { kind: 'dance', title: 'x' },
      { kind: 'text', title: '' },
    ]) {
      const { finish } = testExecutor([asking({ execute: async () => ({ suspend: suspend as never }) })])
      expect((await finish('ask_user')).error).toContain('a question that cannot be shown')
    }
  })
})
