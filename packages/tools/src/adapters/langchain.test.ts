// With the real @langchain/core.
import { ToolMessage } from '@langchain/core/messages'
import { isStructuredTool, ToolInputParsingException } from '@langchain/core/tools'
import { expect, it } from 'vitest'
import { type AnyTool, failed, succeeded } from '../contract.ts'
import { createExecutor } from '../executor/execute-tool-call.ts'
import type { Outcome } from '../executor/outcome.ts'
import { testCaller, testTool } from '../executor/testing.ts'
import { TaintTracker } from '../guard/taint.ts'
import { Policy } from '../policy/policy.ts'
import type { PolicyConfig } from '../policy/policy-config.ts'
import { ToolRegistry } from '../registry.ts'
import { toLangChainTools } from './langchain.ts'

async function convert(tools: readonly AnyTool[], config: PolicyConfig = { profile: 'full' }) {
  const registry = new ToolRegistry()
  registry.registerMany(tools)
  const taint = new TaintTracker()
  const outcomes: Outcome[] = []
  const converted = await toLangChainTools({
    registry,
    allowed: tools.map((tool) => tool.name),
    execute: createExecutor({ registry, policy: new Policy(config) }),
    caller: () => ({ ...testCaller, policy: { taint: taint.sources } }),
    onOutcome(outcome) {
      outcomes.push(outcome)
      taint.record(outcome)
    },
  })
  return { converted, outcomes }
}

const echo = testTool(async ({ text }) => succeeded(`you said ${text}`), {
  name: 'sample.echo',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
})

it("is a structured tool of LangChain's, under its API name", async () => {
  const { converted } = await convert([echo])
  expect(converted[0]?.name).toBe('sample-echo')
  expect(isStructuredTool(converted[0] as never)).toBe(true)
  expect(converted[0]?.schema).toEqual(echo.inputSchema)
})

it('returns the output, and for a tool call a message with the outcome', async () => {
  const [tool] = (await convert([echo])).converted
  expect(await tool?.invoke({ text: 'hi' })).toBe('you said hi')
  const message = await tool?.invoke({ type: 'tool_call', id: 'call_1', name: 'sample-echo', args: { text: 'hi' } })
  expect(message).toBeInstanceOf(ToolMessage)
  expect(message).toMatchObject({
    content: 'you said hi',
    status: 'success',
    tool_call_id: 'call_1',
    artifact: { kind: 'finished' },
  })
})

it('returns a failure as a message that says error, not as an exception', async () => {
  const [tool] = (await convert([testTool(async () => failed('no such file', { output: 'half' }))])).converted
  const message = await tool?.invoke({ type: 'tool_call', id: 'call_1', name: 'test-tool', args: {} })
  expect(message).toMatchObject({ content: 'Error: no such file\n\nhalf', status: 'error' })
})

it('runs through the policy: what is denied or must be asked does not run', async () => {
  let ran = 0
  const run = async () => {
    ran++
    return succeeded('')
  }
  const tools = [
    testTool(run, { name: 'a.denied' }),
    testTool(run, { name: 'b.asking', hook: 'confirm', effect: 'write' }),
  ]
  const { converted, outcomes } = await convert(tools, { profile: 'full', deny: ['a.denied'] })
  expect(await converted[0]?.invoke({})).toMatch(/^Error: Tool 'a\.denied' is not allowed by tool policy/)
  expect(await converted[1]?.invoke({})).toBe("Tool 'b.asking' was not run: a person has to approve it first.")
  expect(outcomes.map((outcome) => outcome.kind)).toEqual(['finished', 'ask'])
  expect(ran).toBe(0)
})

it('counts taint from one call to the next', async () => {
  const tools = [
    testTool(async () => succeeded('text'), { name: 'web.page', untrusted: true }),
    testTool(async () => succeeded('sent'), { name: 'mail.send', effect: 'send', hook: 'silent' }),
  ]
  const { converted } = await convert(tools)
  expect(await converted[1]?.invoke({})).toBe('sent')
  await converted[0]?.invoke({})
  expect(await converted[1]?.invoke({})).toContain('a person has to approve it first')
})

it('refuses arguments that do not fit, and stops with its signal', async () => {
  const wait = testTool(
    (_, { signal }) => new Promise((_, no) => signal.addEventListener('abort', () => no(signal.reason))),
  )
  const { converted } = await convert([echo, wait])
  await expect(converted[0]?.invoke({ text: 7 } as never)).rejects.toThrow(ToolInputParsingException)
  const controller = new AbortController()
  const running = converted[1]?.invoke({}, { signal: controller.signal })
  controller.abort()
  expect(await running).toContain('was stopped')
})

it("is not hung by a stranger's pattern", async () => {
  const tool = testTool(async () => succeeded(''), {
    inputSchema: {
      type: 'object',
      properties: { id: { type: 'string', pattern: '^(a+)+$' }, pattern: { type: 'string' } },
    },
  })
  const [converted] = (await convert([tool])).converted
  expect(converted?.schema).toEqual({
    type: 'object',
    properties: { id: { type: 'string', description: 'Matches ^(a+)+$' }, pattern: { type: 'string' } },
  })
  const start = performance.now()
  expect(await converted?.invoke({ id: `${'a'.repeat(40)}!` })).toContain('id')
  expect(performance.now() - start).toBeLessThan(2_000)
})
