import { expect, test, vi } from 'vitest'
import { type AnyTool, succeeded } from '../contract.ts'
import { Policy } from '../policy/policy.ts'
import { toolVersion } from '../tool-version.ts'
import { checkEditedCall } from './check-edited-call.ts'
import { digestOf } from './digest.ts'
import type { RequestedCall } from './outcome.ts'
import { testCaller, testExecutor, testTool } from './testing.ts'

const inputSchema = {
  type: 'object',
  properties: { command: { type: 'string' }, cwd: { type: 'string' } },
  required: ['command'],
  additionalProperties: false,
}

/** Fills in a folder that moves on from call to call, as the shell's does. */
function movingTool(more: Partial<AnyTool> = {}) {
  let folder = 0
  return testTool(async (args) => succeeded(JSON.stringify(args)), {
    inputSchema,
    effect: 'execute',
    hook: 'confirm',
    complete: async (args) => ({ ok: true, arguments: { ...args, cwd: args.cwd ?? `/work/${++folder}` } }),
    summarize: (args) => ({ title: `Run ${args.command} in ${args.cwd}` }),
    ...more,
  })
}

test('the card, the record, the digest and the run have the completed arguments', async () => {
  const tool = movingTool()
  const recorded: RequestedCall[] = []
  const { call } = testExecutor([tool], {
    config: { profile: 'full', rules: [] },
    journal: { requested: (requested) => void recorded.push(requested) },
  })
  const asking = await call('test.tool', { command: 'ls' })
  if (asking.kind !== 'ask') throw new Error(`not asked: ${asking.kind}`)
  const completed = { command: 'ls', cwd: '/work/1' }
  expect(asking.arguments).toEqual(completed)
  expect(asking.summary.title).toBe('Run ls in /work/1')
  expect(asking.digest).toBe(digestOf(toolVersion(tool), completed, undefined))
  expect(recorded[0]?.arguments).toEqual(completed)

  // What was stored runs, whatever would be filled in by now.
  const approval = { digest: asking.digest, by: 'member', via: 'answer' } as const
  const done = await call('test.tool', asking.arguments, { approval })
  expect(done).toMatchObject({ kind: 'finished', success: true, output: JSON.stringify(completed) })
})

test('an approval does not hold for arguments that were completed anew', async () => {
  const { call } = testExecutor([movingTool()])
  const asking = await call('test.tool', { command: 'ls' })
  if (asking.kind !== 'ask') throw new Error(`not asked: ${asking.kind}`)
  const approval = { digest: asking.digest, by: 'member', via: 'answer' } as const
  expect(await call('test.tool', { command: 'ls' }, { approval })).toMatchObject({ code: 'changed_after_approval' })
})

test('the policy decides about the completed arguments', async () => {
  const rule = {
    id: 'r',
    name: 'not there',
    pattern: 'test.tool',
    conditions: [{ path: 'cwd', equals: '/work/1' }],
    verdict: 'deny',
  } as const
  const { finish } = testExecutor([movingTool({ hook: 'silent' })], { config: { profile: 'full', rules: [rule] } })
  expect(await finish('test.tool', { command: 'ls' })).toMatchObject({ code: 'refused_by_policy' })
})

test('it learns who calls, and with which configuration', async () => {
  const complete = vi.fn(async (args) => ({ ok: true as const, arguments: args }))
  const configSchema = { type: 'object', properties: { color: { type: 'string' } }, additionalProperties: false }
  const { call } = testExecutor([movingTool({ complete, configSchema })])
  await call('test.tool', { command: 'ls' }, {}, { configs: new Map([['test.tool', { color: 'red' }]]) })
  const { workspaceId, conversationId, agentId } = testCaller
  expect(complete).toHaveBeenCalledWith(
    { command: 'ls' },
    { workspaceId, conversationId, agentId, config: { color: 'red' } },
  )
})

test.each([
  [
    'refuses',
    async () => ({ ok: false, problem: 'There is no folder x.' }),
    'invalid_arguments',
    'There is no folder x.',
  ],
  ['throws', async () => Promise.reject(new Error('the disk is gone')), 'tool_unavailable', 'the disk is gone'],
  ['breaks its own schema', async () => ({ ok: true, arguments: { command: 1 } }), 'tool_unavailable', 'not valid'],
] as const)('a completion that %s ends the call before anything runs', async (_what, complete, code, text) => {
  const execute = vi.fn(async () => succeeded('ran'))
  const { finish, events } = testExecutor([
    { ...movingTool({ hook: 'silent', complete: complete as unknown as AnyTool['complete'] }), execute },
  ])
  const outcome = await finish('test.tool', { command: 'ls' })
  expect(outcome).toMatchObject({ success: false, code })
  expect(outcome.error).toContain(text)
  expect(execute).not.toHaveBeenCalled()
  // It is on record that this was asked for.
  expect(events.map(({ type }) => type)).toEqual(['tool-call-request', 'tool-call-end'])
})

test('invalid arguments are not completed', async () => {
  const complete = vi.fn()
  const { finish } = testExecutor([movingTool({ complete })])
  expect(await finish('test.tool', {})).toMatchObject({ code: 'invalid_arguments' })
  expect(complete).not.toHaveBeenCalled()
})

test('edited arguments are completed as well, and the digest is of what will run', async () => {
  const tool = movingTool()
  const { registry, call } = testExecutor([tool])
  const verdict = await checkEditedCall(registry, new Policy({ profile: 'full' }), testCaller, {
    toolName: tool.name,
    toolVersion: toolVersion(tool),
    arguments: { command: 'ls' },
    editedArguments: { command: 'pwd' },
  })
  if (!verdict.ok) throw new Error(verdict.problems.join())
  expect(verdict.arguments).toEqual({ command: 'pwd', cwd: '/work/1' })
  const approval = { digest: verdict.argumentsDigest, by: 'member', via: 'answer' } as const
  expect(await call(tool.name, verdict.arguments, { approval })).toMatchObject({ success: true })
})

test('an edit that takes out what was completed keeps it; one that changes it has its own', async () => {
  const tool = movingTool({ completes: ['cwd'] })
  const { registry } = testExecutor([tool])
  const edit = async (editedArguments: unknown) => {
    const verdict = await checkEditedCall(registry, new Policy({ profile: 'full' }), testCaller, {
      toolName: tool.name,
      toolVersion: toolVersion(tool),
      arguments: { command: 'ls', cwd: '/work/approved' },
      editedArguments,
    })
    return verdict.ok ? verdict.arguments : verdict.problems
  }
  expect(await edit({ command: 'pwd' })).toEqual({ command: 'pwd', cwd: '/work/approved' })
  expect(await edit({ command: 'pwd', cwd: '/work/other' })).toEqual({ command: 'pwd', cwd: '/work/other' })
  expect(await edit({})).toEqual([expect.stringContaining('command')])
  expect(await edit(null)).toEqual([expect.any(String)])
})
