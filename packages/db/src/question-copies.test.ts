import { beforeAll, describe, expect, test } from 'vitest'
import { readAnswerDraft, saveAnswerDraft } from './answer-drafts.ts'
import { answerQuestion } from './answer-question.ts'
import type { Approvers } from './approvers.ts'
import { claimDelivery, confirmDelivery, enqueueDelivery } from './deliveries.ts'
import { finishRun, requestStop } from './finish-run.ts'
import { receiveEvent } from './inbox.ts'
import { openChannel } from './open-channel.ts'
import { readQuestionCard } from './question-card.ts'
import { copyQuestion, findCopyRecipients, readCopy } from './question-copies.ts'
import { askQuestion, expireQuestions, type NewQuestion, withdrawQuestions } from './questions.ts'
import { useTestDatabase } from './testing.ts'
import { claim, createTestWorkspace, race, requestCall, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let slack: string
let telegram: string
let count = 0

beforeAll(async () => {
  const { db } = database
  workspace = await createTestWorkspace(db)
  slack = (await openChannel(db, { kind: 'slack', externalId: 'T1', name: 'Acme' })).id
  telegram = (await openChannel(db, { kind: 'telegram', externalId: '77', name: 'bot' })).id
})

/** A question in a thread, whose card was sent there. */
async function ask(question: Partial<NewQuestion> = {}, channelId = slack, writers = [workspace.members.member]) {
  const { db } = database
  const key = `C1:${++count}`
  let runId = ''
  let conversationId = ''
  for (const memberId of writers) {
    const said = await receiveEvent(db, {
      ...{ channelId, eventId: `${key}:${memberId}`, place: 'C1', conversationKey: key },
      ...{ memberId, content: [{ type: 'text', text: 'do it' }] },
    })
    if (said.outcome !== 'received') throw new Error(said.outcome)
    runId = said.runId
    conversationId = said.conversationId
  }
  const run = await claim(db, runId)
  const toolCallId = await requestCall(db, run)
  const questionId = (await askQuestion(db, run, { toolCallId, kind: 'confirmation', prompt: {}, ...question }))!
  const payload = { kind: 'question', questionId }
  const copy = (await enqueueDelivery(db, { conversationId, kind: 'question', payload, questionId }))!
  const claimed = (await claimDelivery(db, { processId: 'p', conversationId }))!
  await confirmDelivery(db, claimed, `sent-${questionId}`)
  return { run, runId, conversationId, questionId, copyId: copy.id, key }
}

async function updatesOf(questionId: string): Promise<{ copyId: string; channelId: string }[]> {
  const { rows } = await database.db.pool.query(
    `SELECT payload ->> 'copyId' AS "copyId", channel_id AS "channelId" FROM deliveries WHERE question_id = $1 AND kind = 'card-update'
     ORDER BY conversation_id, number`,
    [questionId],
  )
  return rows
}
const answer = (questionId: string, memberId: string, verdict: 'approve' | 'deny' = 'approve') =>
  answerQuestion(database.db, { questionId, memberId, verdict, surface: 'slack' })

describe('every copy is shown anew', () => {
  test('when the question is answered, and a channel finds where the card was sent', async () => {
    const { db } = database
    const { questionId, copyId, key } = await ask()
    expect(await updatesOf(questionId)).toEqual([])
    expect(await answer(questionId, workspace.members.approver)).toMatchObject({ closed: true })
    expect(await updatesOf(questionId)).toEqual([{ copyId, channelId: slack }])
    expect(await readCopy(db, copyId)).toEqual({
      ...{ externalId: `sent-${questionId}`, conversationKey: key, channelId: slack, status: 'sent' },
    })
    expect(await readCopy(db, 'dlv_of_nobody')).toBeNull()
    const card = await readQuestionCard(db, { workspaceId: workspace.workspaceId, questionId })
    expect(card?.copies.map(({ deliveryId }) => deliveryId)).toEqual([copyId])
  })

  test('when one of several has approved', async () => {
    const { questionId } = await ask({ requiredAnswers: 2 })
    expect(await answer(questionId, workspace.members.approver)).toMatchObject({ closed: false, remaining: 1 })
    expect(await updatesOf(questionId)).toHaveLength(1)
    expect(await answer(questionId, workspace.members.admin)).toMatchObject({ closed: true })
    expect(await updatesOf(questionId)).toHaveLength(2)
  })

  test('when a hundred click at once, once', async () => {
    const { questionId } = await ask()
    const answers = await race(100, () => answer(questionId, workspace.members.approver))
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
    expect(await updatesOf(questionId)).toHaveLength(1)
  })

  test('not when an answer is refused', async () => {
    const { questionId } = await ask()
    expect(await answer(questionId, workspace.members.viewer)).toMatchObject({ reason: 'not-entitled' })
    expect(await updatesOf(questionId)).toEqual([])
  })

  test('when it escalates, and when it expires then', async () => {
    const { db } = database
    const { questionId } = await ask({ expiresInMs: -1, escalateTo: { roles: ['owner'] } })
    expect(await expireQuestions(db)).toEqual([expect.objectContaining({ questionId, outcome: 'escalated' })])
    expect(await updatesOf(questionId)).toHaveLength(1)
    await db.pool.query(`UPDATE questions SET expires_at = now() - interval '1 s' WHERE id = $1`, [questionId])
    expect(await expireQuestions(db)).toEqual([expect.objectContaining({ questionId, outcome: 'expired' })])
    expect(await updatesOf(questionId)).toHaveLength(2)
  })

  test('when it is withdrawn, when its run is stopped, and when its run ends', async () => {
    const { db } = database
    const { workspaceId } = workspace
    const actor = { kind: 'system', id: 'test' } as const
    const withdrawn = await ask()
    await withdrawQuestions(db, { workspaceId, runId: withdrawn.runId, reason: 'no more', actor })
    const stopped = await ask()
    await db.pool.query(`UPDATE runs SET status = 'waiting', claimed_by = NULL, claim_until = NULL WHERE id = $1`, [
      stopped.runId,
    ])
    await requestStop(db, { workspaceId, runId: stopped.runId, actor })
    const ended = await ask()
    await finishRun(db, ended.run, { status: 'failed', error: { code: 'x', message: 'x' }, notice: 'It failed.' })
    for (const { questionId, copyId } of [withdrawn, stopped, ended])
      expect(await updatesOf(questionId)).toEqual([{ copyId, channelId: slack }])
  })

  test('not in the console, which reads the question itself', async () => {
    const { questionId } = await ask({}, workspace.channelId)
    await answer(questionId, workspace.members.approver)
    expect(await updatesOf(questionId)).toEqual([])
  })

  test('while people write in the thread at the same moment, without anybody waiting for each other for ever', async () => {
    const { db } = database
    for (let round = 0; round < 5; round++) {
      const { questionId, key } = await ask({ requiredAnswers: 3 })
      const members = [workspace.members.approver, workspace.members.admin, workspace.members.owner]
      await Promise.all([
        ...members.map((memberId) => answer(questionId, memberId)),
        ...Array.from({ length: 10 }, (_, index) =>
          receiveEvent(db, {
            ...{ channelId: slack, eventId: `${key}:more:${index}`, place: 'C1', conversationKey: key },
            ...{
              memberId: workspace.members.member,
              content: [
                { type: 'text', text: 'and this' },
                { type: 'text', text: 'x' },
              ],
            },
          }),
        ),
      ])
      expect(await updatesOf(questionId)).toHaveLength(3)
    }
  })
})

describe('copies for people who are not there', () => {
  beforeAll(async () => {
    const identify = (kind: string, externalId: string, memberId: string) =>
      database.db.pool.query(
        `INSERT INTO identities (id, workspace_id, member_id, kind, external_id) VALUES ($1, $2, $3, $4::identity_kind, $5)`,
        [`idn_${externalId}`, workspace.workspaceId, memberId, kind, externalId],
      )
    await identify('slack', 'T1:UAPP', workspace.members.approver)
    await identify('telegram', '500', workspace.members.approver)
    await identify('telegram', '600', workspace.members.owner)
    // Of a team that is not connected.
    await identify('slack', 'T8:UADM', workspace.members.admin)
  })
  const recipients = (questionId: string, kinds: ('slack' | 'telegram')[] = ['slack', 'telegram']) =>
    findCopyRecipients(database.db, { questionId, kinds })
  const on = (channelId: string, channelKind: string, memberId: string, identityExternalId: string) => ({
    ...{ channelId, channelKind, memberId, identityExternalId },
  })

  test('go to everybody who may answer and can be reached, where nobody in the thread may', async () => {
    const { questionId } = await ask()
    const approver = on(slack, 'slack', workspace.members.approver, 'T1:UAPP')
    const owner = on(telegram, 'telegram', workspace.members.owner, '600')
    expect(new Set(await recipients(questionId))).toEqual(new Set([approver, owner]))
    expect(await recipients(questionId, ['telegram'])).toContainEqual(
      on(telegram, 'telegram', workspace.members.approver, '500'),
    )
  })

  test('go to nobody where those who wrote suffice, and to the others where they do not', async () => {
    const writers = [workspace.members.member, workspace.members.approver]
    const { questionId } = await ask({}, slack, writers)
    expect(await recipients(questionId)).toEqual([])
    const two = await ask({ requiredAnswers: 2 }, slack, writers)
    expect((await recipients(two.questionId)).map(({ memberId }) => memberId)).toEqual([workspace.members.owner])
  })

  test('go to those to whom it escalates', async () => {
    const { db } = database
    const first: Approvers = { memberIds: [workspace.members.member] }
    const { questionId } = await ask({ approvers: first, expiresInMs: 60_000, escalateTo: { roles: ['owner'] } })
    expect(await recipients(questionId)).toEqual([])
    await db.pool.query(`UPDATE questions SET expires_at = now() - interval '1 s' WHERE id = $1`, [questionId])
    await expireQuestions(db)
    expect((await recipients(questionId)).map(({ memberId }) => memberId)).toEqual([workspace.members.owner])
  })

  test('are one for each member however often they are asked for, and are shown anew with the others', async () => {
    const { db } = database
    const { questionId } = await ask()
    const copy = { questionId, memberId: workspace.members.owner, channelId: telegram, conversationKey: '600' }
    const copied = await race(10, () => copyQuestion(db, copy))
    expect(copied.filter(Boolean)).toHaveLength(1)
    await answer(questionId, workspace.members.owner, 'deny')
    const updates = await updatesOf(questionId)
    expect(new Set(updates.map(({ channelId }) => channelId))).toEqual(new Set([slack, telegram]))
    expect(await copyQuestion(db, { ...copy, memberId: workspace.members.admin })).toBe(false)
  })
})

test('a draft is kept while its question is open, for its member alone, and goes when it closes', async () => {
  const { db } = database
  const { questionId } = await ask()
  const mine = { questionId, memberId: workspace.members.owner }
  expect(await readAnswerDraft(db, mine)).toBeNull()
  expect(await saveAnswerDraft(db, { ...mine, value: ['a'] })).toBe(true)
  expect(await saveAnswerDraft(db, { ...mine, value: ['a', 'b'] })).toBe(true)
  expect(await readAnswerDraft(db, mine)).toEqual(['a', 'b'])
  expect(await readAnswerDraft(db, { ...mine, memberId: workspace.members.admin })).toBeNull()
  await expect(saveAnswerDraft(db, { ...mine, value: 'x'.repeat(70_000) })).rejects.toThrow('too long')
  const other = await createTestWorkspace(db)
  expect(await saveAnswerDraft(db, { questionId, memberId: other.members.owner, value: 1 })).toBe(false)
  await answer(questionId, workspace.members.owner)
  expect(await readAnswerDraft(db, mine)).toBeNull()
  expect(await saveAnswerDraft(db, { ...mine, value: 1 })).toBe(false)
})
