import { answerQuestion, expireQuestions, type RulePart, saveRule } from '@quartermaster/db'
import { createTestWorkspace, race, startRun, type TestWorkspace, useTestDatabase } from '@quartermaster/db/testing'
import { createExecutor } from '@quartermaster/tools'
import { echoTool } from '@quartermaster/tools/testing'
import { beforeEach, expect, test } from 'vitest'
import { createPolicies } from '../policy/load-policy.ts'
import { askAboutCall } from './ask-about-call.ts'
import { createComposeCaller } from './compose-caller.ts'
import { composeRegistry } from './compose-registry.ts'
import { createJournal } from './journal.ts'

const database = useTestDatabase()
const registry = composeRegistry([echoTool])
let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
  const { workspaceId, agentId } = workspace
  await database.db.pool.query(`INSERT INTO policy_settings (workspace_id, profile) VALUES ($1, 'full')`, [workspaceId])
  await database.db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile) VALUES ($1, $2, $3, 2, now(), 'full')`,
    [`${agentId}_2`, workspaceId, agentId],
  )
})

/** A rule that asks about every echo, with this approval; then a call, up to its question. */
async function askUnder(approval: RulePart['approval'], name = 'Ask') {
  const { db } = database
  const actor = { kind: 'system', id: 'test' } as const
  const rule: RulePart = {
    name,
    pattern: 'sample.echo',
    conditions: [],
    decision: 'ask',
    approval,
    mustMatch: [],
    mustNotMatch: [],
    enabled: true,
    note: '',
  }
  const saved = await saveRule(db, { workspaceId: workspace.workspaceId, actor, expectedUpdatedAt: null, rule })
  expect(saved).toMatchObject({ ok: true })
  const run = await startRun(db, workspace)
  const { caller, policy } = await createComposeCaller(db, createPolicies(db, { rules: [] }), { configs: {} })(run)
  const journal = createJournal(db, run, 1)
  const execute = createExecutor({ registry, policy, journal })
  const asking = await execute({ toolCallId: 'toolu_1', name: 'sample.echo', arguments: { text: 'x' } }, caller)
  if (asking.kind !== 'ask') throw new Error(`expected a question, got ${JSON.stringify(asking)}`)
  const asked = await race(5, () => askAboutCall(db, run, journal.rowOf('toolu_1')!, asking))
  const ids = asked.filter((id) => id !== null)
  expect(ids).toHaveLength(1)
  return ids[0] as string
}

const read = (id: string) =>
  database.db.prisma.question.findUniqueOrThrow({ where: { id }, include: { toolCall: true } })
const answer = async (questionId: string, memberId: string) => {
  const result = await answerQuestion(database.db, { questionId, memberId, verdict: 'approve', surface: 'console' })
  return result.ok ? (result.closed ? 'closed' : 'counted') : result.reason
}

test('the card has what a person needs to decide: what would happen, and why it is asked', async () => {
  const question = await read(await askUnder({ lease: false }))
  expect(question.prompt).toMatchObject({
    title: expect.any(String),
    tool: 'sample.echo',
    effect: 'read',
    lease: false,
  })
  expect(JSON.stringify(question.reasons)).toContain('Ask')
  expect(question.toolCall).toMatchObject({ status: 'asking', decision: 'ask' })
  expect(question.argumentsDigest).toBe(question.toolCall?.argumentsDigest)
})

test('who may answer is what the rule says: the requester alone', async () => {
  const { members } = workspace
  const id = await askUnder({ approvers: { requester: true } })
  expect(await answer(id, members.owner)).toBe('not-entitled')
  expect(await answer(id, members.member)).toBe('closed')
})

test('anybody but the requester, and two of them', async () => {
  const { members } = workspace
  const id = await askUnder({ approvers: { roles: ['member'], notRequester: true }, required: 2 })
  expect(await answer(id, members.member)).toBe('not-entitled')
  expect(await answer(id, members.approver)).toBe('counted')
  expect(await answer(id, members.approver)).toBe('already-answered')
  expect(await answer(id, members.admin)).toBe('closed')
})

test('where two rules ask, whoever answers must be entitled by both', async () => {
  const { members } = workspace
  await askUnder({ approvers: { memberIds: [members.member, members.admin] } }, 'Named people')
  const id = await askUnder({ approvers: { roles: ['approver'] } }, 'Approvers')
  expect(await answer(id, members.member)).toBe('not-entitled')
  expect(await answer(id, members.owner)).toBe('not-entitled')
  expect(await answer(id, members.admin)).toBe('closed')
})

test('silence goes to the next ones, and then denies', async () => {
  const { members } = workspace
  const id = await askUnder({ expiresInMs: 1_000, onExpiry: 'escalate', escalateTo: { roles: ['owner'] } })
  // A second ago, and not now: times are rounded to milliseconds, up as often as down.
  const end = () =>
    database.db.pool.query(`UPDATE questions SET expires_at = now() - interval '1 second' WHERE id = $1`, [id])
  await end()
  expect(await expireQuestions(database.db)).toMatchObject([{ questionId: id, outcome: 'escalated' }])
  expect(await answer(id, members.admin)).toBe('not-entitled')
  await end()
  expect(await expireQuestions(database.db)).toMatchObject([{ questionId: id, outcome: 'expired' }])
  expect((await read(id)).toolCall?.status).toBe('denied')
})
