import { askQuestion, type LiveNotice, listen, liveChannel, readConversation } from '@quartermaster/db'
import { createTestWorkspace, requestCall, startRun, useTestDatabase } from '@quartermaster/db/testing'
import type { DeliveryPayload } from '../../apps/bot/src/channels/channel.ts'
import { createWebChannel } from '../../apps/bot/src/channels/web/web-channel.ts'
import { type ChannelUnderTest, describeChannel } from './channel-contract.ts'

const database = useTestDatabase()

describeChannel('web', async (): Promise<ChannelUnderTest> => {
  const { db, url } = database
  const workspace = await createTestWorkspace(db)
  const run = await startRun(db, workspace)
  const { conversationId, runId } = run
  const toolCallId = await requestCall(db, run)
  const questionId = (await askQuestion(db, run, { toolCallId, kind: 'confirmation', prompt: {} }))!
  const { workspaceId, channelId } = workspace

  const texts = new Map<number, string>()
  const activities: Record<string, string> = {}
  const closing = new AbortController()
  await listen(
    url,
    [liveChannel],
    (each) => {
      if (each.kind !== 'notice') return
      const notice = JSON.parse(each.payload) as LiveNotice
      if (notice.runId !== runId || notice.workspaceId !== workspaceId) return
      const { event } = notice
      const text = (step: number) => texts.get(step) ?? ''
      if (event.kind === 'text') texts.set(event.step, text(event.step).slice(0, event.from) + event.text)
      if (event.kind === 'restart') texts.set(event.step, text(event.step).slice(0, Math.max(0, event.keep)))
      if (event.kind === 'activity') activities[event.title] = event.state
    },
    { signal: closing.signal },
  )

  let stalled: Promise<void> | null = null
  const pool = {
    query: async (...query: Parameters<typeof db.pool.query>) => {
      await stalled
      return db.pool.query(...query)
    },
  } as unknown as typeof db.pool

  return {
    db,
    channel: createWebChannel({ db: { pool } }),
    place: { workspaceId, conversationId, channelId, conversationKey: 'key', runId },
    questionId,
    /** The page shows the rows that were sent. */
    async seen() {
      const page = await readConversation(db, { workspaceId, conversationId })
      const sent = page?.deliveries.filter(({ status, kind }) => status === 'sent' && kind !== 'card-update') ?? []
      return sent.map(({ payload }) => wordsOf(payload as DeliveryPayload))
    },
    shownText: (step) => texts.get(step) ?? '',
    shownActivities: () => activities,
    stall() {
      const { promise, resolve } = Promise.withResolvers<void>()
      stalled = promise
      return resolve
    },
    async close() {
      closing.abort()
    },
  }
})

function wordsOf(payload: DeliveryPayload): string {
  if (payload.kind === 'text') return payload.markdown
  if (payload.kind === 'notice') return payload.text
  return payload.kind === 'media' ? payload.filename : payload.questionId
}
