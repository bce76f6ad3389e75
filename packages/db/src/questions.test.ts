import { beforeAll, describe, expect, test } from 'vitest'
import { type AnswerGiven, answerQuestion } from './answer-question.ts'
import type { Approvers } from './approvers.ts'
import { verifyAudit } from './audit.ts'
import { newId } from './ids.ts'
import { askQuestion, expireQuestions, type NewQuestion, withdrawQuestions } from './questions.ts'
import { type ClaimedRun, parkRun } from './runs.ts'
import { writeSettings } from './settings.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  eventKinds,
  isQueued,
  loseClaim,
  race,
  raceBehind,
  readRun,
  requestCall,
  say,
  startRun,
  type TestWorkspace,
} from './testing-workspace.ts'
import { decideToolCall, startToolCall } from './tool-calls.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

/** A run that waits for the answer to one question. */
async function ask(question: Partial<NewQuestion> = {}): Promise<{ run: ClaimedRun; callId: string; id: string }> {
  const run = await startRun(database.db, workspace)
  const callId = await requestCall(database.db, run)
  const id = await askQuestion(database.db, run, { toolCallId: callId, kind: 'confirmation', prompt: {}, ...question })
  expect(await parkRun(database.db, run)).toBe('parked')
  return { run, callId, id: id! }
}

const answer = (questionId: string, given: Partial<AnswerGiven> = {}) =>
  answerQuestion(database.db, {
    questionId,
    memberId: workspace.members.approver,
    verdict: 'approve',
    surface: 'console',
    ...given,
  })

const readQuestion = (id: string) => database.db.prisma.question.findUniqueOrThrow({ where: { id } })
const readCall = (id: string) => database.db.prisma.toolCall.findUniqueOrThrow({ where: { id } })
const countAnswers = (questionId: string) => database.db.prisma.answer.count({ where: { questionId } })

async function addMember(role: 'approver' | 'member', disabled = false, workspaceId = workspace.workspaceId) {
  const id = newId('mem')
  await database.db.pool.query(
    `INSERT INTO members (id, workspace_id, name, role, disabled_at) VALUES ($1, $2, 'Extra', $3::role, $4)`,
    [id, workspaceId, role, disabled ? new Date() : null],
  )
  return id
}

