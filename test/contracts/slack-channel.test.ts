import { answerQuestion } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { type ChannelUnderTest, describeChannel } from './channel-contract.ts'
import { startSlackParts } from './slack-parts.ts'

const database = useTestDatabase()

const states: Record<string, string> = {
  in_progress: 'running',
  pending: 'waiting',
  complete: 'done',
  error: 'failed',
}

describeChannel('Slack', async (): Promise<ChannelUnderTest> => {
  const { db } = database
  const { slack, channel, place, questionId, workspace, ours, close } = await startSlackParts(db)
  return {
    db,
    channel,
    place,
    questionId,
    async answer() {
      const given = { questionId, memberId: workspace.members.approver, verdict: 'deny', surface: 'console' } as const
      const denied = await answerQuestion(db, given)
      if (!denied.ok) throw new Error(denied.reason)
      return 'Denied by The approver'
    },
    async seen() {
      return ours().map(({ text, files }) => [text, ...files.map(({ name }) => name)].join('\n'))
    },
    /** Each step is a message of its own. */
    shownText: (step) =>
      (ours()[step - 1]?.blocks ?? [])
        .flatMap((block) => (block.type === 'markdown' ? [String(block.text)] : []))
        .join(''),
    shownActivities: () =>
      Object.fromEntries(
        ours().flatMap(({ tasks }) => tasks.map(({ title, status }) => [title, states[status] ?? status])),
      ),
    stall() {
      const methods = ['agents.sessions.setStatus', 'chat.startStream', 'chat.appendStream', 'chat.stopStream']
      for (const method of methods) for (let times = 0; times < 5; times++) slack.failNext(method, { delayMs: 8_000 })
      return () => {}
    },
    refuseNext(retryAfterMs) {
      slack.storm(null)
      if (retryAfterMs === null) return slack.failNext('chat.postMessage', { error: 'is_archived' })
      const seconds = retryAfterMs / 1000
      slack.storm({ percent: 100, minSeconds: seconds, maxSeconds: seconds, methods: ['chat.postMessage'] })
    },
    close,
  }
})
