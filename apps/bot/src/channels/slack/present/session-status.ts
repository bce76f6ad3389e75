import type { Place } from '../../channel.ts'
import { refusalOf } from '../deliver/refusal.ts'
import type { SlackPlace } from '../deliver/slack-place.ts'
import { limits } from '../limits.ts'
import type { Presenting } from './present-work.ts'

/**
 * The session is shown as at work, with Slack's own Stop button, until what this returns is called. That resolves when
 * nothing is under way any more, so that the next status is the last.
 */
export function showStatus(
  { slack }: Presenting,
  place: Place,
  thread: SlackPlace & { threadTs: string },
): () => Promise<void> {
  let isStopped = false
  const { channel, threadTs } = thread
  async function show(): Promise<void> {
    try {
      const client = await slack.clientFor(place.channelId)
      if (isStopped) return
      await client.agents.sessions.setStatus({ channel_id: channel, thread_ts: threadTs, status: 'processing' })
    } catch (error) {
      const code = refusalOf(error)
      if (code) slack.refused(place.channelId, code, channel)
      slack.log.debug({ error }, 'the status of a session could not be set')
    }
  }
  let showing = show()
  // Slack clears it after a while.
  const timer = setInterval(() => {
    showing = show()
  }, limits.statusEveryMs)
  timer.unref()
  return () => {
    isStopped = true
    clearInterval(timer)
    return showing
  }
}