describe('answering', () => {
  test('approves the call, wakes the run, and is in the log and the audit', async () => {
    const { run, callId, id } = await ask()
    expect(await answer(id, { value: { note: 'go' } })).toEqual({
      ok: true,
      closed: true,
      verdict: 'approve',
      remaining: 0,
    })
    expect(await readQuestion(id)).toMatchObject({ status: 'answered', verdict: 'approve' })
    expect((await readCall(callId)).status).toBe('approved')
    expect((await readRun(database.db, run.runId)).status).toBe('queued')
    expect(await isQueued(database.db, run.runId)).toBe(true)
    expect(await eventKinds(database.db, run.runId)).toEqual(
      expect.arrayContaining(['question-ask', 'question-answer']),
    )
    const audit = await database.db.prisma.auditEvent.findFirstOrThrow({ where: { subjectId: id } })
    expect(audit).toMatchObject({ action: 'question.answer', actorId: workspace.members.approver })
  })

  test('denies the call with who and why', async () => {
    const { callId, id } = await ask()
    expect(await answer(id, { verdict: 'deny', reason: 'not today' })).toMatchObject({ ok: true, closed: true })
    expect(await readCall(callId)).toMatchObject({ status: 'denied', error: 'The approver denied this: not today' })
  })

  test('a hundred clicks at once are one answer, one execution and one line in the audit', async () => {
    const { run, callId, id } = await ask()
    const results = await race(100, (index) =>
      answer(id, {
        memberId: index % 2 ? workspace.members.approver : workspace.members.owner,
        verdict: index % 3 ? 'approve' : 'deny',
      }),
    )
    const winners = results.filter((result) => result.ok)
    expect(winners).toHaveLength(1)
    for (const result of results) if (!result.ok) expect(result.reason).toBe('closed')
    expect(await countAnswers(id)).toBe(1)
    const { verdict } = winners[0]!
    expect(await readQuestion(id)).toMatchObject({ verdict })
    expect((await readCall(callId)).status).toBe(verdict === 'approve' ? 'approved' : 'denied')
    expect(await isQueued(database.db, run.runId)).toBe(true)
    expect(await database.db.prisma.auditEvent.count({ where: { subjectId: id } })).toBe(1)
    expect(await verifyAudit(database.db, workspace.workspaceId)).toMatchObject({ ok: true })
  })

  test('two of three must approve: one is not enough, and the same person does not count twice', async () => {
    const { callId, id } = await ask({ requiredAnswers: 2 })
    expect(await answer(id)).toEqual({ ok: true, closed: false, verdict: 'approve', remaining: 1 })
    expect((await readCall(callId)).status).toBe('asking')
    expect(await answer(id)).toEqual({ ok: false, reason: 'already-answered' })
    expect(await answer(id, { memberId: workspace.members.admin })).toMatchObject({
      ok: true,
      closed: true,
      remaining: 0,
    })
    expect((await readCall(callId)).status).toBe('approved')
    expect(await answer(id, { memberId: workspace.members.owner })).toMatchObject({ ok: false, reason: 'closed' })
  })

  test('twenty approvers at once on a question that needs three: three count', async () => {
    const { callId, id } = await ask({ requiredAnswers: 3 })
    const people = await Promise.all(Array.from({ length: 20 }, () => addMember('approver')))
    const results = await race(20, (index) => answer(id, { memberId: people[index]! }))
    expect(results.filter((result) => result.ok)).toHaveLength(3)
    expect(results.filter((result) => result.ok && result.closed)).toHaveLength(1)
    expect(await countAnswers(id)).toBe(3)
    expect((await readCall(callId)).status).toBe('approved')
  })

  test('one denial closes a question that needs several approvals', async () => {
    const { callId, id } = await ask({ requiredAnswers: 3 })
    await answer(id)
    expect(await answer(id, { memberId: workspace.members.admin, verdict: 'deny' })).toMatchObject({ closed: true })
    expect((await readCall(callId)).status).toBe('denied')
  })

  test('stale buttons learn what happened and who decided', async () => {
    const { id } = await ask()
    await answer(id, { verdict: 'deny' })
    expect(await answer(id, { memberId: workspace.members.owner })).toEqual({
      ok: false,
      reason: 'closed',
      closed: {
        kind: 'confirmation',
        status: 'answered',
        verdict: 'deny',
        value: null,
        reason: null,
        at: expect.any(Date),
        by: { memberId: workspace.members.approver, name: 'The approver' },
      },
    })
  })
})

