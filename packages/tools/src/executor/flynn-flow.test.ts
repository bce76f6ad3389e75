// The "Tool Execution Flow" of the Flynn document, step by step, under our names.
import { expect, it } from 'vitest'
import { succeeded } from '../contract.ts'
import { testExecutor, testTool } from './testing.ts'

it("policy check: Tool 'x' is not allowed by tool policy", async () => {
  const tools = [testTool(undefined, { name: 'browser.navigate' }), testTool(undefined, { name: 'file.read' })]
  const config = {
    profile: 'messaging',
    allow: ['file.read'],
    deny: ['browser.*'],
    agents: { fast: { profile: 'minimal' } },
  }
  const { finish } = testExecutor(tools, { config })
  const refused = await finish('browser.navigate')
  expect(refused).toMatchObject({ success: false, output: '' })
  expect(refused.error).toMatch(/^Tool 'browser\.navigate' is not allowed by tool policy/)
  expect((await finish('file.read', {}, {}, { policy: { agent: 'fast' } })).success).toBe(true)
})

it('hook check: confirm waits for a person, log and silent run', async () => {
  const tools = (['confirm', 'log', 'silent'] as const).map((hook) =>
    testTool(undefined, { name: `test.${hook}`, hook, effect: 'write' }),
  )
  const { call } = testExecutor(tools)
  expect(await call('test.confirm')).toMatchObject({ kind: 'ask' })
  expect(await call('test.log')).toMatchObject({ kind: 'finished', success: true, decision: { log: true } })
  expect(await call('test.silent')).toMatchObject({ kind: 'finished', success: true, decision: { log: false } })
})

it('autonomy: supervised asks for what standard runs, autonomous runs what standard asks for', async () => {
  const { call } = testExecutor([
    testTool(undefined, { name: 'test.write', effect: 'write', hook: 'log' }),
    testTool(undefined, { name: 'test.confirm', effect: 'write', hook: 'confirm' }),
  ])
  const as = (autonomy: 'supervised' | 'standard' | 'autonomous') => ({ policy: { autonomy } })
  expect((await call('test.write', {}, {}, as('supervised'))).kind).toBe('ask')
  expect((await call('test.write', {}, {}, as('standard'))).kind).toBe('finished')
  expect((await call('test.confirm', {}, {}, as('autonomous'))).kind).toBe('finished')
})

it('a person says no: Tool execution cancelled by user', async () => {
  const { finish } = testExecutor([testTool(undefined, { hook: 'confirm', effect: 'write' })])
  expect(await finish('test.tool', {}, { denial: { by: 'ann' } })).toMatchObject({
    success: false,
    output: '',
    error: 'Tool execution cancelled by user',
  })
})

it("timeout: Tool 'x' timed out after Nms, and the tool is told to stop", async () => {
  let told = false
  const tool = testTool(
    (_, { signal }) =>
      new Promise((_, no) =>
        signal.addEventListener('abort', () => {
          told = true
          no(signal.reason)
        }),
      ),
    { name: 'shell.exec', timeoutMs: 25 },
  )
  const outcome = await testExecutor([tool]).finish('shell.exec')
  expect(outcome.error).toContain("Tool 'shell.exec' timed out after 25ms")
  expect(told).toBe(true)
})

it('output truncation: [Output truncated - N bytes hidden], counted in bytes and cut between characters', async () => {
  const tool = testTool(async () => succeeded('€'.repeat(100)), { maxOutputBytes: 100 })
  const outcome = await testExecutor([tool]).finish('test.tool')
  expect(outcome.output).toBe(`${'€'.repeat(33)}\n[Output truncated - 201 bytes hidden]`)
  expect(outcome.outputBytes).toBe(300)
  const small = testTool(async () => succeeded('€'.repeat(33)), { maxOutputBytes: 100 })
  expect((await testExecutor([small]).finish('test.tool')).output).toBe('€'.repeat(33))
})
