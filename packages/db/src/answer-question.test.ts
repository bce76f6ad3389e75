import { beforeAll, describe, expect, test } from 'vitest'
import { type AnswerGiven, answerQuestion } from './answer-question.ts'
import { verifyAudit } from './audit.ts'
import type { CheckEdit } from './edit-call.ts'
import { useLease } from './leases.ts'
import { limits } from './limits.ts'
import { askQuestion, expireQuestions, type NewQuestion, type QuestionKind, withdrawQuestions } from './questions.ts'
import { type ClaimedRun, claimRun, parkRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, readRun, requestCall, startRun, type TestWorkspace } from './testing-workspace.ts'
import { startToolCall } from './tool-calls.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const offers = {
  title: 'Write a.txt',
  lease: { maxUses: 3, durationMs: 60_000 },
  leaseScope: { key: 'key of a', words: 'a' },
  mayEdit: true,
}

async function ask(question: Partial<NewQuestion> = {}): Promise<{ run: ClaimedRun; callId: string; id: string }> {
  const run = await startRun(database.db, workspace)
  const callId = await requestCall(database.db, run)
  const id = await askQuestion(database.db, run, {
    toolCallId: callId,
    kind: 'confirmation',
    prompt: offers,
    ...question,
  })
  expect(await parkRun(database.db, run)).toBe('parked')
  return { run, callId, id: id! }
}

/** Takes everything but a path that begins with /etc; the digest is the path. */
const checkEdit: CheckEdit = ({ editedArguments }) => {
  const { path } = editedArguments as { path: string }
  if (path.startsWith('/etc')) return { ok: false, problems: ['The policy denies it.'] }
  return {
    ok: true,
    arguments: { path },
    argumentsDigest: `digest of ${path}`,
    summary: { title: `Write ${path}` },
    reasons: [{ layer: 'hook', verdict: 'ask', reason: 'edited' }],
    approval: path.startsWith('/prod') ? { approvers: { roles: ['owner'] }, required: 2 } : null,
    leaseScope: path.startsWith('/batch') ? null : { key: `key of ${path}`, words: path },
  }
}

const answer = (questionId: string, given: Partial<AnswerGiven> = {}, check: CheckEdit | undefined = checkEdit) =>
  answerQuestion(
    database.db,
    { questionId, memberId: workspace.members.approver, verdict: 'approve', surface: 'console', ...given },
    check ? { checkEdit: check } : {},
  )

const readQuestion = (id: string) => database.db.prisma.question.findUniqueOrThrow({ where: { id } })
const readCall = (id: string) => database.db.prisma.toolCall.findUniqueOrThrow({ where: { id } })
const countAnswers = (questionId: string) => database.db.prisma.answer.count({ where: { questionId } })
const countLeases = (questionId: string) => database.db.prisma.lease.count({ where: { questionId } })
const audits = (action: string, subjectId: string) =>
  database.db.prisma.auditEvent.findMany({ where: { action, subjectId }, orderBy: { number: 'asc' } })

const colours = { title: 'Which?', options: ['red', 'green'] }
const tabs = [
  { title: 'Plan', question: 'Which plan?', options: ['free', 'team'] },
  { title: 'Days', question: 'Which days?', options: ['Mon', 'Tue'], multiple: true },
  { title: 'More', question: 'Anything else?' },
]

