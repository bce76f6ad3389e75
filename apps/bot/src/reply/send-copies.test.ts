import { askQuestion, enqueueDelivery, expireQuestions, newId } from '@quartermaster/db'
import {
  createTestWorkspace,
  requestCall,
  startRun,
  type TestWorkspace,
  useTestDatabase,
} from '@quartermaster/db/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { maintenanceTasks } from '../jobs/maintenance.ts'
import { createLog } from '../log.ts'
import { sendCopies } from './send-copies.ts'
import { type Delivering, startDelivering } from './start-delivering.ts'
import { createTestPlatform, type TestPlatform } from './testing-platform.ts'

const database = useTestDatabase()
const log = createLog({ level: 'silent', secrets: [] })
let workspace: TestWorkspace
let telegram: string
let web: TestPlatform
let chat: TestPlatform
let delivering: Delivering

beforeEach(async () => {
  const { db } = database
  workspace = await createTestWorkspace(db)
  telegram = newId('chn')
  await db.pool.query(
    `INSERT INTO channels (id, workspace_id, kind, name, external_id) VALUES ($1, $2, 'telegram', 'bot', $1)`,
    [telegram, workspace.workspaceId],
  )
  await db.pool.query(
    `INSERT INTO identities (id, workspace_id, member_id, kind, external_id) VALUES ($1, $2, $3, 'telegram', '500')`,
    [newId('idn'), workspace.workspaceId, workspace.members.owner],
  )
  web = createTestPlatform()
  chat = createTestPlatform({ kind: 'telegram' })
  chat.channel = { ...chat.channel, directKey: (id) => `private:${id}` }
  const channels = [web.channel, chat.channel]
  delivering = await startDelivering({ db, channels, log, processId: newId('prc') })
})
afterEach(() => delivering.stop())

async function ask(question: object) {
  const { db } = database
  const run = await startRun(db, workspace)
  const toolCallId = await requestCall(db, run)
  const questionId = (await askQuestion(db, run, { toolCallId, kind: 'confirmation', prompt: {}, ...question }))!
  const payload = { kind: 'question', questionId }
  await enqueueDelivery(db, { conversationId: run.conversationId, kind: 'question', payload, questionId })
  return questionId
}
const settled = () =>
  vi.waitFor(
    async () => {
      const left = await database.db.prisma.delivery.count({ where: { status: { in: ['pending', 'sending'] } } })
      expect([left, web.arrivals.length > 0]).toEqual([0, true])
    },
    { timeout: 15_000 },
  )
const copies = () =>
  database.db.prisma.delivery.findMany({
    where: { channelId: telegram, kind: 'question' },
    include: { conversation: true },
  })

test('an approver who is not where a question is asked is shown it alone, once', async () => {
  const questionId = await ask({})
  await settled()
  const sent = await copies()
  expect(sent).toMatchObject([{ questionId, status: 'sent', conversation: { externalKey: 'private:500' } }])
  await sendCopies({ db: database.db, channels: [web.channel, chat.channel], log }, questionId)
  await settled()
  expect(chat.arrivals).toHaveLength(1)
})

test('nobody is disturbed by a question that the people in the conversation can answer', async () => {
  await ask({ approvers: { roles: ['member'] } })
  await settled()
  expect(await copies()).toEqual([])
})

test('whom a question escalates to is shown it alone', async () => {
  const { db } = database
  const first = { memberIds: [workspace.members.member] }
  const questionId = await ask({ approvers: first, expiresInMs: 60_000, escalateTo: { roles: ['owner'] } })
  await settled()
  expect(await copies()).toEqual([])
  await db.pool.query(`UPDATE questions SET expires_at = now() - interval '1 s' WHERE id = $1`, [questionId])
  const copying = { db, channels: [web.channel, chat.channel], log }
  const tasks = maintenanceTasks(db, log, { onEscalated: (id) => sendCopies(copying, id) })
  await tasks['expire-questions']?.({}, {} as never)
  expect(await copies()).toMatchObject([{ questionId }])
  expect(await expireQuestions(db)).toEqual([])
  await settled()
})
