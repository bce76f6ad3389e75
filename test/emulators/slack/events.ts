import type { Core } from './core.ts'
import { fileObject } from './file-object.ts'
import type { Channel, ChannelKind, Json, Message } from './model.ts'

const subscriptions: Record<ChannelKind, string> = {
  channel: 'message.channels',
  group: 'message.groups',
  im: 'message.im',
  mpim: 'message.mpim',
}

/** A message as Slack shows it to an app, in an event or in the answer of a method. */
export function messageObject(core: Core, message: Message, metadata: 'all' | 'type' = 'all'): Json {
  const { channel, stream, files, ephemeralTo, metadata: stored, ...rest } = message
  const home = core.world.channels.get(channel)?.teamId
  const replies = message.thread_ts ? [] : core.world.thread(channel, message.ts).filter(({ ts }) => ts !== message.ts)
  const last = replies.at(-1)
  return {
    type: 'message',
    team: core.world.users.get(message.user)?.teamId ?? home,
    ...rest,
    ...(files ? { files: files.map((file) => fileObject(core, file)) } : {}),
    ...(stream ? { streaming_state: stream.state } : {}),
    ...(stored ? { metadata: metadata === 'all' ? stored : { event_type: stored.event_type } } : {}),
    ...(message.thread_ts ? { parent_user_id: core.world.message(channel, message.thread_ts)?.user } : {}),
    ...(last
      ? {
          thread_ts: message.ts,
          reply_count: replies.length,
          reply_users: [...new Set(replies.map(({ user }) => user))],
          latest_reply: last.ts,
        }
      : {}),
  }
}

function emitToMembers(core: Core, channel: Channel, subscription: string, event: Json): void {
  for (const teamId of [channel.teamId, ...channel.sharedWith]) {
    const bot = core.world.teams.get(teamId)?.bot
    if (bot && channel.members.has(bot.userId)) core.emit(teamId, subscription, event)
  }
}

/** Tells the app about a new message, also its own, and once more when its bot is mentioned. */
export function emitMessage(core: Core, channel: Channel, message: Message): void {
  const home = core.world.users.get(message.user)?.teamId
  const event = {
    ...messageObject(core, message),
    channel: channel.id,
    channel_type: channel.kind,
    event_ts: message.ts,
    // Somebody of another team, through Slack Connect.
    ...(home && home !== channel.teamId ? { user_team: home, source_team: home } : {}),
  }
  emitToMembers(core, channel, subscriptions[channel.kind], event)
  if (channel.kind === 'im' || message.bot_id) return
  const { channel_type: _, ...mention } = event
  for (const teamId of [channel.teamId, ...channel.sharedWith]) {
    const bot = core.world.teams.get(teamId)?.bot
    if (bot && channel.members.has(bot.userId) && message.text.includes(`<@${bot.userId}>`))
      core.emit(teamId, 'app_mention', { ...mention, type: 'app_mention' })
  }
}

export function emitChanged(core: Core, channel: Channel, message: Message, previous: Json): void {
  const ts = core.clock.ts()
  emitToMembers(core, channel, subscriptions[channel.kind], {
    type: 'message',
    subtype: 'message_changed',
    hidden: true,
    channel: channel.id,
    channel_type: channel.kind,
    ts,
    event_ts: ts,
    message: messageObject(core, message),
    previous_message: previous,
  })
}

export function emitDeleted(core: Core, channel: Channel, previous: Json): void {
  const ts = core.clock.ts()
  emitToMembers(core, channel, subscriptions[channel.kind], {
    type: 'message',
    subtype: 'message_deleted',
    hidden: true,
    channel: channel.id,
    channel_type: channel.kind,
    ts,
    event_ts: ts,
    deleted_ts: previous.ts,
    previous_message: previous,
  })
}