describe('what was chosen or written', () => {
  const answers: [QuestionKind, object, good: unknown[], bad: unknown[]][] = [
    ['choice', colours, ['red'], ['blue', '', undefined, ['red'], { red: true }]],
    ['multi_choice', colours, [['red'], ['green', 'red']], ['red', [], ['red', 'red'], ['red', 'blue'], undefined]],
    ['text', { title: 'Name?' }, ['Ada'], ['', ' \n', undefined, 7, 'x'.repeat(limits.answerCharacters + 1)]],
    [
      'form',
      { title: 'Order', tabs },
      [['free', ['Mon', 'Tue'], 'no']],
      [['free', ['Mon']], ['free', ['Mon'], ''], ['gold', ['Mon'], 'no'], ['free', 'Mon', 'no'], 'free', undefined],
    ],
    ['budget', { title: 'Used up' }, ['+$2', 'Finish up', 'Stop'], ['+$200', undefined]],
    ['budget', { title: 'Used up', options: ['+$5', 'Stop'] }, ['+$5'], ['+$2']],
  ]

  test.each(answers)(
    'to a %s counts if it was offered, and is refused and consumes nothing if not: %j',
    async (kind, prompt, good, bad) => {
      for (const value of good) {
        const { id, callId } = await ask({ kind, prompt })
        for (const wrong of bad) {
          expect(await answer(id, { value: wrong })).toMatchObject({
            ok: false,
            reason: 'not-offered',
            problems: [expect.any(String)],
          })
        }
        expect(await countAnswers(id)).toBe(0)
        expect((await readCall(callId)).status).toBe('asking')
        expect(await answer(id, { value })).toMatchObject({ ok: true, closed: true })
        expect(await database.db.prisma.answer.findFirstOrThrow({ where: { questionId: id } })).toMatchObject({ value })
        expect((await readCall(callId)).status).toBe('approved')
      }
    },
  )

  test('of a hundred different choices at once one counts, and it is the one that stands', async () => {
    const { id } = await ask({ kind: 'choice', prompt: colours })
    const results = await race(100, (index) =>
      answer(id, {
        memberId: index % 2 ? workspace.members.approver : workspace.members.owner,
        value: ['red', 'green', 'blue'][index % 3],
      }),
    )
    expect(results.filter((result) => result.ok)).toHaveLength(1)
    const { value } = await database.db.prisma.answer.findFirstOrThrow({ where: { questionId: id } })
    expect(['red', 'green']).toContain(value)
    expect(await answer(id, { value: 'red' })).toMatchObject({ ok: false, reason: 'closed', closed: { value } })
  })

  test('whoever may not answer is told that, and not what would be an answer', async () => {
    const { id } = await ask({ kind: 'choice', prompt: colours })
    expect(await answer(id, { memberId: workspace.members.member, value: 'blue' })).toEqual({
      ok: false,
      reason: 'not-entitled',
    })
  })
})

describe('a denial', () => {
  test('has its reason in the record, the audit and what the model reads', async () => {
    const { id, callId } = await ask()
    await answer(id, { verdict: 'deny', reason: 'not today' })
    expect(await readCall(callId)).toMatchObject({ status: 'denied', error: 'The approver denied this: not today' })
    const given = await database.db.prisma.answer.findFirstOrThrow({ where: { questionId: id } })
    expect(given).toMatchObject({ verdict: 'deny', reason: 'not today' })
    expect((await audits('question.answer', id))[0]).toMatchObject({ data: { verdict: 'deny', reason: 'not today' } })
  })

  test('of a question that is no yes or no says that it was not answered, whatever came with it', async () => {
    const { id, callId } = await ask({ kind: 'choice', prompt: colours })
    await answer(id, { verdict: 'deny', value: 'blue' })
    expect(await readCall(callId)).toMatchObject({ status: 'denied', error: 'The approver did not want to answer.' })
  })

  test('a reason without end is cut', async () => {
    const { id, callId } = await ask()
    await answer(id, { verdict: 'deny', reason: 'x'.repeat(100_000) })
    expect((await readCall(callId)).error?.length).toBeLessThan(limits.reasonCharacters + 100)
  })
})

