// Somebody changed or took back what they had said.
import type { SlackConnection } from '../connect/slack-connection.ts'
import { readMessage } from './read-message.ts'
import { isSpoken, type SlackMessage } from './slack-message.ts'
import { isDirectMessage, keyOf, mentions, takeSaid } from './take-message.ts'

export async function changeMessage(slack: SlackConnection, teamId: string, event: SlackMessage): Promise<void> {
  const { message: after, previous_message: before } = event
  if (!after) return
  // A thread's first message that is deleted stays as a stone in its place.
  if (after.subtype === 'tombstone') return takeBack(slack, teamId, event.channel, before ?? after)
  // Slack also says "changed" when it shows a link's preview.
  if (!isSpoken(after) || after.text === before?.text) return
  const team = await slack.channelOf(teamId)
  if (after.user === team.botUserId) return
  const read = await readMessage(slack, team, after)
  const conversationKey = keyOf(event.channel, after)
  const changed = await slack.chat.editMessage({ channelId: team.id, conversationKey, messageId: after.ts, ...read })
  // Whoever forgot to mention us and adds it means us now. What was taken before is recognized and not taken again.
  if (!changed && !isDirectMessage(event) && mentions(after, team) && !(before && mentions(before, team)))
    await takeSaid(slack, team, event.channel, false, after)
}

export async function deleteMessage(slack: SlackConnection, teamId: string, event: SlackMessage): Promise<void> {
  const ts = event.deleted_ts ?? event.previous_message?.ts
  if (!ts || event.previous_message?.bot_id) return
  await takeBack(slack, teamId, event.channel, { ts, thread_ts: event.previous_message?.thread_ts })
}

async function takeBack(
  slack: SlackConnection,
  teamId: string,
  channel: string,
  said: { ts: string; thread_ts?: string | null | undefined },
): Promise<void> {
  const team = await slack.channelOf(teamId)
  await slack.chat.deleteMessage({
    channelId: team.id,
    conversationKey: `${channel}:${said.thread_ts ?? said.ts}`,
    messageId: said.ts,
  })
}
