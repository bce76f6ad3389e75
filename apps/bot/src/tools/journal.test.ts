// A tool call from the model's request to its record, through the real executor, policy and database.
import { randomBytes } from 'node:crypto'
import {
  answerQuestion,
  askQuestion,
  attachTool,
  type ClaimedRun,
  checkMasterKey,
  type MasterKeys,
  masterKeyOf,
  newId,
  readRunEvents,
  savePolicySettings,
  storeSecret,
  syncTools,
} from '@quartermaster/db'
import {
  claim,
  createTestWorkspace,
  loseClaim,
  race,
  startRun,
  type TestWorkspace,
  useTestDatabase,
} from '@quartermaster/db/testing'
import {
  type Caller,
  type CallRequest,
  createExecutor,
  defineTool,
  narrowConfigs,
  type Outcome,
  succeeded,
} from '@quartermaster/tools'
import { createSendTool, sampleTools } from '@quartermaster/tools/testing'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { createPolicies } from '../policy/load-policy.ts'
import { createComposeCaller } from './compose-caller.ts'
import { composeRegistry, definitionOf } from './compose-registry.ts'
import { createJournal, type RunJournal } from './journal.ts'
import { createSecretSource } from './secret-source.ts'

const database = useTestDatabase()
const keys: MasterKeys = { current: masterKeyOf(randomBytes(32)), previous: null }
const actor = { kind: 'system', id: 'test' } as const
let workspace: TestWorkspace
let sent: string[] = []
let counted = 0

const countTool = defineTool({
  name: 'sample.count',
  title: 'Count',
  description: 'Counts how often it was run.',
  category: 'sample',
  effect: 'write',
  rateLimit: { calls: 2, perMs: 3_600_000 },
  inputSchema: { type: 'object', properties: { by: { type: 'integer', default: 1 } }, additionalProperties: false },
  execute: async ({ by }) => {
    counted += by
    return succeeded(String(counted))
  },
})
const sendTool = createSendTool(({ to, token }) => void sent.push(`${to} with ${token}`))
const registry = composeRegistry([...sampleTools, sendTool, countTool])