describe('approve for this thread', () => {
  test('grants the lease that was offered, and spares as many questions', async () => {
    const { run, id } = await ask()
    const result = await answer(id, { lease: true })
    expect(result).toMatchObject({ ok: true, closed: true, leaseId: expect.any(String) })
    const lease = await database.db.prisma.lease.findFirstOrThrow({ where: { questionId: id } })
    expect(lease).toMatchObject({
      toolName: 'file.write',
      toolVersion: 'v1',
      conversationId: run.conversationId,
      grantedBy: workspace.members.approver,
      maxUses: 3,
    })
    const left = lease.expiresAt.getTime() - lease.createdAt.getTime()
    expect(Math.abs(left - 60_000)).toBeLessThan(1_000)
    const again = await claimRun(database.db, { runId: run.runId, processId: 'process-2' })
    const tool = { toolName: 'file.write', toolVersion: 'v1', scope: 'key of a' }
    expect(await useLease(database.db, again!, { ...tool, scope: '' })).toBeNull()
    expect(await useLease(database.db, again!, tool)).toMatchObject({ remaining: 2 })
    expect(await audits('lease.grant', lease.id)).toHaveLength(1)
    expect((await audits('question.answer', id))[0]).toMatchObject({ data: { leaseId: lease.id } })
  })

  test('is refused, and consumes nothing, where it was not offered', async () => {
    const refused: Partial<NewQuestion>[] = [
      { prompt: { ...offers, lease: false } },
      { prompt: { title: 'x' } },
      { prompt: { ...offers, lease: { maxUses: 1e9 } } },
      // One of two must not approve the next calls alone.
      { requiredAnswers: 2 },
    ]
    for (const question of refused) {
      const { id } = await ask(question)
      expect(await answer(id, { lease: true })).toMatchObject({ ok: false, reason: 'not-offered' })
      expect([await countLeases(id), await countAnswers(id)]).toEqual([0, 0])
      expect(await answer(id)).toMatchObject({ ok: true })
    }
  })

  test('with an edit, speaks for calls like the edited one, and is refused where there are none', async () => {
    const { id } = await ask()
    expect(await answer(id, { lease: true, editedArguments: { path: 'b.txt' } })).toMatchObject({ ok: true })
    expect(await database.db.prisma.lease.findMany({ where: { questionId: id } })).toMatchObject([
      { scope: 'key of b.txt' },
    ])
    const { id: other } = await ask()
    const batch = { lease: true, editedArguments: { path: '/batch' } }
    expect(await answer(other, batch)).toMatchObject({ ok: false, reason: 'not-offered' })
    expect([await countLeases(other), await countAnswers(other)]).toEqual([0, 0])
  })

  test('a denial grants nothing', async () => {
    const { id } = await ask()
    expect(await answer(id, { verdict: 'deny', lease: true })).toMatchObject({ ok: false, reason: 'not-offered' })
    await answer(id, { verdict: 'deny' })
    expect(await countLeases(id)).toBe(0)
  })

  test('fifty at once are one lease; a click that came too late grants none', async () => {
    const { id } = await ask()
    const results = await race(50, () => answer(id, { lease: true }))
    expect(results.filter((result) => result.ok)).toHaveLength(1)
    expect(await countLeases(id)).toBe(1)
  })
})

