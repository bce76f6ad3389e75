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
