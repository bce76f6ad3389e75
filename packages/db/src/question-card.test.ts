import { beforeEach, describe, expect, test } from 'vitest'
import { type AnswerGiven, answerQuestion } from './answer-question.ts'
import { enqueueDelivery } from './deliveries.ts'
import { describeApprovers, describeClosed, describeLease, describeReasons } from './describe-question.ts'
import { limits } from './limits.ts'
import { listOpenQuestions, type QuestionKey } from './list-questions.ts'
import { readQuestionCard, readQuestionCards } from './question-card.ts'
import { askQuestion, expireQuestions, type NewQuestion, type QuestionKind } from './questions.ts'
import type { ClaimedRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, requestCall, startRun, type TestWorkspace } from './testing-workspace.ts'
import { syncTools } from './tools.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
})

const prompt = {
  title: 'Write a.txt',
  facts: [{ label: 'File', value: 'a.txt' }],
  diff: { path: 'a.txt', before: 'old', after: 'new' },
  lease: { maxUses: 3, durationMs: 60_000 },
  mayEdit: true,
}
const reasons = [
  { layer: 'profile', verdict: 'allow', reason: 'in the profile coding' },
  { layer: 'hook', verdict: 'ask', reason: 'the workspace confirms file.write' },
]

async function ask(question: Partial<NewQuestion> = {}): Promise<{ run: ClaimedRun; callId: string; id: string }> {
  const run = await startRun(database.db, workspace)
  const callId = await requestCall(database.db, run)
  const asked = { toolCallId: callId, kind: 'confirmation' as const, prompt, reasons, ...question }
  return { run, callId, id: (await askQuestion(database.db, run, asked))! }
}

const card = async (questionId: string, memberId?: string) => {
  const found = await readQuestionCard(database.db, {
    workspaceId: workspace.workspaceId,
    questionId,
    ...(memberId && { memberId }),
  })
  if (!found) throw new Error('expected a card')
  return found
}
const answer = (questionId: string, given: Partial<AnswerGiven> = {}) =>
  answerQuestion(database.db, {
    questionId,
    memberId: workspace.members.approver,
    verdict: 'approve',
    surface: 'slack',
    ...given,
  })