describe('an edit', () => {
  const edited = { path: '/b.txt' }

  test('changes the call, its digest and the card in one, and is in the audit with before and after', async () => {
    const { run, id, callId } = await ask()
    expect(await answer(id, { editedArguments: edited })).toMatchObject({ ok: true, closed: true, edited: true })
    const digest = 'digest of /b.txt'
    expect(await readCall(callId)).toMatchObject({ status: 'approved', arguments: edited, argumentsDigest: digest })
    expect(await readQuestion(id)).toMatchObject({ argumentsDigest: digest, prompt: { title: 'Write /b.txt' } })
    expect((await audits('question.edit', id))[0]).toMatchObject({
      actorId: workspace.members.approver,
      data: {
        before: { arguments: { path: 'a.txt' }, digest: 'digest-1' },
        after: { arguments: edited, digest },
      },
    })
    expect(await verifyAudit(database.db, workspace.workspaceId)).toMatchObject({ ok: true })
    // What was asked for at first does not run any more; what was approved does.
    const claimed = await claimRun(database.db, { runId: run.runId, processId: 'process-2' })
    expect(await startToolCall(database.db, claimed!, { toolCallId: callId, argumentsDigest: digest })).toBe('started')
  })

  test('what was asked for at first does not run after an edit', async () => {
    const { run, id, callId } = await ask()
    await answer(id, { editedArguments: edited })
    const claimed = await claimRun(database.db, { runId: run.runId, processId: 'process-2' })
    const start = { toolCallId: callId, argumentsDigest: 'digest-1' }
    expect(await startToolCall(database.db, claimed!, start)).toBe('changed')
  })

  test('is refused, and consumes nothing, where it was not offered, cannot be checked or is not valid', async () => {
    const { id: closedToEdits } = await ask({ prompt: { ...offers, mayEdit: false } })
    const { id: choice } = await ask({ kind: 'choice', prompt: { ...colours, mayEdit: true } })
    const { id, callId } = await ask()
    expect(await answer(closedToEdits, { editedArguments: edited })).toMatchObject({ reason: 'not-offered' })
    expect(await answer(choice, { editedArguments: edited, value: 'red' })).toMatchObject({ reason: 'not-offered' })
    expect(await answer(id, { editedArguments: edited, verdict: 'deny' })).toMatchObject({ reason: 'not-offered' })
    const unchecked = {
      questionId: id,
      memberId: workspace.members.approver,
      surface: 'console',
      editedArguments: edited,
    }
    expect(await answerQuestion(database.db, { ...unchecked, verdict: 'approve' })).toMatchObject({
      reason: 'not-offered',
    })
    expect(await answer(id, { editedArguments: { path: '/etc/passwd' } })).toEqual({
      ok: false,
      reason: 'invalid-edit',
      problems: ['The policy denies it.'],
    })
    expect(await readCall(callId)).toMatchObject({ status: 'asking', arguments: { path: 'a.txt' } })
    for (const one of [closedToEdits, choice, id]) expect(await countAnswers(one)).toBe(0)
  })

  test('of somebody who may not answer changes nothing', async () => {
    const { id, callId } = await ask()
    const { member } = workspace.members
    expect(await answer(id, { memberId: member, editedArguments: edited })).toEqual({
      ok: false,
      reason: 'not-entitled',
    })
    const other = await createTestWorkspace(database.db)
    const foreign = await answer(id, { memberId: other.members.owner, editedArguments: edited })
    expect(foreign).toEqual({ ok: false, reason: 'not-found' })
    expect(await readCall(callId)).toMatchObject({ argumentsDigest: 'digest-1' })
  })

  test('cannot be used to get around a stricter rule about what it makes of the call', async () => {
    const { id, callId } = await ask()
    const toProduction = { editedArguments: { path: '/prod/a' } }
    expect(await answer(id, toProduction)).toEqual({ ok: false, reason: 'not-entitled' })
    expect(await answer(id, { ...toProduction, memberId: workspace.members.owner })).toMatchObject({
      ok: true,
      closed: false,
      remaining: 1,
    })
    expect((await readCall(callId)).status).toBe('asking')
    // From now on the question is about that call, for those who may approve it.
    expect(await answer(id, { memberId: workspace.members.admin })).toEqual({ ok: false, reason: 'not-entitled' })
  })

  test('restarts the count where several must approve: nobody approved what they had not seen', async () => {
    const { id, callId } = await ask({ requiredAnswers: 2 })
    const { approver, admin } = workspace.members
    expect(await answer(id, { memberId: approver })).toMatchObject({ remaining: 1 })
    expect(await answer(id, { memberId: admin, editedArguments: edited })).toMatchObject({
      closed: false,
      remaining: 1,
    })
    // A card that still shows the first arguments does not approve the edited ones.
    const stale = { memberId: approver, argumentsDigest: 'digest-1' }
    expect(await answer(id, stale)).toEqual({ ok: false, reason: 'changed' })
    expect(await answer(id, { memberId: admin })).toMatchObject({ reason: 'already-answered' })
    expect(await answer(id, { memberId: approver })).toMatchObject({ closed: true })
    expect(await readCall(callId)).toMatchObject({ status: 'approved', arguments: edited })
    expect(await audits('question.answer', id)).toHaveLength(3)
  })

  test('that changes nothing is an approval, and restarts nothing', async () => {
    const { id } = await ask({ requiredAnswers: 2 })
    await answer(id, { memberId: workspace.members.admin })
    const same: CheckEdit = (proposed) => ({
      ok: true,
      arguments: proposed.arguments,
      argumentsDigest: proposed.argumentsDigest,
      summary: { title: 'x' },
      reasons: [],
      approval: null,
      leaseScope: null,
    })
    expect(await answer(id, { editedArguments: { path: 'a.txt' } }, same)).toMatchObject({ closed: true })
    expect(await audits('question.edit', id)).toHaveLength(0)
  })

  test('twenty different edits at once: one wins, and what was approved is what stands in the call', async () => {
    const { id, callId } = await ask()
    const results = await race(20, (index) => answer(id, { editedArguments: { path: `/${index}.txt` } }))
    const winner = results.findIndex((result) => result.ok)
    expect(results.filter((result) => result.ok)).toHaveLength(1)
    expect(await readCall(callId)).toMatchObject({
      status: 'approved',
      arguments: { path: `/${winner}.txt` },
      argumentsDigest: `digest of /${winner}.txt`,
    })
    expect((await readQuestion(id)).argumentsDigest).toBe(`digest of /${winner}.txt`)
    expect(await audits('question.edit', id)).toHaveLength(1)
  })

  test('that was checked against a call which another edit changed meanwhile does not count', async () => {
    const { id, callId } = await ask({ requiredAnswers: 2 })
    const overtaken: CheckEdit = async (proposed) => {
      await answer(id, { memberId: workspace.members.admin, editedArguments: { path: '/first.txt' } })
      return checkEdit(proposed)
    }
    const late = await answer(id, { editedArguments: { path: '/second.txt' } }, overtaken)
    expect(late).toEqual({ ok: false, reason: 'changed' })
    expect(await readCall(callId)).toMatchObject({ arguments: { path: '/first.txt' } })
  })

  test('large arguments are in the audit by their digest only', async () => {
    const { id } = await ask()
    await answer(id, { editedArguments: { path: `/${'x'.repeat(limits.auditArgumentsBytes)}` } })
    expect((await audits('question.edit', id))[0]).toMatchObject({
      data: { after: { arguments: '(too large to keep here)' } },
    })
  })
})

