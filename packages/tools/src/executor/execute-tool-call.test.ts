import { describe, expect, it } from 'vitest'
import { succeeded } from '../contract.ts'
import { TaintTracker } from '../guard/taint.ts'
import type { Caller } from './outcome.ts'
import { testExecutor, testTool } from './testing.ts'

describe('the order of events', () => {
  it('is request, decision, start, progress, end, each told once', async () => {
    const tool = testTool(async (_, context) => {
      context.progress('halfway')
      return succeeded('done')
    })
    const { finish, events } = testExecutor([tool])
    const outcome = await finish('test.tool', { a: 1 })
    expect(outcome).toMatchObject({
      success: true,
      code: null,
      output: 'done',
      error: null,
      effect: 'read',
      tool: 'test.tool',
    })
    expect(events.map((event) => event.type)).toEqual([
      'tool-call-request',
      'decision',
      'tool-call-start',
      'tool-call-progress',
      'tool-call-end',
    ])
    expect(events.at(-1)).toMatchObject({ toolCallId: 'call 1', outcome })
  })

  it('survives listeners that throw or reject', async () => {
    for (const onEvent of [
      () => {
        throw new Error('listener')
      },
      async () => Promise.reject(new Error('listener')),
    ]) {
      const { finish } = testExecutor([testTool()], { onEvent })
      expect((await finish('test.tool')).success).toBe(true)
    }
  })

  it('finds a tool by its API name and by its aliases, with their arguments', async () => {
    const tool = testTool(async (args) => succeeded(JSON.stringify(args)), {
      name: 'file.read',
      inputSchema: {
        type: 'object',
        properties: { path: { type: 'string' } },
        required: ['path'],
        additionalProperties: false,
      },
      aliases: [{ name: 'Read', system: 'lynkr', arguments: { file_path: 'path' } }],
    })
    const { finish } = testExecutor([tool])
    for (const [name, args] of [
      ['file.read', { path: 'a' }],
      ['file-read', { path: 'a' }],
      ['Read', { file_path: 'a' }],
    ] as const) {
      expect(await finish(name, args)).toMatchObject({ tool: 'file.read', output: '{"path":"a"}' })
    }
  })

  it('gives a tool its context and nothing else', async () => {
    let seen: object = {}
    const { finish } = testExecutor([
      testTool(async (_, context) => {
        seen = context
        return succeeded('')
      }),
    ])
    await finish('test.tool')
    expect(seen).toMatchObject({
      workspaceId: 'workspace',
      conversationId: 'conversation',
      runId: 'run',
      toolCallId: 'call 1',
      agentId: 'agent',
      requesterId: 'member',
      interactive: true,
      config: {},
      secrets: new Map(),
    })
    expect(Object.keys(seen).sort()).toEqual([
      'agentId',
      'config',
      'conversationId',
      'interactive',
      'progress',
      'requesterId',
      'runId',
      'secrets',
      'signal',
      'spend',
      'taint',
      'toolCallId',
      'workspaceId',
      'write',
    ])
  })
})

describe('the policy', () => {
  it('refuses at execution what the model was never shown', async () => {
    let ran = false
    const tool = testTool(
      async () => {
        ran = true
        return succeeded('')
      },
      { name: 'browser.eval' },
    )
    const config = { profile: 'full', deny: ['browser.*'] }
    const { finish } = testExecutor([tool], { config })
    const outcome = await finish('browser.eval')
    expect(outcome).toMatchObject({ success: false, code: 'refused_by_policy' })
    expect(outcome.error).toMatch(/^Tool 'browser\.eval' is not allowed by tool policy/)
    expect(outcome.decision?.verdict).toBe('deny')
    expect(ran).toBe(false)
    expect((await testExecutor([tool]).finish('browser.eval', {}, {}, {})).decision?.verdict).not.toBe('deny')
  })

  it('asks once the run has read what strangers wrote', async () => {
    const taint = new TaintTracker()
    const fetch = testTool(async () => succeeded('buy now'), { name: 'web.page', untrusted: true })
    const send = testTool(async () => succeeded('sent'), { name: 'mail.send', effect: 'send', hook: 'silent' })
    const { call } = testExecutor([fetch, send])
    const caller = (): Partial<Caller> => ({ policy: { autonomy: 'autonomous', taint: taint.sources } })
    expect((await call('mail.send', {}, {}, caller())).kind).toBe('finished')
    taint.record(await call('web.page', {}, {}, caller()))
    expect(taint.sources).toEqual(['web.page'])
    const asked = await call('mail.send', {}, {}, caller())
    expect(asked).toMatchObject({ kind: 'ask', decision: { verdict: 'ask' } })
  })
})

