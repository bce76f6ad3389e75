import { beforeAll, expect, test } from 'vitest'
import { admit } from './admit.ts'
import { answerQuestion } from './answer-question.ts'
import { receiveEvent } from './inbox.ts'
import { createLinkCode, redeemLinkCode } from './link-codes.ts'
import { openChannel } from './open-channel.ts'
import { askQuestion } from './questions.ts'
import { useTestDatabase } from './testing.ts'
import { claim, createTestWorkspace, race, requestCall, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let slack: string
let telegram: string

beforeAll(async () => {
  const { db } = database
  workspace = await createTestWorkspace(db)
  slack = (await openChannel(db, { kind: 'slack', externalId: 'T1', name: 'Acme' })).id
  telegram = (await openChannel(db, { kind: 'telegram', externalId: '77', name: 'bot' })).id
})

const codeOf = (memberId: string) => createLinkCode(database.db, { workspaceId: workspace.workspaceId, memberId })
const person = (externalId: string) => ({ externalId, name: externalId })
const redeem = (code: string, externalId: string, channelId = telegram) =>
  redeemLinkCode(database.db, { code, channelId, person: person(externalId) })

test('whoever says a code is its member from then on, in any case and without the dash, once', async () => {
  const { db } = database
  const memberId = workspace.members.approver
  const { code } = await codeOf(memberId)
  expect(code).toMatch(/^[A-Z0-9]{4}-[A-Z0-9]{4}$/)
  const tries = await race(5, () => redeem(` ${code.toLowerCase().replace('-', '')} `, '1'))
  expect(tries.filter(({ ok }) => ok)).toEqual([{ ok: true, memberId, name: 'The approver' }])
  expect(await admit(db, { channelId: telegram, person: person('1') })).toMatchObject({ memberId, role: 'approver' })
  expect(await redeem(code, '2')).toEqual({ ok: false, reason: 'wrong' })
})

test('a code is stored as a hash, and a new one makes the one before worthless', async () => {
  const { db } = database
  const first = await codeOf(workspace.members.admin)
  const second = await codeOf(workspace.members.admin)
  const { rows } = await db.pool.query('SELECT link_codes::text AS text FROM link_codes')
  for (const { text } of rows) expect(text).not.toContain(second.code.replace('-', ''))
  expect(await redeem(first.code, '3')).toMatchObject({ ok: false })
  expect(await redeem(second.code, '3')).toMatchObject({ ok: true, memberId: workspace.members.admin })
})

test('a code that is over, of a disabled member or of another workspace does not hold', async () => {
  const { db } = database
  const { code } = await codeOf(workspace.members.viewer)
  await db.pool.query(`UPDATE link_codes SET expires_at = now() - interval '1 s' WHERE member_id = $1`, [
    workspace.members.viewer,
  ])
  expect(await redeem(code, '4')).toEqual({ ok: false, reason: 'wrong' })
  const other = await createTestWorkspace(db)
  const theirs = await createLinkCode(db, { workspaceId: other.workspaceId, memberId: other.members.owner })
  expect(await redeem(theirs.code, '5')).toEqual({ ok: false, reason: 'wrong' })
  const mine = await codeOf(workspace.members.viewer)
  await db.pool.query('UPDATE members SET disabled_at = now() WHERE id = $1', [workspace.members.viewer])
  expect(await redeem(mine.code, '6')).toEqual({ ok: false, reason: 'wrong' })
  await expect(codeOf(workspace.members.viewer)).rejects.toThrow('no such member')
})

test('somebody who guesses is refused after some tries, with the right code too; others are not', async () => {
  const { code } = await codeOf(workspace.members.owner)
  for (let guess = 0; guess < 5; guess++) expect(await redeem('AAAA-AAAA', '7')).toMatchObject({ reason: 'wrong' })
  expect(await redeem(code, '7')).toMatchObject({ ok: false, reason: 'too-many' })
  expect(await redeem(code, '8')).toMatchObject({ ok: true })
})

/** Somebody of Slack who has asked for something, and a question of that run. */
async function begun(externalId: string, approvers: object, requiredAnswers = 1) {
  const { db } = database
  const who = await admit(db, { channelId: slack, person: person(externalId) })
  if (!('memberId' in who)) throw new Error('expected a member')
  const said = await receiveEvent(db, {
    ...{ channelId: slack, eventId: externalId, place: 'C1', conversationKey: `C1:${externalId}` },
    ...{ memberId: who.memberId, content: [{ type: 'text', text: 'do it' }] },
  })
  if (said.outcome !== 'received') throw new Error(said.outcome)
  const run = await claim(db, said.runId)
  const toolCallId = await requestCall(db, run)
  const asked = { toolCallId, kind: 'confirmation', prompt: {}, approvers, requiredAnswers } as const
  const questionId = (await askQuestion(db, run, asked))!
  return { memberId: who.memberId, questionId, runId: said.runId, conversationId: said.conversationId }
}
const answer = (questionId: string, memberId: string) =>
  answerQuestion(database.db, { questionId, memberId, verdict: 'approve', surface: 'slack' })

test('what somebody began before they linked their account is theirs afterwards, and their old member is disabled', async () => {
  const { db } = database
  const before = await begun('T1:U1', { requester: true })
  const { code } = await codeOf(workspace.members.member)
  expect(await redeem(code, 'T1:U1', slack)).toMatchObject({ ok: true, memberId: workspace.members.member })
  const old = await db.prisma.member.findUniqueOrThrow({ where: { id: before.memberId } })
  expect(old.disabledAt).not.toBeNull()
  expect(await db.prisma.conversation.findUnique({ where: { id: before.conversationId } })).toMatchObject({
    openedBy: workspace.members.member,
  })
  expect(await answer(before.questionId, workspace.members.member)).toMatchObject({ ok: true, closed: true })
})

test('linking accounts lets nobody approve what they asked for themselves, or approve twice', async () => {
  const fourEyes = await begun('T1:U2', { roles: ['member'], notRequester: true })
  // Somebody else asked for something in the same run.
  const second = await admit(database.db, { channelId: slack, person: person('T1:U4') })
  await receiveEvent(database.db, {
    ...{ channelId: slack, eventId: 'second', place: 'C1', conversationKey: 'C1:T1:U2' },
    ...{ memberId: 'memberId' in second ? second.memberId : '', content: [{ type: 'text', text: 'this too' }] },
  })
  expect(await redeem((await codeOf(workspace.members.admin)).code, 'T1:U4', slack)).toMatchObject({ ok: true })
  expect(await answer(fourEyes.questionId, workspace.members.admin)).toMatchObject({ reason: 'not-entitled' })
  const two = await begun('T1:U3', { roles: ['member'] }, 2)
  expect(await answer(two.questionId, two.memberId)).toMatchObject({ ok: true, remaining: 1 })
  for (const externalId of ['T1:U2', 'T1:U3'])
    expect(await redeem((await codeOf(workspace.members.owner)).code, externalId, slack)).toMatchObject({ ok: true })
  expect(await answer(fourEyes.questionId, workspace.members.owner)).toMatchObject({ reason: 'not-entitled' })
  expect(await answer(two.questionId, workspace.members.owner)).toMatchObject({ reason: 'already-answered' })
  expect(await answer(two.questionId, workspace.members.admin)).toMatchObject({ ok: true, closed: true })
})

test('an account of the last owner cannot be given away, and the code is not used up', async () => {
  const { db } = database
  const other = await createTestWorkspace(db)
  await db.pool.query(
    `INSERT INTO channels (id, workspace_id, kind, name, external_id) VALUES ('chn_other', $1, 'telegram', 'o', 'o')`,
    [other.workspaceId],
  )
  const link = (code: string) => redeemLinkCode(db, { code, channelId: 'chn_other', person: person('9') })
  const codeFor = (memberId: string) => createLinkCode(db, { workspaceId: other.workspaceId, memberId })
  expect(await link((await codeFor(other.members.owner)).code)).toMatchObject({ ok: true })
  const { code } = await codeFor(other.members.member)
  expect(await link(code)).toEqual({ ok: false, reason: 'last-owner' })
  expect(await db.prisma.linkCode.count({ where: { memberId: other.members.member } })).toBe(1)
})