beforeAll(async () => {
  await checkMasterKey(database.db, keys)
  await syncTools(database.db, registry.list().map(definitionOf))
})
beforeEach(async () => {
  const { db } = database
  sent = []
  counted = 0
  workspace = await createTestWorkspace(db)
  await db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile) VALUES ($1, $2, $3, 2, now(), 'full')`,
    [newId('ver'), workspace.workspaceId, workspace.agentId],
  )
  await savePolicySettings(db, {
    workspaceId: workspace.workspaceId,
    actor,
    expectedUpdatedAt: null,
    settings: { profile: 'full', allow: [], deny: ['sample.fail'], providers: {}, hooks: [], approval: {} },
  })
  await storeSecret(db, keys, {
    workspaceId: workspace.workspaceId,
    scope: 'post',
    name: 'POST_TOKEN',
    value: 'hunter2-canary',
    actor,
  })
})

const grant = () =>
  database.db.pool.query(
    `INSERT INTO grants (workspace_id, agent_id, scope_id, granted_by) SELECT $1, $2, id, $3 FROM secret_scopes WHERE workspace_id = $1`,
    [workspace.workspaceId, workspace.agentId, workspace.members.owner],
  )

/** As the run's loop will do it: everything is read anew for a step. */
async function step(run: ClaimedRun, more: Partial<Caller> = {}) {
  const { db } = database
  const policies = createPolicies(db, { rules: [] })
  const { caller, policy } = await createComposeCaller(db, policies, { configs: {} })(run)
  const journal = createJournal(db, run, 1)
  const secrets = createSecretSource(db, keys)
  const execute = createExecutor({ registry, policy, journal, secrets })
  return {
    journal,
    execute: (request: Partial<CallRequest> & { name: string }): Promise<Outcome> =>
      execute({ toolCallId: 'toolu_1', arguments: {}, ...request }, { ...caller, ...more }),
  }
}

const rowOf = (run: ClaimedRun, toolUseId = 'toolu_1') =>
  database.db.prisma.toolCall.findFirstOrThrow({ where: { runId: run.runId, toolUseId } })

/** Puts the question to people, and answers it. */
async function decide(run: ClaimedRun, journal: RunJournal, verdict: 'approve' | 'deny', value?: unknown) {
  const toolCallId = journal.rowOf('toolu_1')!
  const questionId = await askQuestion(database.db, run, { toolCallId, kind: 'confirmation', prompt: {} })
  const given = { questionId: questionId!, memberId: workspace.members.approver, verdict, value, surface: 'console' }
  expect(await answerQuestion(database.db, given)).toMatchObject({ ok: true, closed: true })
}

const letter = { to: 'ada', text: 'hello' }

async function askToSend(run: ClaimedRun) {
  const { execute, journal } = await step(run)
  const outcome = await execute({ name: 'sample.send', arguments: letter })
  if (outcome.kind !== 'ask') throw new Error(`expected a question, got ${JSON.stringify(outcome)}`)
  return { journal, digest: outcome.digest }
}

test('an allowed call is recorded from its request to its end', async () => {
  const run = await startRun(database.db, workspace)
  const { execute } = await step(run)
  expect(await execute({ name: 'sample_say', arguments: { message: 'hi' } })).toMatchObject({
    success: true,
    output: 'hi',
  })
  expect(await rowOf(run)).toMatchObject({
    toolName: 'sample.echo',
    arguments: { text: 'hi', times: 1 },
    status: 'succeeded',
    decision: 'allow',
    output: 'hi',
    idempotent: true,
    trail: expect.arrayContaining([expect.objectContaining({ verdict: 'allow' })]),
  })
  const events = await readRunEvents(database.db, { workspaceId: run.workspaceId, runId: run.runId })
  expect(events.map((event) => event.kind).filter((kind) => /tool|decision/.test(kind))).toEqual([
    'tool-call-request',
    'decision',
    'tool-call-start',
    'tool-call-end',
  ])
})

describe('a refused call has a record that says why', () => {
  const refusals: [string, Partial<CallRequest> & { name: string }, string, string | null][] = [
    ['no such tool', { name: 'sample.nothing' }, 'unknown_tool', null],
    ['a tool called __proto__', { name: '__proto__' }, 'unknown_tool', null],
    ['bad arguments', { name: 'sample.echo', arguments: { text: 7 } }, 'invalid_arguments', null],
    ['arguments that are no object', { name: 'sample.echo', arguments: 'x' }, 'invalid_arguments', null],
    ['forbidden by policy', { name: 'sample.fail' }, 'refused_by_policy', 'deny'],
    ['a missing secret', { name: 'sample.send', arguments: { ...letter, draft: true } }, 'missing_secret', 'allow'],
  ]
  for (const [what, request, code, decision] of refusals)
    test(what, async () => {
      const run = await startRun(database.db, workspace)
      const { execute, journal } = await step(run)
      journal.isLeased('toolu_1', 'lease_1')
      let outcome = await execute(request)
      if (outcome.kind === 'ask')
        outcome = await execute({ ...request, approval: { digest: outcome.digest, by: null, via: 'lease' } })
      expect(outcome).toMatchObject({ kind: 'finished', success: false, code })
      const row = await rowOf(run)
      expect(row).toMatchObject({ status: 'refused', decision, startedAt: null })
      expect(row.error).toBe(outcome.kind === 'finished' ? outcome.error : '')
      if (decision === 'deny') expect(JSON.stringify(row.trail)).toContain('sample.fail')
    })

  test('stopped before it began, and over its rate', async () => {
    const run = await startRun(database.db, workspace)
    const stopped = await step(run, { signal: AbortSignal.abort() })
    await stopped.execute({ name: 'sample.count' })
    expect(await rowOf(run)).toMatchObject({ status: 'refused', decision: 'allow' })
    const { execute } = await step(run)
    for (const toolCallId of ['a', 'b', 'c']) await execute({ name: 'sample.count', toolCallId })
    expect(await rowOf(run, 'c')).toMatchObject({
      status: 'refused',
      error: expect.stringMatching(/rate|often|limit/i),
    })
    expect(counted).toBe(2)
  })
})

describe('a call that a person decides', () => {
  test('runs once when it was approved, with its secret, which no record holds', async () => {
    await grant()
    const run = await startRun(database.db, workspace)
    const { journal, digest } = await askToSend(run)
    expect((await rowOf(run)).status).toBe('requested')
    await decide(run, journal, 'approve')
    const approval = { digest, by: workspace.members.approver, via: 'answer' } as const
    const results = await race(10, async () =>
      (await step(run)).execute({ name: 'sample.send', arguments: letter, approval }),
    )
    expect(sent).toEqual(['ada with hunter2-canary'])
    expect(results.filter((outcome) => outcome.kind === 'finished' && outcome.success)).toHaveLength(1)
    // Those who came too late did not write over the one who ran it.
    expect(await rowOf(run)).toMatchObject({
      status: 'succeeded',
      decision: 'ask',
      output: 'Sent to ada.',
      error: null,
    })
    const { rows } = await database.db.pool.query('SELECT t::text || e::text AS text FROM tool_calls t, run_events e')
    expect(JSON.stringify(rows)).not.toContain('hunter2')
  })

  test('does not run when it was denied', async () => {
    await grant()
    const run = await startRun(database.db, workspace)
    const { journal } = await askToSend(run)
    await decide(run, journal, 'deny')
    const { execute } = await step(run)
    const denial = { by: workspace.members.approver }
    expect(await execute({ name: 'sample.send', arguments: letter, denial })).toMatchObject({ code: 'denied' })
    expect(await rowOf(run)).toMatchObject({ status: 'denied', error: 'The approver denied this.' })
  })

  test('does not run with other arguments, even by an executor that believes they were approved', async () => {
    await grant()
    const run = await startRun(database.db, workspace)
    const { journal, digest } = await askToSend(run)
    await decide(run, journal, 'approve')
    const other = { ...letter, to: 'mallory' }
    const probe = await (await step(run)).execute({ name: 'sample.send', arguments: other, toolCallId: 'toolu_2' })
    if (probe.kind !== 'ask') throw new Error('expected a question')
    const forged = { digest: probe.digest, by: null, via: 'answer' } as const
    expect(await (await step(run)).execute({ name: 'sample.send', arguments: other, approval: forged })).toMatchObject({
      code: 'not_recorded',
    })
    expect(sent).toEqual([])
    expect(await rowOf(run)).toMatchObject({ status: 'refused', arguments: { to: 'ada' } })
    // And what was approved is gone with it.
    const approval = { digest, by: null, via: 'answer' } as const
    await (await step(run)).execute({ name: 'sample.send', arguments: letter, approval })
    expect(sent).toEqual([])
  })

  test('does not run on the word of the executor alone: nobody answered, and no lease was taken', async () => {
    await grant()
    const run = await startRun(database.db, workspace)
    const { digest } = await askToSend(run)
    const approval = { digest, by: null, via: 'lease' } as const
    const { execute } = await step(run)
    expect(await execute({ name: 'sample.send', arguments: letter, approval })).toMatchObject({ code: 'not_recorded' })
    expect(sent).toEqual([])
  })

  test('runs on a lease, and the record names it', async () => {
    await grant()
    const run = await startRun(database.db, workspace)
    const { digest } = await askToSend(run)
    const { execute, journal } = await step(run)
    journal.isLeased('toolu_1', 'lease_1')
    await execute({ name: 'sample.send', arguments: letter, approval: { digest, by: null, via: 'lease' } })
    expect(sent).toHaveLength(1)
    const row = await rowOf(run)
    expect(row.status).toBe('succeeded')
    expect(row.trail).toContainEqual(expect.objectContaining({ source: 'lease_1', verdict: 'allow' }))
  })

  test('is refused when the policy has changed its mind since', async () => {
    await grant()
    const run = await startRun(database.db, workspace)
    const { journal, digest } = await askToSend(run)
    await decide(run, journal, 'approve')
    await database.db.pool.query(`UPDATE policy_settings SET deny = '{sample.send}' WHERE workspace_id = $1`, [
      workspace.workspaceId,
    ])
    const approval = { digest, by: null, via: 'answer' } as const
    const { execute } = await step(run)
    expect(await execute({ name: 'sample.send', arguments: letter, approval })).toMatchObject({
      code: 'refused_by_policy',
    })
    expect(await rowOf(run)).toMatchObject({ status: 'refused', decision: 'deny' })
    expect(sent).toEqual([])
  })

  test('a tool that asks goes on with the answer, under the same record', async () => {
    const run = await startRun(database.db, workspace)
    const { execute, journal } = await step(run)
    const request = { name: 'sample.ask', arguments: { question: 'Which?' } }
    expect(await execute(request)).toMatchObject({ kind: 'suspended' })
    expect((await rowOf(run)).status).toBe('running')
    await decide(run, journal, 'approve', 'red')
    const answer = { verdict: 'approve', value: 'red', memberId: workspace.members.approver } as const
    expect(await (await step(run)).execute({ ...request, answer })).toMatchObject({ output: 'They chose red.' })
    expect(await rowOf(run)).toMatchObject({ status: 'succeeded', output: 'They chose red.' })
  })
})

test('of two who hold one approved call, only the one who started it writes its end', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  const { journal } = await askToSend(run)
  await decide(run, journal, 'approve')
  const row = await rowOf(run)
  const { caller } = await createComposeCaller(db, createPolicies(db, { rules: [] }), { configs: {} })(run)
  const call = () => ({
    toolCallId: 'toolu_1',
    tool: 'sample.send',
    toolVersion: row.toolVersion,
    effect: 'send' as const,
    idempotent: false,
    arguments: row.arguments,
    digest: row.argumentsDigest,
    caller,
  })
  const holders = [0, 1].map(() => ({ journal: createJournal(db, run, 1), call: call() }))
  for (const { journal, call } of holders) await journal.requested?.(call)
  const started = await Promise.all(holders.map(({ journal, call }) => journal.started?.(call)))
  expect([...started].sort()).toEqual([false, true])
  const outcome = (success: boolean, error: string | null): Outcome => ({
    kind: 'finished',
    tool: 'sample.send',
    effect: 'send',
    success,
    code: success ? null : 'not_recorded',
    output: success ? 'Sent.' : '',
    error,
    media: [],
    outputBytes: 0,
    durationMs: 1,
    decision: null,
    warnings: [],
    findings: [],
    taint: [],
  })
  const [winner, loser] = started[0] ? holders : [...holders].reverse()
  await loser?.journal.finished?.(loser.call, outcome(false, 'it was started elsewhere'))
  expect((await rowOf(run)).status).toBe('running')
  await winner?.journal.finished?.(winner.call, outcome(true, null))
  expect(await rowOf(run)).toMatchObject({ status: 'succeeded', output: 'Sent.', error: null })
})

describe('a lost claim', () => {
  test('runs nothing, whatever the executor thinks', async () => {
    const run = await startRun(database.db, workspace)
    const { execute } = await step(run)
    await loseClaim(database.db, run.runId)
    await claim(database.db, run.runId, 'process-2')
    expect(await execute({ name: 'sample.count' })).toMatchObject({ code: 'not_recorded' })
    expect(counted).toBe(0)
    expect(await database.db.prisma.toolCall.count({ where: { runId: run.runId } })).toBe(0)
  })

  test('a call that has ended does not run again when its step is replayed', async () => {
    const run = await startRun(database.db, workspace)
    await (await step(run)).execute({ name: 'sample.count' })
    expect(await (await step(run)).execute({ name: 'sample.count' })).toMatchObject({
      code: 'not_recorded',
      error: expect.stringContaining('succeeded already'),
    })
    expect(counted).toBe(1)
    expect(await rowOf(run)).toMatchObject({ status: 'succeeded', output: '1' })
  })
})

test('what was read of strangers makes the next run of the conversation ask', async () => {
  await grant()
  const run = await startRun(database.db, workspace)
  const draft = { ...letter, draft: true }
  const before = await step(run)
  expect((await before.execute({ name: 'sample.read-mail' })).kind).toBe('finished')
  expect((await rowOf(run)).taint).toEqual(['sample.read-mail'])
  const { caller } = await createComposeCaller(database.db, createPolicies(database.db, { rules: [] }), {
    configs: {},
  })(run)
  expect(caller.policy.taint).toEqual(['sample.read-mail'])
  expect((await before.execute({ name: 'sample.send', arguments: draft, toolCallId: 'toolu_2' })).kind).toBe('ask')
})

test('an agent has what is attached to it, with its configuration, and nothing else', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  const attach = { workspaceId: workspace.workspaceId, agentId: workspace.agentId, actor, validate: () => [] }
  await attachTool(db, { ...attach, toolId: 'sample.count', config: { default_by: 5 } })
  const { execute } = await step(run)
  expect(await execute({ name: 'sample.count' })).toMatchObject({ output: '5' })
  expect(await execute({ name: 'sample.echo', arguments: { text: 'x' }, toolCallId: 'b' })).toMatchObject({
    code: 'refused_by_policy',
  })
  await syncTools(db, [])
  // What is attached and gone is not replaced by the default set.
  expect(
    await (await step(run)).execute({ name: 'sample.echo', arguments: { text: 'x' }, toolCallId: 'c' }),
  ).toMatchObject({
    code: 'refused_by_policy',
  })
  await syncTools(db, registry.list().map(definitionOf))
})

test('an attachment narrows what the installation fixed, and never widens it', () => {
  const fixed = { 'web.fetch': { allowed_hosts: ['a', 'b'] }, 'git.commit': { require_tests: true } }
  const attached = new Map([
    ['web.fetch', { allowed_hosts: ['b', 'c'], timeout: 5 }],
    ['git.commit', { require_tests: false }],
    ['file.read', {}],
  ])
  expect(Object.fromEntries(narrowConfigs(attached, fixed))).toEqual({
    'web.fetch': { allowed_hosts: ['b'], timeout: 5 },
    'git.commit': { require_tests: true },
    'file.read': {},
  })
  expect(narrowConfigs(new Map(), fixed).get('web.fetch')).toEqual({ allowed_hosts: ['a', 'b'] })
})