describe('a refused click consumes nothing', () => {
  const refusals: [string, Approvers, () => Promise<Partial<AnswerGiven>>, string][] = [
    ['of a role that is too low', {}, async () => ({ memberId: workspace.members.member }), 'not-entitled'],
    ['of a member the rule does not name', { memberIds: ['x'] }, async () => ({}), 'not-entitled'],
    ['of a disabled member', {}, async () => ({ memberId: await addMember('approver', true) }), 'not-entitled'],
    [
      'of the requester under four eyes',
      { roles: ['member'], notRequester: true },
      async () => ({ memberId: workspace.members.member }),
      'not-entitled',
    ],
    ['with the digest of other arguments', {}, async () => ({ argumentsDigest: 'digest-2' }), 'changed'],
    [
      'of a member of another workspace',
      {},
      async () => ({ memberId: (await createTestWorkspace(database.db)).members.owner }),
      'not-found',
    ],
    ['of nobody we know', {}, async () => ({ memberId: 'nobody' }), 'not-found'],
  ]
  for (const [who, approvers, given, reason] of refusals)
    test(who, async () => {
      const { callId, id } = await ask({ approvers })
      expect(await answer(id, await given())).toEqual({ ok: false, reason })
      expect(await countAnswers(id)).toBe(0)
      expect((await readQuestion(id)).status).toBe('open')
      expect((await readCall(callId)).status).toBe('asking')
      // And the right person still can.
      if (!approvers.memberIds)
        expect(await answer(id, { argumentsDigest: 'digest-1' })).toMatchObject({ ok: true, closed: true })
    })

  test('of whoever joined the run with a message of their own, where the requester is asked', async () => {
    const { db } = database
    const conversationKey = newId('thread')
    const run = await claim(db, (await say(db, workspace, { conversationKey })).runId)
    await say(db, workspace, { conversationKey, memberId: workspace.members.approver })
    const toolCallId = await requestCall(db, run)
    const approvers = { requester: true }
    const id = await askQuestion(db, run, { toolCallId, kind: 'confirmation', prompt: {}, approvers })
    expect(await answer(id!)).toEqual({ ok: false, reason: 'not-entitled' })
    expect(await answer(id!, { memberId: workspace.members.owner })).toEqual({ ok: false, reason: 'not-entitled' })
    expect(await answer(id!, { memberId: workspace.members.member })).toMatchObject({ ok: true, closed: true })
  })

  test('of whoever joined the run with a message of their own, under four eyes', async () => {
    const { db } = database
    const conversationKey = newId('thread')
    const run = await claim(db, (await say(db, workspace, { conversationKey })).runId)
    await say(db, workspace, { conversationKey, memberId: workspace.members.approver })
    const toolCallId = await requestCall(db, run)
    const id = await askQuestion(db, run, {
      toolCallId,
      kind: 'confirmation',
      prompt: {},
      approvers: { notRequester: true },
    })
    expect(await answer(id!)).toEqual({ ok: false, reason: 'not-entitled' })
    expect(await answer(id!, { memberId: workspace.members.owner })).toMatchObject({ ok: true })
  })

  test('under a rule that cannot be read', async () => {
    const { id } = await ask()
    await database.db.pool.query(`UPDATE questions SET approvers = '{"everybody": true}' WHERE id = $1`, [id])
    expect(await answer(id, { memberId: workspace.members.owner })).toEqual({ ok: false, reason: 'not-entitled' })
  })

  test('when the call’s arguments were changed under it', async () => {
    const { callId, id } = await ask()
    await database.db.pool.query(`UPDATE tool_calls SET arguments_digest = 'digest-2' WHERE id = $1`, [callId])
    expect(await answer(id)).toEqual({ ok: false, reason: 'changed' })
  })

  test('to a question that does not exist', async () => {
    expect(await answer('q_none')).toEqual({ ok: false, reason: 'not-found' })
    expect(await answer('q_\0\ud800')).toEqual({ ok: false, reason: 'not-found' })
  })
})

