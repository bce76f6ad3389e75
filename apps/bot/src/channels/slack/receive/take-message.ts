// What people say where the bot can hear it. It is taken in where it is meant for us: in a direct message, where we are
// mentioned, and in threads that we take part in. Slack tells of one message up to three times (as a message, as a
// mention, and again where it got no answer); all of them are known by the message's own place and time.
import type { ChatMessage, ChatReference, TakenMessage } from '../../../chat/chat-services.ts'
import type { SlackConnection, SlackTeam } from '../connect/slack-connection.ts'
import { readMessage } from './read-message.ts'
import { replyAlone } from './reply-alone.ts'
import { isSpoken, type SlackMessage, type SlackSaid } from './slack-message.ts'

export type Spoken = SlackSaid & { user: string }

/** Resolves when it is stored, or when there is nothing to store. */
export async function takeMessage(slack: SlackConnection, teamId: string, event: SlackMessage): Promise<void> {
  if (!isSpoken(event)) return
  const team = await slack.channelOf(teamId)
  if (event.user === team.botUserId) return
  const isDirect = isDirectMessage(event)
  if (!isDirect && !(await isForUs(slack, team, event))) return
  await takeSaid(slack, team, event.channel, isDirect, event)
}

export async function takeSaid(
  slack: SlackConnection,
  team: SlackTeam,
  place: string,
  isDirect: boolean,
  said: Spoken,
): Promise<void> {
  const message = await toChatMessage(slack, team, place, isDirect, said)
  const taken = await slack.chat.takeMessage(message)
  // Nobody waits for this: what was said is stored.
  void tellThem(slack, team, message, said, taken).catch((error: Error) =>
    slack.log.info({ error }, 'somebody could not be told something in Slack'),
  )
}

async function toChatMessage(
  slack: SlackConnection,
  team: SlackTeam,
  place: string,
  isDirect: boolean,
  said: Spoken,
): Promise<ChatMessage> {
  const [person, { text, references }] = await Promise.all([
    slack.personOf(team.teamId, said.user),
    readMessage(slack, team, said),
  ])
  const conversationKey = keyOf(place, said)
  const isReply = Boolean(said.thread_ts) && said.thread_ts !== said.ts
  const seed = isReply && !isDirect && !(await hasConversation(slack, team, conversationKey))
  const before: ChatReference[] = seed ? [{ kind: 'thread', id: conversationKey, before: said.ts }] : []
  return {
    channelId: team.id,
    eventId: `message:${place}:${said.ts}`,
    place,
    conversationKey,
    isDirect,
    person,
    text: text || references.length ? text : wordless(isReply),
    references: [...before, ...references],
    messageId: said.ts,
    slashCommands: false,
  }
}

const wordless = (isReply: boolean) =>
  isReply ? '(I mentioned you here without a word of my own: look at this thread.)' : 'Hello! What can you do here?'

async function tellThem(
  slack: SlackConnection,
  team: SlackTeam,
  message: ChatMessage,
  said: Spoken,
  taken: TakenMessage,
): Promise<void> {
  const where = { team, channel: message.place, user: said.user, threadTs: said.thread_ts ?? null }
  if (taken.outcome === 'refused' && taken.sentence) await replyAlone(slack, where, { markdown: taken.sentence })
  if (taken.outcome === 'command') await replyAlone(slack, where, taken.reply)
}

/** The thread's first message names the conversation; a message outside of any thread begins one. */
export const keyOf = (place: string, said: Pick<SlackSaid, 'ts' | 'thread_ts'>) =>
  `${place}:${said.thread_ts ?? said.ts}`

/** Direct messages of one person and us. Group messages are like channels: there we answer when we are mentioned. */
export const isDirectMessage = (event: Pick<SlackMessage, 'channel' | 'channel_type'>) =>
  event.channel_type ? event.channel_type === 'im' || event.channel_type === 'app_home' : event.channel.startsWith('D')

async function isForUs(slack: SlackConnection, team: SlackTeam, event: SlackMessage): Promise<boolean> {
  if (event.type === 'app_mention' || mentions(event, team)) return true
  return Boolean(event.thread_ts) && (await hasConversation(slack, team, keyOf(event.channel, event)))
}

export const mentions = (said: Pick<SlackSaid, 'text'>, team: SlackTeam) =>
  Boolean(said.text?.includes(`<@${team.botUserId}>`) || said.text?.includes(`<@${team.botUserId}|`))

async function hasConversation(slack: SlackConnection, team: SlackTeam, key: string): Promise<boolean> {
  const { rows } = await slack.chat.db.pool.query(
    'SELECT 1 FROM conversations WHERE channel_id = $1 AND external_key = $2',
    [team.id, key],
  )
  return rows.length > 0
}