describe('a card', () => {
  test('has all that a person needs to decide, in one read', async () => {
    const schema = { type: 'object', properties: { path: { type: 'string' } } }
    await syncTools(database.db, [
      {
        name: 'file.write',
        title: 'Write a file',
        description: 'Writes a file.',
        category: 'filesystem',
        inputSchema: schema,
        effect: 'write',
        version: 'v1',
        aliases: [],
        hook: 'log',
        idempotent: false,
        untrusted: false,
        groups: [],
        requiredSecretScopes: [],
      },
    ])
    const { run, id, callId } = await ask()
    const { conversationId } = run
    await enqueueDelivery(database.db, { conversationId, kind: 'question', payload: {}, questionId: id })
    expect(await card(id, workspace.members.approver)).toMatchObject({
      id,
      kind: 'confirmation',
      status: 'open',
      runId: run.runId,
      conversationId,
      agent: { id: workspace.agentId },
      requester: { memberId: workspace.members.member, name: 'The member' },
      toolCallId: callId,
      tool: 'file.write',
      effect: 'write',
      title: 'Write a.txt',
      facts: [{ label: 'File', value: 'a.txt' }],
      diff: { before: 'old', after: 'new' },
      arguments: { path: 'a.txt' },
      argumentsDigest: 'digest-1',
      inputSchema: schema,
      why: ['The workspace confirms file.write.'],
      whoMayAnswer: 'approvers, admins and owners',
      mayAnswer: true,
      hasAnswered: false,
      approvals: { given: 0, required: 1 },
      buttons: ['approve', 'approve-for-thread', 'edit', 'deny', 'deny-with-reason'],
      lease: { maxUses: 3, durationMs: 60_000, scope: { key: '', words: 'this tool' } },
      expiresAt: expect.any(Date),
      answers: [],
      closed: null,
      copies: [
        { channelKind: 'web', channelId: workspace.channelId, conversationId, status: 'pending', externalId: null },
      ],
    })
  })

  test('is not there for another workspace, nor for a text that is no id', async () => {
    const { id, run } = await ask()
    const { workspaceId } = await createTestWorkspace(database.db)
    expect(await readQuestionCard(database.db, { workspaceId, questionId: id })).toBeNull()
    expect(await readQuestionCards(database.db, { workspaceId, runIds: [run.runId] })).toEqual([])
    expect(await readQuestionCard(database.db, { workspaceId, questionId: 'q_\0' })).toBeNull()
  })

  test('of several runs are in the order in which they were asked, and of very many the newest are there', async () => {
    const { id: first, run } = await ask()
    const { id: second, run: other } = await ask()
    const cards = async () =>
      readQuestionCards(database.db, { workspaceId: workspace.workspaceId, runIds: [other.runId, run.runId] })
    expect((await cards()).map(({ id }) => id)).toEqual([first, second])
    await database.db.pool.query(
      `INSERT INTO questions (id, workspace_id, run_id, kind, prompt, expires_at, asked_at)
       SELECT 'q_' || $1 || n, $1, $2, 'budget', '{}', now(), now() - n * interval '1 day' FROM generate_series(1, $3) AS n`,
      [workspace.workspaceId, run.runId, limits.pageRows],
    )
    expect((await cards()).slice(-2).map(({ id }) => id)).toEqual([first, second])
  })

  test('says the same about who may answer as the answer does', async () => {
    const rules: NewQuestion['approvers'][] = [
      {},
      { requester: true },
      { roles: ['owner'] },
      { memberIds: [workspace.members.viewer] },
      { roles: ['member'], notRequester: true },
      { roles: ['member'], allOf: [{ memberIds: [workspace.members.member, workspace.members.admin] }] },
    ]
    for (const approvers of rules) {
      for (const memberId of Object.values(workspace.members)) {
        const { id } = await ask({ approvers: approvers! })
        const { mayAnswer } = await card(id, memberId)
        expect((await answer(id, { memberId })).ok).toBe(mayAnswer)
      }
    }
  })

  test('offers neither a lease nor an edit that would be refused', async () => {
    const { id: several } = await ask({ requiredAnswers: 2 })
    expect((await card(several)).buttons).toEqual(['approve', 'edit', 'deny', 'deny-with-reason'])
    const { id: plain } = await ask({ prompt: { title: 'x', lease: false, mayEdit: false } })
    expect(await card(plain)).toMatchObject({
      lease: null,
      inputSchema: null,
      buttons: ['approve', 'deny', 'deny-with-reason'],
    })
  })

  const many = Array.from({ length: 6 }, (_, index) => `option ${index}`)
  test.each<[QuestionKind, object, string[]]>([
    ['choice', { options: many.slice(0, 5) }, ['options', 'decline']],
    ['choice', { options: many }, ['menu', 'decline']],
    ['multi_choice', { options: many }, ['multi-select', 'decline']],
    ['text', {}, ['reply', 'decline']],
    ['form', { tabs: [{ title: 'A', question: 'B' }] }, ['form', 'decline']],
    ['plan', {}, ['approve', 'deny', 'deny-with-reason']],
    ['budget', {}, ['options']],
  ])('of a %s with %j offers what answers it', async (kind, part, buttons) => {
    const { id } = await ask({ kind, prompt: { title: 'x', ...part } })
    expect(await card(id)).toMatchObject({ kind, buttons, arguments: null, inputSchema: null })
  })

  test('of a budget has its three answers, and a prompt that cannot be read does not break it', async () => {
    const { id } = await ask({ kind: 'budget', prompt: ['nonsense'] })
    expect(await card(id)).toMatchObject({ title: 'Something needs an answer', options: ['+$2', 'Finish up', 'Stop'] })
  })

  test('shows who decided what and when, and has no buttons any more', async () => {
    const { id } = await ask({ requiredAnswers: 2 })
    await answer(id, { memberId: workspace.members.owner })
    expect(await card(id, workspace.members.owner)).toMatchObject({
      hasAnswered: true,
      approvals: { given: 1, required: 2 },
    })
    await answer(id, { verdict: 'deny', reason: 'not today' })
    expect(await card(id)).toMatchObject({
      status: 'answered',
      buttons: [],
      answers: [
        { name: 'The owner', verdict: 'approve', surface: 'slack', at: expect.any(Date) },
        { name: 'The approver', verdict: 'deny', reason: 'not today' },
      ],
      closed: { by: { name: 'The approver' }, at: expect.any(Date), sentence: 'Denied by The approver: not today' },
    })
  })

  test('of an edited call shows what was approved', async () => {
    const { id } = await ask()
    await answerQuestion(
      database.db,
      { questionId: id, memberId: workspace.members.owner, verdict: 'approve', surface: 'web', editedArguments: {} },
      {
        checkEdit: () => ({
          ok: true,
          arguments: { path: 'b.txt' },
          argumentsDigest: 'digest-2',
          summary: { title: 'Write b.txt' },
          reasons: [],
          approval: null,
          leaseScope: null,
        }),
      },
    )
    const shown = await card(id)
    expect(shown).toMatchObject({ title: 'Write b.txt', arguments: { path: 'b.txt' }, argumentsDigest: 'digest-2' })
    // The first summary is gone with what it summed up.
    expect([shown.facts, shown.diff]).toEqual([[], null])
  })
})