describe('time', () => {
  const endTime = (id: string) =>
    database.db.pool.query(`UPDATE questions SET expires_at = now() - interval '1 second' WHERE id = $1`, [id])

  test('after its time a question takes no answer, even before anybody has expired it', async () => {
    const { id } = await ask()
    await endTime(id)
    expect(await answer(id)).toEqual({ ok: false, reason: 'expired' })
    expect((await readQuestion(id)).status).toBe('open')
  })

  test('an expired question denies its call and wakes its run, once, whoever sweeps', async () => {
    const { run, callId, id } = await ask()
    const { id: other } = await ask()
    await endTime(id)
    const swept = (await race(20, () => expireQuestions(database.db))).flat()
    expect(swept.filter((question) => question.questionId === id)).toHaveLength(1)
    expect(swept.some((question) => question.questionId === other)).toBe(false)
    expect(await readQuestion(id)).toMatchObject({ status: 'expired', verdict: 'deny' })
    expect(await readCall(callId)).toMatchObject({ status: 'denied', error: 'Nobody answered in time.' })
    expect((await readRun(database.db, run.runId)).status).toBe('queued')
    expect(await answer(id)).toMatchObject({ ok: false, reason: 'closed', closed: { status: 'expired', by: null } })
  })

  test('an escalating question is put to the next people, for as long again, and then silence denies', async () => {
    const { db } = database
    const { run, callId, id } = await ask({ expiresInMs: 3_600_000, escalateTo: { roles: ['owner'] } })
    await db.pool.query(
      `UPDATE questions SET asked_at = now() - interval '1 hour', expires_at = now() - interval '1 second' WHERE id = $1`,
      [id],
    )
    const swept = (await race(20, () => expireQuestions(db))).flat().filter((question) => question.questionId === id)
    expect(swept).toEqual([{ questionId: id, runId: run.runId, outcome: 'escalated' }])
    const question = await readQuestion(id)
    expect(question).toMatchObject({ status: 'open', approvers: { roles: ['owner'] } })
    expect((question.expiresAt.getTime() - Date.now()) / 3_600_000).toBeCloseTo(1, 1)
    expect((await readCall(callId)).status).toBe('asking')
    expect((await readRun(db, run.runId)).status).toBe('waiting')
    expect((await eventKinds(db, run.runId)).filter((kind) => kind === 'question-escalate')).toHaveLength(1)
    expect(await db.prisma.auditEvent.count({ where: { subjectId: id, action: 'question.escalate' } })).toBe(1)

    // The first ones had their time.
    expect(await answer(id)).toEqual({ ok: false, reason: 'not-entitled' })
    await endTime(id)
    expect((await race(20, () => expireQuestions(db))).flat()).toContainEqual({
      questionId: id,
      runId: run.runId,
      outcome: 'expired',
    })
    expect(await readQuestion(id)).toMatchObject({ status: 'expired', verdict: 'deny' })
    expect((await readCall(callId)).status).toBe('denied')
  })

  test('the next people’s answer to an escalated question counts', async () => {
    const { callId, id } = await ask({ escalateTo: { roles: ['owner'] } })
    await endTime(id)
    await expireQuestions(database.db)
    expect(await answer(id, { memberId: workspace.members.owner })).toMatchObject({ ok: true, closed: true })
    expect((await readCall(callId)).status).toBe('approved')
  })

  test('a sweeper that looked before another one escalated does not deny what is open again', async () => {
    const { db } = database
    const { run, id } = await ask({ escalateTo: { roles: ['owner'] } })
    await endTime(id)
    const lock = { sql: 'SELECT 1 FROM runs WHERE id = $1 FOR UPDATE', id: run.runId, waiting: 5 }
    const swept = await raceBehind(db, lock, () => race(5, () => expireQuestions(db)))
    expect(swept.flat().filter((question) => question.questionId === id)).toHaveLength(1)
    expect((await readQuestion(id)).status).toBe('open')
  })

  test('an answer and a sweep at once: the answer counts or the question escalates, never both', async () => {
    const { db } = database
    for (let round = 0; round < 10; round++) {
      const { id } = await ask({ expiresInMs: 30, escalateTo: { roles: ['owner'] } })
      const [answered] = await Promise.all([answer(id), race(4, () => expireQuestions(db))])
      await expireQuestions(db)
      const { status, escalatedAt } = await readQuestion(id)
      expect(status).toBe(answered.ok ? 'answered' : 'open')
      if (answered.ok) expect(escalatedAt).toBeNull()
    }
  })

  test('Postgres refuses a question that escalates to nobody', async () => {
    const { id } = await ask()
    const set = (sql: string) => database.db.pool.query(`UPDATE questions SET ${sql} WHERE id = $1`, [id])
    await expect(set(`on_expiry = 'escalate'`)).rejects.toThrow(/questions_escalation/)
    await expect(set(`on_expiry = 'allow'`)).rejects.toThrow(/questions_escalation/)
    await set(`on_expiry = 'escalate', escalate_to = '{}'`)
  })

  test('a question stays open for as long as it says, or the workspace says, or a day', async () => {
    const hours = async (question: Partial<NewQuestion>) => {
      const { expiresAt, askedAt } = await readQuestion((await ask(question)).id)
      return (expiresAt.getTime() - askedAt.getTime()) / 3_600_000
    }
    expect(await hours({})).toBeCloseTo(24, 2)
    await writeSettings(database.db, workspace.workspaceId, { questionExpiryHours: 3 }, { kind: 'system', id: 'test' })
    expect(await hours({})).toBeCloseTo(3, 2)
    expect(await hours({ expiresInMs: 3_600_000 })).toBeCloseTo(1, 2)
  })
})

