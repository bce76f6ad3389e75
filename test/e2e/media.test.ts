import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { deliveriesOf, setUpRuns, transcriptOf } from './run-setup.ts'
import { dot } from './sample-tools.ts'

const database = useTestDatabase()
const draw = { tool: toApiName('sample.picture'), input: { text: 'a' } }
const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: dot } }

test('a picture that a tool brings reaches people once, and the model as a picture', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [{ content: [draw] }, { content: [{ text: 'Done.' }] }])
  const { runId, conversationId } = await setup.say('draw')
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded' })
  expect(await deliveriesOf(db, conversationId)).toMatchObject([
    { kind: 'media', filename: 'dot.png', mimeType: 'image/png', data: dot },
    { kind: 'text', markdown: 'Done.' },
  ])
  expect((await transcriptOf(db, conversationId))[2]).toMatchObject({
    content: [{ type: 'tool_result', content: [{ type: 'text', text: 'A dot.' }, image] }],
  })
})

test('a process that is killed after the tool and before the next step loses no picture and sends none twice', async () => {
  const { db } = database
  const setup = await setUpRuns(database, [{ content: [draw] }, { content: [{ text: 'Done.' }] }])
  const { runId, conversationId } = await setup.say('draw')
  const first = await setup.start({ QM_TEST_CRASH_AT: 'tool-ended' })
  expect(await first.exited).toMatchObject({ signal: 'SIGKILL' })
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded' })
  expect(setup.effects()).toHaveLength(1)
  expect(await deliveriesOf(db, conversationId)).toMatchObject([{ kind: 'media', data: dot }, { kind: 'text' }])
  expect((await transcriptOf(db, conversationId))[2]).toMatchObject({
    content: [{ type: 'tool_result', content: [{ type: 'text', text: 'A dot.' }, image] }],
  })
})

test('a file that the model sends is in the chat, once, also where the process is killed right after', async () => {
  const { db } = database
  const send = { tool: toApiName('media.send'), input: { data: dot, mimeType: 'image/png', filename: 'dot.png' } }
  const setup = await setUpRuns(database, [{ content: [send] }, { content: [{ text: 'Sent.' }] }])
  await db.pool.query('DELETE FROM agent_tools WHERE agent_id = $1', [setup.workspace.agentId])
  const { runId, conversationId } = await setup.say('send a dot')
  const first = await setup.start({ QM_TEST_CRASH_AT: 'tool-ended' })
  expect(await first.exited).toMatchObject({ signal: 'SIGKILL' })
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded' })
  expect(await deliveriesOf(db, conversationId)).toMatchObject([
    { kind: 'media', filename: 'dot.png', data: dot },
    { kind: 'text', markdown: 'Sent.' },
  ])
})

test('a model that looks at a picture for a tool is paid for by the run', async () => {
  const { db } = database
  const analyze = { tool: toApiName('image.analyze'), input: { data: dot, mimeType: 'image/png' } }
  const answers = (content: object[], output_tokens: number) => ({
    content,
    usage: { input_tokens: 10, output_tokens },
  })
  const setup = await setUpRuns(database, (request) => {
    if (!request.tools) return answers([{ text: 'A dot, seen.' }], 700) as never
    const looked = JSON.stringify(request.messages).includes('A dot, seen.')
    return answers(looked ? [{ text: 'Done.' }] : [analyze], 100) as never
  })
  await db.pool.query('DELETE FROM agent_tools WHERE agent_id = $1', [setup.workspace.agentId])
  const { runId } = await setup.say('look')
  await setup.start()
  const run = await setup.ended(runId)
  expect(run).toMatchObject({ status: 'succeeded', steps: 2, outputTokens: 900n })
  // By the list price of the model, a token that it says costs 10.
  expect(Number(run.costMicros)).toBeGreaterThanOrEqual(9_000)
})
