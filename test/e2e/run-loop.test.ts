import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { deliveriesOf, setUpRuns, transcriptOf } from './run-setup.ts'

const database = useTestDatabase()

test('a message is answered, and everything about it is recorded', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [{ content: [{ text: 'Good morning.' }] }])
  const { runId, conversationId } = await setup.say('hello')
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 1 })
  expect(await transcriptOf(db, conversationId)).toMatchObject([
    { role: 'user' },
    { role: 'assistant', content: [{ type: 'text', text: 'Good morning.' }] },
  ])
  expect(await deliveriesOf(db, conversationId)).toMatchObject([{ kind: 'text', markdown: 'Good morning.', step: 1 }])
  const run = await setup.run(runId)
  expect(Number(run.inputTokens)).toBeGreaterThan(0)
  expect(Number(run.costMicros)).toBeGreaterThan(0)
})

test('a tool that the model asks for runs once, and the model gets its result', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [
    { content: [{ text: 'One moment.' }, { tool: toApiName('sample.mark'), input: { text: 'a' } }] },
    { content: [{ text: 'Marked.' }] },
  ])
  const { runId, conversationId } = await setup.say('mark a')
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(setup.effects()).toHaveLength(1)
  expect((await transcriptOf(db, conversationId))[2]).toMatchObject({
    role: 'tool',
    content: [{ type: 'tool_result', content: 'marked a' }],
  })
  expect(await deliveriesOf(db, conversationId)).toMatchObject([{ markdown: 'One moment.' }, { markdown: 'Marked.' }])
  const calls = await db.prisma.toolCall.findMany({ where: { runId } })
  expect(calls).toMatchObject([{ toolName: 'sample.mark', status: 'succeeded', decision: 'allow', output: 'marked a' }])
})

test('a very long answer arrives as several messages in order, and nothing of it is lost or said twice', async () => {
  const { db } = database
  const paragraphs = Array.from({ length: 40 }, (_, index) => `${index}: ${'some words '.repeat(40)}`.trim())
  const setup = await setUpRuns(database, [{ content: [{ text: paragraphs.join('\n\n') }] }])
  // Not connected in this process: what it says is split as the strictest platform wants it, and waits.
  await db.pool.query(`UPDATE channels SET kind = 'slack' WHERE id = $1`, [setup.workspace.channelId])
  const { runId, conversationId } = await setup.say('tell me everything')
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded' })
  const parts = (await deliveriesOf(db, conversationId)).map(({ markdown }) => String(markdown))
  expect(parts.length).toBeGreaterThan(3)
  expect(Math.max(...parts.map(({ length }) => length))).toBeLessThanOrEqual(4_000)
  expect(parts.join('\n\n').split(/\n+/)).toEqual(paragraphs)
})