describe('in words', () => {
  const closed = { kind: 'choice', status: 'answered', verdict: 'approve', by: { memberId: 'm', name: 'Ada' } } as const
  const rest = { value: null, reason: null }
  test.each([
    [{ ...closed, ...rest, value: 'red' }, 'Answered by Ada: red'],
    [{ ...closed, ...rest, kind: 'form', value: ['free', ['Mon', 'Tue']] }, 'Answered by Ada: free; Mon, Tue'],
    [{ ...closed, ...rest, verdict: 'deny' }, 'Not answered by Ada'],
    [{ ...closed, ...rest, kind: 'confirmation' }, 'Approved by Ada'],
    [{ ...closed, ...rest, kind: 'plan', verdict: 'deny', reason: 'too dear' }, 'Denied by Ada: too dear'],
    [{ ...closed, ...rest, status: 'expired', verdict: 'deny', by: null }, 'Nobody answered in time'],
    [{ ...closed, ...rest, status: 'withdrawn', by: null, reason: 'Stopped.' }, 'Withdrawn: Stopped.'],
  ] as const)('%j is "%s"', (question, sentence) => expect(describeClosed(question)).toBe(sentence))

  test('who may answer', () => {
    const names = { requester: 'Ada', members: new Map([['m1', 'Grace']]) }
    expect(describeApprovers({ requester: true, roles: ['member'] }, names)).toBe('Ada, who asked, or all members')
    expect(describeApprovers({ memberIds: ['m1', 'm2'], notRequester: true }, names, 2)).toBe(
      'Grace, or somebody who is not here any more; but nobody who asked for it; 2 of them',
    )
    expect(describeApprovers({ allOf: [{ roles: ['owner'] }] }, names)).toBe(
      'approvers, admins and owners; who must also be one of: owners',
    )
  })

  test('why it is asked, and what a lease spares', () => {
    expect(describeReasons(reasons)).toEqual(['The workspace confirms file.write.'])
    expect(describeReasons(['used up', { reason: 7 }, null])).toEqual(['used up'])
    const scope = { key: 'k', words: '`npm test …` in this folder' }
    expect(describeLease({ maxUses: 20, durationMs: 3_600_000, scope })).toBe(
      'the next 20 calls of `npm test …` in this folder, for 1 hour',
    )
    expect(describeLease({ maxUses: 1, durationMs: 90_000, scope: { key: '', words: 'this tool' } })).toBe(
      'the next call of this tool, for 2 minutes',
    )
  })
})

describe('the list of open questions', () => {
  const list = async (more: { memberId?: string; conversationId?: string } = {}) =>
    (await listOpenQuestions(database.db, { workspaceId: workspace.workspaceId, ...more })).questions.map(
      ({ id }) => id,
    )

  test('has those that a member may answer, the newest first, until they are answered', async () => {
    const { id: first, run } = await ask()
    const { id: owners } = await ask({ approvers: { roles: ['owner'] } })
    const { id: two } = await ask({ requiredAnswers: 2 })
    expect(await list()).toEqual([two, owners, first])
    const memberId = workspace.members.approver
    expect(await list({ memberId })).toEqual([two, first])
    expect(await list({ conversationId: run.conversationId })).toEqual([first])
    await answer(two)
    expect(await list({ memberId })).toEqual([first])
    await answer(first)
    expect(await list({ memberId })).toEqual([])
    expect(await list()).toEqual([two, owners])
  })

  test('has nothing of another workspace, for nobody of another one, and nothing that is over', async () => {
    await ask()
    const other = await createTestWorkspace(database.db)
    expect(await list({ memberId: other.members.owner })).toEqual([])
    expect((await listOpenQuestions(database.db, { workspaceId: other.workspaceId })).questions).toEqual([])
    await database.db.pool.query(
      `UPDATE questions SET expires_at = now() - interval '1 second' WHERE workspace_id = $1`,
      [workspace.workspaceId],
    )
    expect(await list()).toEqual([])
    await expireQuestions(database.db)
  })

  test('comes in pages, each question once, also where most of them are for others', async () => {
    const { run, id } = await ask()
    const mine = new Set<string>([id])
    const count = limits.pageRows + 30
    await database.db.pool.query(
      `INSERT INTO questions (id, workspace_id, run_id, kind, prompt, approvers, expires_at, asked_at)
       SELECT 'q_' || $1 || n, $1, $2, 'budget', '{}', CASE WHEN n % 10 = 0 THEN '{}' ELSE '{"roles": ["owner"]}' END::jsonb,
         now() + interval '1 hour', now() - (n / 3) * interval '1 second' FROM generate_series(1, $3) AS n`,
      [workspace.workspaceId, run.runId, count],
    )
    for (let n = 10; n <= count; n += 10) mine.add(`q_${workspace.workspaceId}${n}`)
    const found: string[] = []
    let after: QuestionKey | null = null
    do {
      const page: { questions: { id: string }[]; next: QuestionKey | null } = await listOpenQuestions(database.db, {
        workspaceId: workspace.workspaceId,
        memberId: workspace.members.approver,
        limit: 7,
        ...(after && { after }),
      })
      found.push(...page.questions.map((question) => question.id))
      after = page.next
    } while (after)
    expect(found).toHaveLength(mine.size)
    expect(new Set(found)).toEqual(mine)
  })
})
