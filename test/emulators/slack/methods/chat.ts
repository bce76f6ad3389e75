import { parseContent, parseMetadata } from '../blocks/parse-message.ts'
import type { Core } from '../core.ts'
import { emitChanged, emitDeleted, emitMessage, messageObject } from '../events.ts'
import type { Channel, Json, Message } from '../model.ts'
import { Refusal } from '../refusal.ts'
import { type Call, knownChannel, type Methods, needString, writableChannel } from './method.ts'

/** A longer text makes `chat.update` fail, where `chat.postMessage` would take it. */
const mostUpdatedText = 4000

/** Puts a message of the bot into a channel and tells the app about it. */
export function post(
  { core, bot }: Call,
  channel: Channel,
  message: Omit<Message, 'channel' | 'ts' | 'user'>,
): Message {
  const posted: Message = {
    channel: channel.id,
    ts: core.clock.ts(),
    user: bot.userId,
    bot_id: bot.botId,
    app_id: core.appId,
    ...message,
  }
  channel.messages.push(posted)
  core.world.changed()
  emitMessage(core, channel, posted)
  return posted
}

/** The thread that a message is to go to: its root must be there, and be no reply itself. */
export function parseThread(core: Core, channel: Channel, value: unknown): { thread_ts?: string } {
  if (value === undefined || value === '') return {}
  if (typeof value !== 'string' || !/^\d+\.\d{6}$/.test(value)) throw new Refusal('invalid_thread_ts')
  const root = core.world.message(channel.id, value)
  if (root?.thread_ts) throw new Refusal('cannot_reply_to_message')
  if (!root && !core.world.thread(channel.id, value).length) throw new Refusal('thread_not_found')
  return { thread_ts: value }
}

/** A message of the bot's own. */
export function ownMessage({ core, bot, args }: Call, channel: Channel, refused: string): Message {
  const message = core.world.message(channel.id, needString(args, 'ts'))
  if (!message) throw new Refusal('message_not_found')
  if (message.user !== bot.userId) throw new Refusal(refused)
  return message
}

/** Streams end by themselves when nothing comes for a while. */
export function expireStream(core: Core, message: Message): void {
  const { stream } = message
  if (stream?.state === 'in_progress' && core.clock.now() - stream.lastAt > core.streamIdleMs) stream.state = 'errored'
}

export const chatMethods: Methods = {
  'chat.postMessage': {
    token: 'bot',
    scope: 'chat:write',
    tier: 'post',
    run(call) {
      const { core, args } = call
      const channel = writableChannel(call, needString(args, 'channel'))
      const content = parseContent(args)
      const metadata = parseMetadata(args.metadata)
      const message = post(call, channel, {
        ...content,
        ...parseThread(core, channel, args.thread_ts),
        ...(metadata ? { metadata } : {}),
        ...(typeof args.username === 'string' ? { username: args.username } : {}),
      })
      if (message.thread_ts) core.world.setSession(channel.id, message.thread_ts, { words: '' })
      return { channel: channel.id, ts: message.ts, message: messageObject(core, message) }
    },
  },
  'chat.postEphemeral': {
    token: 'bot',
    scope: 'chat:write',
    tier: 4,
    run(call) {
      const { core, args, bot } = call
      const channel = writableChannel(call, needString(args, 'channel'))
      const user = needString(args, 'user')
      if (!channel.members.has(user)) throw new Refusal('user_not_in_channel')
      const message: Message = {
        channel: channel.id,
        ts: core.clock.ts(),
        user: bot.userId,
        bot_id: bot.botId,
        ephemeralTo: user,
        ...parseContent(args),
        ...parseThread(core, channel, args.thread_ts),
      }
      core.world.ephemerals.push(message)
      core.world.changed()
      return { message_ts: message.ts }
    },
  },
  'chat.update': {
    token: 'bot',
    scope: 'chat:write',
    tier: 3,
    run(call) {
      const { core, args, bot } = call
      const channel = knownChannel(call, needString(args, 'channel'))
      if (channel.archived) throw new Refusal('is_inactive')
      const message = ownMessage(call, channel, 'cant_update_message')
      expireStream(core, message)
      if (message.stream?.state === 'in_progress') throw new Refusal('streaming_state_conflict')
      const content = parseContent(args)
      if (!content.blocks && content.text.length > mostUpdatedText) throw new Refusal('msg_too_long')
      const metadata = parseMetadata(args.metadata)
      const previous = messageObject(core, message)
      delete message.blocks
      delete message.attachments
      delete message.stream
      Object.assign(message, content, metadata ? { metadata } : {})
      message.edited = { user: bot.userId, ts: core.clock.ts() }
      core.world.changed()
      emitChanged(core, channel, message, previous)
      return { channel: channel.id, ts: message.ts, text: message.text, message: messageObject(core, message) }
    },
  },
  'chat.delete': {
    token: 'bot',
    scope: 'chat:write',
    tier: 3,
    run(call) {
      const channel = knownChannel(call, needString(call.args, 'channel'))
      if (channel.archived) throw new Refusal('is_archived')
      const message = ownMessage(call, channel, 'cant_delete_message')
      removeMessage(call.core, channel, message)
      return { channel: channel.id, ts: message.ts }
    },
  },
  'chat.getPermalink': {
    token: 'bot',
    tier: 4,
    run(call): Json {
      const { core, args } = call
      const channel = knownChannel(call, needString(args, 'channel'))
      const message = core.world.message(channel.id, needString(args, 'message_ts'))
      if (!message) throw new Refusal('message_not_found')
      return { channel: channel.id, permalink: permalink(core, message) }
    },
  },
}

export function permalink(core: Core, { channel, ts, thread_ts }: Message): string {
  const team = core.world.teams.get(core.world.channels.get(channel)?.teamId ?? '')
  const query = thread_ts ? `?thread_ts=${thread_ts}&cid=${channel}` : ''
  return `https://${team?.domain}.slack.com/archives/${channel}/p${ts.replace('.', '')}${query}`
}

export function removeMessage(core: Core, channel: Channel, message: Message): void {
  const previous = messageObject(core, message)
  channel.messages.splice(channel.messages.indexOf(message), 1)
  core.world.changed()
  emitDeleted(core, channel, previous)
}
