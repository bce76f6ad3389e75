// `!tool {json}`: a tool that a person runs by hand, in a bot as it is.
import { answerQuestion } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, test } from 'vitest'
import { deliveriesOf, setUpRuns, transcriptOf } from './run-setup.ts'
import { until } from './start-bot.ts'

const database = useTestDatabase()

test('a tool by hand runs without the model, is recorded like any call, and its output is the answer', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [{ content: [{ text: 'I see what you did.' }] }])
  await setup.start()
  const { runId, conversationId } = await setup.say('!sample.mark {"text": "a"}\n!sample.mark {"text": "b"}')
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2, costMicros: 0n })
  expect(setup.emulator.requests).toHaveLength(0)
  expect(setup.effects().map((line) => line.split(' ')[1])).toEqual(['a', 'b'])
  const calls = await db.prisma.toolCall.findMany({ where: { runId }, orderBy: { id: 'asc' } })
  expect(calls).toMatchObject([
    { toolName: 'sample.mark', status: 'succeeded', arguments: { text: 'a', ms: 0 } },
    { toolName: 'sample.mark', status: 'succeeded' },
  ])
  const [answer] = await deliveriesOf(db, conversationId)
  expect(answer).toMatchObject({ kind: 'text', last: true })
  expect(answer?.markdown).toContain('`sample.mark` returned:\n```\nmarked a\n```')

  // The model takes over where people talk, and has it all before it.
  const next = await setup.say('what was that?', { conversationKey: await keyOf(conversationId) })
  expect(await setup.ended(next.runId)).toMatchObject({ status: 'succeeded' })
  expect(setup.emulator.requests.map(({ status }) => status)).toEqual([200])
  expect((await transcriptOf(db, conversationId)).map(({ role }) => role)).toEqual([
    ...['user', 'assistant', 'tool', 'assistant'],
    ...['user', 'assistant'],
  ])
})

const keyOf = async (id: string) =>
  (await database.db.prisma.conversation.findUniqueOrThrow({ where: { id } })).externalKey

test('a tool by hand is under the same policy: it waits for a person, and a no is an answer', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [])
  await setup.start()
  for (const verdict of ['approve', 'deny'] as const) {
    const { runId, conversationId } = await setup.say(`!sample.confirmed {"text": "${verdict}"}`)
    const question = await until(
      () => db.prisma.question.findFirst({ where: { runId, status: 'open' } }),
      (found) => found !== null,
    )
    const by = { memberId: setup.workspace.members.approver, surface: 'web' }
    expect(await answerQuestion(db, { questionId: question!.id, verdict, ...by })).toMatchObject({ ok: true })
    expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded' })
    const told = (await deliveriesOf(db, conversationId)).at(-1)?.markdown
    expect(told).toContain(verdict === 'approve' ? 'marked approve' : '`sample.confirmed` was not done.')
  }
  expect(setup.effects().map((line) => line.split(' ')[1])).toEqual(['approve'])
  expect(setup.emulator.requests).toHaveLength(0)
})

test('a tool that is not there and arguments that are none are told; what only looks like a call goes to the model', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [{ content: [{ text: 'Thank you!' }] }])
  await setup.start()
  const told = async (text: string) => {
    const { runId, conversationId } = await setup.say(text)
    await setup.ended(runId)
    return (await deliveriesOf(db, conversationId)).at(-1)?.markdown
  }
  expect(await told('!sample.burn {"all": true}')).toMatch(/`sample\.burn` was not done\. .*Did you mean/)
  expect(await told('!sample.mark {"text": ')).toContain('`sample.mark` is no JSON object')
  expect(await told('!sample.mark {"txt": "a"}')).toContain('was not done')
  expect(setup.emulator.requests).toHaveLength(0)
  expect(await told('!wow, that is good')).toBe('Thank you!')
  expect(setup.effects()).toEqual([])
})
