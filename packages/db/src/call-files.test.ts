import { beforeEach, expect, test } from 'vitest'
import { finishToolCallWithFiles, readCallFiles, sendCallFile } from './call-files.ts'
import {
  claim,
  createTestWorkspace,
  loseClaim,
  race,
  requestCall,
  startRun,
  type TestWorkspace,
  useTestDatabase,
} from './testing.ts'
import { decideToolCall, startToolCall } from './tool-calls.ts'

const database = useTestDatabase()
const picture = { filename: 'page.png', mimeType: 'image/png', data: Buffer.from('a picture').toString('base64') }
let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
})

async function startCall() {
  const { db } = database
  const run = await startRun(db, workspace)
  const toolCallId = await requestCall(db, run, { toolUseId: 'toolu_1' })
  await decideToolCall(db, run, { toolCallId, decision: 'allow', trail: [] })
  await startToolCall(db, run, { toolCallId, argumentsDigest: 'digest-1' })
  return { db, run, toolCallId, end: { toolCallId, toolUseId: 'toolu_1', status: 'succeeded' as const, output: 'ok' } }
}

const deliveries = (conversationId: string) =>
  database.db.prisma.delivery.findMany({ where: { conversationId }, orderBy: { number: 'asc' } })

test('the files of a result are queued with the end of the call, in order, and can be read back', async () => {
  const { db, run, end } = await startCall()
  const { conversationId } = run
  const sent = [
    { kind: 'media' as const, file: picture },
    { kind: 'notice' as const, text: 'film.mp4 is too large.' },
    { kind: 'media' as const, file: { ...picture, filename: 'second.png' } },
  ]
  expect(await finishToolCallWithFiles(db, run, end, { conversationId, deliveries: sent })).toBe(true)
  expect(await deliveries(conversationId)).toMatchObject([
    { kind: 'media', runId: run.runId, payload: { kind: 'media', ...picture } },
    { kind: 'notice' },
    { kind: 'media', payload: { filename: 'second.png' } },
  ])
  expect((await readCallFiles(db, run.runId, 'toolu_1')).map(({ filename }) => filename)).toEqual([
    'page.png',
    'second.png',
  ])
  expect(await readCallFiles(db, run.runId, 'toolu_2')).toEqual([])
})

test('a call that is finished twice, or by somebody who lost the run, sends nothing', async () => {
  const { db, run, end } = await startCall()
  const sent = { conversationId: run.conversationId, deliveries: [{ kind: 'media' as const, file: picture }] }
  const finished = await race(10, () => finishToolCallWithFiles(db, run, end, sent))
  expect(finished.filter(Boolean)).toHaveLength(1)
  expect(await deliveries(run.conversationId)).toHaveLength(1)

  const lost = await startCall()
  await loseClaim(db, lost.run.runId)
  await claim(db, lost.run.runId, 'process-2')
  const other = { conversationId: lost.run.conversationId, deliveries: sent.deliveries }
  expect(await finishToolCallWithFiles(db, lost.run, lost.end, other)).toBe(false)
  expect(await deliveries(lost.run.conversationId)).toEqual([])
})

test('a file that a call sends is sent once, however often the call is repeated, and another one beside it', async () => {
  const { db, run } = await startCall()
  const call = { conversationId: run.conversationId, runId: run.runId, toolUseId: 'toolu_1' }
  expect(new Set(await race(10, () => sendCallFile(db, call, picture)))).toEqual(new Set([true]))
  expect(await deliveries(run.conversationId)).toHaveLength(1)
  await sendCallFile(db, call, { ...picture, filename: 'other.png', caption: 'The other one' })
  expect(await deliveries(run.conversationId)).toMatchObject([
    { payload: { filename: 'page.png' } },
    { payload: { filename: 'other.png', caption: 'The other one' } },
  ])
})

test('a call that does not run sends nothing', async () => {
  const { db, run, end } = await startCall()
  const call = { conversationId: run.conversationId, runId: run.runId, toolUseId: 'toolu_1' }
  await finishToolCallWithFiles(db, run, end, { conversationId: run.conversationId, deliveries: [] })
  expect(await sendCallFile(db, call, picture)).toBe(false)
  expect(await sendCallFile(db, { ...call, toolUseId: 'toolu_2' }, picture)).toBe(false)
  expect(await deliveries(run.conversationId)).toEqual([])
})
