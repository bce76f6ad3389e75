import type { AgentSessionStoppedEvent } from '@slack/types'
import type { SlackConnection } from '../connect/slack-connection.ts'

/** Slack's own Stop button. Slack leaves the session as it is: whoever works on it says when it is over. */
export async function stopSession(
  slack: SlackConnection,
  teamId: string,
  { channel, thread_ts, user }: AgentSessionStoppedEvent,
): Promise<void> {
  const team = await slack.channelOf(teamId)
  const person = await slack.personOf(teamId, user)
  const conversationKey = `${channel}:${thread_ts}`
  if (await slack.chat.stop({ channelId: team.id, conversationKey, person })) return
  // Nothing runs, or they may not stop it. Where nothing runs the session only looks busy.
  const { rows } = await slack.chat.db.pool.query(
    `SELECT 1 FROM conversations c JOIN runs r ON r.conversation_id = c.id AND r.status IN ('queued', 'running', 'waiting')
     WHERE c.channel_id = $1 AND c.external_key = $2`,
    [team.id, conversationKey],
  )
  if (rows.length) return
  const client = await slack.clientFor(team.id)
  await client.agents.sessions.setStatus({ channel_id: channel, thread_ts, status: 'active' })
}