describe('a call that a person must decide on', () => {
  const setUp = () => {
    const ran: unknown[] = []
    const tool = testTool(
      async (args) => {
        ran.push(args)
        return succeeded('written')
      },
      { name: 'file.write', effect: 'write', hook: 'confirm' },
    )
    return { ran, ...testExecutor([tool]) }
  }

  it('asks, and runs when exactly this was approved', async () => {
    const { call, ran, events } = setUp()
    const asked = await call('file.write', { path: 'a' })
    if (asked.kind !== 'ask') throw new Error('it did not ask')
    expect(asked).toMatchObject({
      tool: 'file.write',
      effect: 'write',
      arguments: { path: 'a' },
      summary: { title: 'Test' },
    })
    expect(ran).toEqual([])
    const approval = { digest: asked.digest, by: 'ann', via: 'answer' } as const
    expect(await call('file.write', { path: 'a' }, { approval })).toMatchObject({ kind: 'finished', success: true })
    expect(ran).toEqual([{ path: 'a' }])
    expect(events.map((event) => event.type)).toEqual([
      'tool-call-request',
      'decision',
      'question-ask',
      'tool-call-request',
      'decision',
      'question-answer',
      'tool-call-start',
      'tool-call-end',
    ])
  })

  it('does not run when the arguments, the folder or the tool changed after the approval', async () => {
    const { call, ran, registry } = setUp()
    const asked = await call('file.write', { path: 'a' }, {}, { workingDirectory: '/work' })
    if (asked.kind !== 'ask') throw new Error('it did not ask')
    const approval = { digest: asked.digest, by: 'ann', via: 'answer' } as const
    const inFolder = { workingDirectory: '/work' }
    const changed = await call('file.write', { path: 'b' }, { approval }, inFolder)
    expect(changed).toMatchObject({ kind: 'finished', code: 'changed_after_approval' })
    expect(await call('file.write', { path: 'a' }, { approval }, { workingDirectory: '/other' })).toMatchObject({
      code: 'changed_after_approval',
    })
    const tool = registry.get('file.write')
    registry.unregister('file.write')
    registry.register({ ...tool!, description: 'Writes a file, and mails it.' })
    expect(await call('file.write', { path: 'a' }, { approval }, inFolder)).toMatchObject({
      code: 'changed_after_approval',
    })
    expect(ran).toEqual([])
  })

  it('is cancelled when a person says no, with their reason', async () => {
    const { finish, ran } = setUp()
    expect(await finish('file.write', {}, { denial: { by: 'ann' } })).toMatchObject({
      code: 'denied',
      error: 'Tool execution cancelled by user',
    })
    expect((await finish('file.write', {}, { denial: { by: 'ann', reason: 'wrong file' } })).error).toContain(
      'wrong file',
    )
    expect(ran).toEqual([])
  })

  it('is refused, approved or not, once the policy denies it', async () => {
    const tool = testTool(undefined, { name: 'file.write', effect: 'write' })
    const { finish } = testExecutor([tool], { config: { profile: 'full', deny: ['file.write'] } })
    const approval = { digest: 'any', by: 'ann', via: 'lease' } as const
    expect(await finish('file.write', {}, { approval })).toMatchObject({ code: 'refused_by_policy' })
  })
})

it('limits a tool for each agent by itself, and says when to try again', async () => {
  const tool = testTool(undefined, { rateLimit: { calls: 2, perMs: 60_000 } })
  const { finish } = testExecutor([tool])
  await finish('test.tool')
  await finish('test.tool')
  const limited = await finish('test.tool')
  expect(limited).toMatchObject({ code: 'rate_limited', success: false })
  expect(limited.error).toBe("Tool 'test.tool' is limited to 2 calls per minute. Try again in 60 seconds.")
  expect((await finish('test.tool', {}, {}, { agentId: 'another' })).success).toBe(true)
})

describe('the configuration of an attachment', () => {
  const tool = testTool(async (args, context) => succeeded(JSON.stringify([args, context.config])), {
    inputSchema: {
      type: 'object',
      properties: { limit: { type: 'integer', default: 10 } },
      additionalProperties: false,
    },
  })
  const withConfig = (config: Record<string, unknown>) => ({ configs: new Map([['test.tool', config]]) })

  it('presets and caps arguments, and reaches the tool', async () => {
    const { finish } = testExecutor([tool])
    expect((await finish('test.tool')).output).toBe('[{"limit":10},{}]')
    expect((await finish('test.tool', {}, {}, withConfig({ default_limit: 5 }))).output).toBe(
      '[{"limit":5},{"default_limit":5}]',
    )
    expect((await finish('test.tool', { limit: 90 }, {}, withConfig({ max_limit: 20 }))).output).toContain(
      '{"limit":20}',
    )
  })

  it('refuses the call where it is not valid, for an owner to set right', async () => {
    const outcome = await testExecutor([tool]).finish('test.tool', {}, {}, withConfig({ max_limit: 'many' }))
    expect(outcome).toMatchObject({ success: false, code: 'tool_unavailable' })
    expect(outcome.error).toContain('max_limit: must be a number')
  })
})