describe('every kind of question', () => {
  const kinds: [QuestionKind, object][] = [
    ['confirmation', offers],
    ['choice', colours],
    ['multi_choice', colours],
    ['text', { title: 'Name?' }],
    ['form', { title: 'Order', tabs }],
    ['plan', { title: 'Plan', body: '1. Go' }],
    ['budget', { title: 'Used up' }],
  ]

  test.each(kinds)(
    'a %s that nobody answers in time denies its call, says so and wakes the run',
    async (kind, prompt) => {
      const { run, id, callId } = await ask({ kind, prompt, expiresInMs: -1_000 })
      expect(await expireQuestions(database.db)).toMatchObject([{ questionId: id, outcome: 'expired' }])
      expect(await readCall(callId)).toMatchObject({ status: 'denied', error: 'Nobody answered in time.' })
      expect((await readRun(database.db, run.runId)).status).toBe('queued')
      expect(await answer(id, { value: 'red' })).toMatchObject({
        reason: 'closed',
        closed: { kind, status: 'expired', by: null },
      })
    },
  )

  test.each(kinds)('a %s that is withdrawn says why to whoever clicks', async (kind, prompt) => {
    const { run, id, callId } = await ask({ kind, prompt })
    const { workspaceId } = workspace
    const actor = { kind: 'system', id: 'test' } as const
    await withdrawQuestions(database.db, { workspaceId, runId: run.runId, reason: 'A new message came.', actor })
    expect(await readCall(callId)).toMatchObject({ status: 'denied', error: 'A new message came.' })
    expect(await answer(id, { value: 'red' })).toMatchObject({
      reason: 'closed',
      closed: { kind, status: 'withdrawn', verdict: null, reason: 'A new message came.' },
    })
  })
})
