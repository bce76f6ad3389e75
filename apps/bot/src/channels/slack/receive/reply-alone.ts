import type { CommandReply } from '../../../chat/chat-services.ts'
import type { SlackConnection, SlackTeam } from '../connect/slack-connection.ts'
import { renderReply } from './render-reply.ts'

export interface Listener {
  team: SlackTeam
  channel: string
  user: string
  threadTs: string | null
}

/** Tells one person something that nobody else sees, where they are. */
export async function replyAlone(
  slack: SlackConnection,
  { team, channel, user, threadTs }: Listener,
  reply: CommandReply,
): Promise<void> {
  const client = await slack.clientFor(team.id)
  await client.chat.postEphemeral({
    channel,
    user,
    ...renderReply(reply),
    ...(threadTs ? { thread_ts: threadTs } : {}),
  })
}