describe('asking', () => {
  test('a call is asked about once, however often and however many try', async () => {
    const run = await startRun(database.db, workspace)
    const toolCallId = await requestCall(database.db, run)
    const question = { toolCallId, kind: 'confirmation', prompt: {} } as const
    const asked = await race(20, () => askQuestion(database.db, run, question))
    expect(asked.filter((id) => id !== null)).toHaveLength(1)
    expect(await database.db.prisma.question.count({ where: { toolCallId } })).toBe(1)
  })

  test('a tool that runs can ask, and goes on when it was answered', async () => {
    const { db } = database
    const run = await startRun(db, workspace)
    const toolCallId = await requestCall(db, run)
    await decideToolCall(db, run, { toolCallId, decision: 'allow', trail: [] })
    await startToolCall(db, run, { toolCallId, argumentsDigest: 'digest-1' })
    const id = await askQuestion(db, run, { toolCallId, kind: 'choice', prompt: { options: ['blue'] } })
    expect((await readCall(toolCallId)).status).toBe('asking')
    expect(await answer(id!, { value: 'blue' })).toMatchObject({ ok: true })
    expect(await startToolCall(db, run, { toolCallId, argumentsDigest: 'digest-1' })).toBe('started')
  })

  test('a call that runs under a lost claim, or in another run, cannot be asked about', async () => {
    const { db } = database
    const lost = await startRun(db, workspace)
    const toolCallId = await requestCall(db, lost)
    await decideToolCall(db, lost, { toolCallId, decision: 'allow', trail: [] })
    await startToolCall(db, lost, { toolCallId, argumentsDigest: 'digest-1' })
    await loseClaim(db, lost.runId)
    const run = await claim(db, lost.runId)
    expect(await askQuestion(db, run, { toolCallId, kind: 'confirmation', prompt: {} })).toBeNull()

    const other = await startRun(db, workspace)
    const requested = await requestCall(db, run)
    expect(await askQuestion(db, other, { toolCallId: requested, kind: 'confirmation', prompt: {} })).toBeNull()
    expect((await readCall(requested)).status).toBe('requested')
    expect(await askQuestion(db, run, { toolCallId: requested, kind: 'confirmation', prompt: {} })).not.toBeNull()
  })

  test('a call that has ended stays as it ended when its question closes', async () => {
    const { callId, id } = await ask()
    await database.db.pool.query(`UPDATE tool_calls SET status = 'failed', finished_at = now() WHERE id = $1`, [callId])
    expect(await answer(id)).toMatchObject({ ok: true, closed: true })
    expect((await readCall(callId)).status).toBe('failed')
  })

  test('a question about the run itself needs no call', async () => {
    const run = await startRun(database.db, workspace)
    const id = await askQuestion(database.db, run, { kind: 'budget', prompt: {} })
    expect(await parkRun(database.db, run)).toBe('parked')
    expect(await answer(id!, { value: 'Stop' })).toMatchObject({ ok: true, closed: true })
    expect((await readRun(database.db, run.runId)).status).toBe('queued')
  })

  test('a rule with a mistake in it is refused when it is asked, not when somebody clicks', async () => {
    const run = await startRun(database.db, workspace)
    const approvers = { rolls: ['owner'] } as unknown as Approvers
    await expect(askQuestion(database.db, run, { kind: 'budget', prompt: {}, approvers })).rejects.toThrow()
  })
})

test('withdrawn questions deny their calls, wake the run and take no answer', async () => {
  const { run, callId, id } = await ask()
  const withdraw = {
    workspaceId: workspace.workspaceId,
    runId: run.runId,
    reason: 'You asked for something else.',
    actor: { kind: 'agent', id: workspace.agentId } as const,
  }
  expect(await withdrawQuestions(database.db, { ...withdraw, workspaceId: 'other' })).toEqual([])
  expect(await withdrawQuestions(database.db, withdraw)).toEqual([id])
  expect(await withdrawQuestions(database.db, withdraw)).toEqual([])
  expect(await readCall(callId)).toMatchObject({ status: 'denied', error: 'You asked for something else.' })
  expect((await readRun(database.db, run.runId)).status).toBe('queued')
  expect(await answer(id)).toMatchObject({ ok: false, reason: 'closed', closed: { status: 'withdrawn' } })
})
