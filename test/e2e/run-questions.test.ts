import { answerQuestion, type Database } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { createPolicies } from '../../apps/bot/src/policy/load-policy.ts'
import { createEditCheck } from '../../apps/bot/src/questions/check-edit.ts'
import { createComposeCaller } from '../../apps/bot/src/tools/compose-caller.ts'
import { composeRegistry } from '../../apps/bot/src/tools/compose-registry.ts'
import { deliveriesOf, setUpRuns, transcriptOf } from './run-setup.ts'
import { watchedTools } from './sample-tools.ts'
import { until } from './start-bot.ts'

const database = useTestDatabase()
const confirmed = { tool: toApiName('sample.confirmed'), input: { text: 'b' } }

/** As a process with these tools checks an edit. */
const checkEditIn = (db: Database) =>
  createEditCheck(
    composeRegistry(watchedTools),
    createComposeCaller(db, createPolicies(db, { rules: [] }), { configs: {} }),
  )

const openQuestion = async (db: Database, runId: string) => {
  const found = await until(
    async () => (await db.prisma.run.findUniqueOrThrow({ where: { id: runId } })).status,
    (status) => status === 'waiting',
  ).then(() => db.prisma.question.findFirst({ where: { runId, status: 'open' } }))
  if (!found) throw new Error('there is no open question')
  return found
}

const approve = (db: Database, questionId: string, memberId: string, value?: unknown) =>
  answerQuestion(db, {
    questionId,
    memberId,
    verdict: 'approve',
    surface: 'web',
    ...(value === undefined ? {} : { value }),
  })

test('a call that needs a person waits, the others of the step go on, and its answer lets it run once', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [
    { content: [{ tool: toApiName('sample.mark'), input: { text: 'a' } }, confirmed] },
    { content: [{ text: 'Both done.' }] },
  ])
  const { runId, conversationId } = await setup.say('do both')
  await setup.start()
  const question = await openQuestion(db, runId)
  expect(setup.effects().map((line) => line.split(' ')[1])).toEqual(['a'])
  expect(await deliveriesOf(db, conversationId)).toMatchObject([{ kind: 'question', questionId: question.id }])

  const answers = await Promise.all(
    Array.from({ length: 100 }, () => approve(db, question.id, setup.workspace.members.approver)),
  )
  expect(answers.filter(({ ok }) => ok)).toHaveLength(1)
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(setup.effects().map((line) => line.split(' ')[1])).toEqual(['a', 'b'])
  const results = (await transcriptOf(db, conversationId))[2]?.content
  expect(results).toMatchObject([{ content: 'marked a' }, { content: 'marked b' }])
})

test('a question that was open while everything restarted is answered as if nothing had happened', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [{ content: [confirmed] }, { content: [{ text: 'Done.' }] }])
  const { runId, conversationId } = await setup.say('do it')
  const first = await setup.start()
  const question = await openQuestion(db, runId)
  first.child.kill('SIGKILL')
  await first.exited
  await setup.start()
  expect(await approve(db, question.id, setup.workspace.members.approver)).toMatchObject({ ok: true })
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded' })
  expect(setup.effects()).toHaveLength(1)
  expect((await deliveriesOf(db, conversationId)).filter(({ kind }) => kind === 'question')).toHaveLength(1)
})

test('a call that a person denies does not run, and the model is told who said no and why', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [{ content: [confirmed] }, { content: [{ text: 'Then not.' }] }])
  const { runId, conversationId } = await setup.say('do it')
  await setup.start()
  const { id: questionId } = await openQuestion(db, runId)
  const memberId = setup.workspace.members.approver
  await answerQuestion(db, { questionId, memberId, verdict: 'deny', reason: 'not today', surface: 'web' })
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(setup.effects()).toEqual([])
  expect((await transcriptOf(db, conversationId))[2]?.content).toMatchObject([
    { is_error: true, content: 'Error: The approver denied this: not today' },
  ])
})

test('what a person changed before approving is what runs, and the model is told so', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [
    { content: [confirmed, { ...confirmed, input: { text: 'as asked' } }] },
    { content: [{ text: 'I see.' }] },
  ])
  const { runId, conversationId } = await setup.say('do it')
  await setup.start()
  await openQuestion(db, runId)
  const asked = await db.prisma.question.findMany({ where: { runId }, include: { toolCall: true } })
  const edited = { text: 'c' }
  for (const { id: questionId, toolCall } of asked) {
    const mine = { questionId, memberId: setup.workspace.members.approver, verdict: 'approve' as const, surface: 'web' }
    const isEdited = (toolCall?.arguments as { text?: string } | undefined)?.text === 'b'
    const answer = { ...mine, ...(isEdited ? { editedArguments: edited } : {}) }
    expect(await answerQuestion(db, answer, { checkEdit: checkEditIn(db) })).toMatchObject({ ok: true })
  }
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(
    setup
      .effects()
      .map((line) => line.split(' ').slice(1).join(' '))
      .sort(),
  ).toEqual(['as asked', 'c'])
  const results = (await transcriptOf(db, conversationId))[2]?.content
  expect(results).toMatchObject([
    {
      content:
        '[The approver changed this call before approving it. These arguments took the place of yours: {"ms":0,"text":"c"}]\n\nmarked c',
    },
    { content: 'marked as asked' },
  ])
})

test("a tool's own question is put to the person, and the tool goes on with the answer", async () => {
  const { db } = database
  const setup = await setUpRuns(database, [
    { content: [{ tool: toApiName('sample.ask'), input: { question: 'Which colour?' } }] },
    { content: [{ text: 'Thanks.' }] },
  ])
  const { runId, conversationId } = await setup.say('ask me')
  await setup.start()
  const question = await openQuestion(db, runId)
  expect(question).toMatchObject({ kind: 'choice', prompt: { title: 'Which colour?', options: ['red', 'green'] } })
  expect(await approve(db, question.id, setup.workspace.members.member, 'green')).toMatchObject({ ok: true })
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect((await transcriptOf(db, conversationId))[2]?.content).toMatchObject([{ content: 'They chose green.' }])
})

test('a lease that somebody granted with an answer spares the next question', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [
    { content: [confirmed] },
    { content: [{ text: 'Done.' }] },
    { content: [confirmed] },
    { content: [{ text: 'Done again.' }] },
  ])
  const first = await setup.say('do it', { conversationKey: 'leased' })
  await setup.start()
  const { id: questionId } = await openQuestion(db, first.runId)
  const memberId = setup.workspace.members.approver
  const answer = { questionId, memberId, verdict: 'approve', surface: 'web', lease: true } as const
  expect(await answerQuestion(db, answer)).toMatchObject({ ok: true, leaseId: expect.any(String) })
  await setup.ended(first.runId)
  const { runId } = await setup.say('do it', { conversationKey: 'leased' })
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(setup.effects()).toHaveLength(2)
  expect(await db.prisma.question.count({ where: { runId } })).toBe(0)
})
