// `/qm status`, `/qm agent` …: a command and its answer, which only its giver sees.
import type { RespondFn, SlashCommand } from '@slack/bolt'
import type { SlackConnection, SlackTeam } from '../connect/slack-connection.ts'
import { renderReply } from './render-reply.ts'

export const slashCommand = '/qm'

export async function runSlashCommand(
  slack: SlackConnection,
  teamId: string,
  { text, channel_id, user_id }: Pick<SlashCommand, 'text' | 'channel_id' | 'user_id'>,
  respond: RespondFn,
): Promise<void> {
  const [, name = '', argument = ''] = /^\s*\/?(\S*)\s*([\s\S]*?)\s*$/.exec(text) ?? []
  await runCommand(
    slack,
    teamId,
    { name: name.toLowerCase() || 'help', argument, channel: channel_id, user: user_id },
    respond,
  )
}

export interface GivenCommand {
  name: string
  argument: string
  channel: string
  user: string
}

export async function runCommand(
  slack: SlackConnection,
  teamId: string,
  { name, argument, channel, user }: GivenCommand,
  respond: RespondFn,
  replace = false,
): Promise<void> {
  try {
    const team = await slack.channelOf(teamId)
    const [person, isDirect] = await Promise.all([
      slack.personOf(teamId, user),
      isOurDirectMessage(slack, team, channel, user),
    ])
    // Slack does not say in which thread a command was typed; where only one is at work, that one is meant.
    const conversationKey = name === 'stop' ? await findBusyThread(slack, team, channel) : null
    const where = { channelId: team.id, place: channel, conversationKey, isDirect }
    const reply = await slack.chat.runCommand({ ...where, person, name, argument })
    await respond({ response_type: 'ephemeral', replace_original: replace, ...renderReply(reply) })
  } catch (error) {
    slack.log.warn({ error, command: name }, 'a command failed')
    await respond({ response_type: 'ephemeral', text: 'That did not work just now. Please try it again in a moment.' })
  }
}

/** People's direct messages with each other look the same; ours is the one that Slack opens for us and them. */
async function isOurDirectMessage(
  slack: SlackConnection,
  team: SlackTeam,
  channel: string,
  user: string,
): Promise<boolean> {
  if (!channel.startsWith('D')) return false
  const client = await slack.clientFor(team.id)
  const opened = await client.conversations.open({ users: user })
  return opened.channel?.id === channel
}

/** The thread of a place in which something is being done; null where there is none, or more than one. */
async function findBusyThread(slack: SlackConnection, team: SlackTeam, place: string): Promise<string | null> {
  const { rows } = await slack.chat.db.pool.query<{ external_key: string }>(
    `SELECT c.external_key FROM runs r JOIN conversations c ON c.id = r.conversation_id
     WHERE c.channel_id = $1 AND r.workspace_id = $2 AND r.status IN ('queued', 'running', 'waiting')
       AND starts_with(c.external_key, $3) LIMIT 2`,
    [team.id, team.workspaceId, `${place}:`],
  )
  return rows.length === 1 ? (rows[0]?.external_key ?? null) : null
}
