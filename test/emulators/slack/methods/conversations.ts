import { messageObject } from '../events.ts'
import type { Channel, Json, Message } from '../model.ts'
import { Refusal } from '../refusal.ts'
import {
  type Call,
  isTrue,
  knownChannel,
  type Methods,
  needString,
  requireChannelScope,
  requireScope,
} from './method.ts'

const mostPerPage = 1000

export function channelObject(call: Call, channel: Channel): Json {
  const { kind } = channel
  return {
    id: channel.id,
    ...(kind === 'im' ? { user: channel.userId } : { name: channel.name, name_normalized: channel.name }),
    is_channel: kind === 'channel',
    is_group: kind === 'group',
    is_im: kind === 'im',
    is_mpim: kind === 'mpim',
    is_private: kind !== 'channel',
    is_archived: channel.archived,
    is_member: channel.members.has(call.bot.userId),
    is_shared: channel.sharedWith.size > 0,
    is_ext_shared: channel.sharedWith.size > 0,
    is_org_shared: false,
    context_team_id: call.team.id,
    num_members: channel.members.size,
  }
}

/** One page of a list: a cursor is where the next one begins. */
function page<Item>(items: readonly Item[], args: Json): { items: Item[]; next: string } {
  const limit = Math.min(mostPerPage, Number(args.limit ?? 100) || 100)
  const cursor = args.cursor ? Buffer.from(String(args.cursor), 'base64url').toString() : '0'
  if (!/^\d+$/.test(cursor)) throw new Refusal('invalid_cursor')
  const from = Number(cursor)
  const next = from + limit < items.length ? Buffer.from(String(from + limit)).toString('base64url') : ''
  return { items: items.slice(from, from + limit), next }
}

function within(args: Json): (message: Message) => boolean {
  const inclusive = isTrue(args.inclusive)
  const compare = (a: string, b: unknown) => Number(a) - Number(b)
  return ({ ts }) => {
    const after = args.oldest === undefined ? 1 : compare(ts, args.oldest)
    const before = args.latest === undefined ? -1 : compare(ts, args.latest)
    return (after > 0 || (inclusive && after === 0)) && (before < 0 || (inclusive && before === 0))
  }
}

/** A channel whose messages the bot may read: it must be in it. */
function readable(call: Call): Channel {
  const channel = knownChannel(call, needString(call.args, 'channel'))
  requireChannelScope(call, channel, 'history')
  if (!channel.members.has(call.bot.userId)) throw new Refusal('not_in_channel')
  return channel
}

function messagesAnswer(call: Call, messages: readonly Message[], keep: number): Json {
  const { items, next } = page(messages, call.args)
  const root = call.args.cursor && keep ? messages.slice(0, keep).filter((message) => !items.includes(message)) : []
  const metadata = isTrue(call.args.include_all_metadata) ? 'all' : 'type'
  return {
    messages: [...root, ...items].map((message) => messageObject(call.core, message, metadata)),
    has_more: next !== '',
    ...(next ? { response_metadata: { next_cursor: next } } : {}),
  }
}

export const conversationMethods: Methods = {
  'conversations.replies': {
    token: 'bot',
    tier: 3,
    run(call) {
      const channel = readable(call)
      const ts = needString(call.args, 'ts')
      const thread = call.core.world.thread(channel.id, ts)
      if (!thread.length) throw new Refusal('thread_not_found')
      const chosen = within(call.args)
      // The root is on every page, whatever range was asked for.
      return messagesAnswer(
        call,
        thread.filter((message) => message.ts === ts || chosen(message)),
        1,
      )
    },
  },
  'conversations.history': {
    token: 'bot',
    tier: 3,
    run(call) {
      const channel = readable(call)
      const roots = channel.messages.filter((message) => !message.thread_ts).filter(within(call.args))
      return messagesAnswer(call, roots.toReversed(), 0)
    },
  },
  'conversations.info': {
    token: 'bot',
    tier: 3,
    run(call) {
      const channel = knownChannel(call, needString(call.args, 'channel'))
      requireChannelScope(call, channel, 'read')
      return { channel: channelObject(call, channel) }
    },
  },
  'conversations.list': {
    token: 'bot',
    tier: 2,
    run(call) {
      const types = String(call.args.types ?? 'public_channel').split(',')
      const kinds = { public_channel: 'channel', private_channel: 'group', im: 'im', mpim: 'mpim' } as Record<
        string,
        string
      >
      const wanted = new Set(types.map((type) => kinds[type.trim()]))
      const all = [...call.core.world.channels.values()].filter(
        ({ kind, teamId, members, archived }) =>
          wanted.has(kind) &&
          teamId === call.team.id &&
          (kind === 'channel' || members.has(call.bot.userId)) &&
          !(archived && isTrue(call.args.exclude_archived)),
      )
      const { items, next } = page(all, call.args)
      return {
        channels: items.map((channel) => channelObject(call, channel)),
        response_metadata: { next_cursor: next },
      }
    },
  },
  'conversations.members': {
    token: 'bot',
    tier: 4,
    run(call) {
      const channel = knownChannel(call, needString(call.args, 'channel'))
      requireChannelScope(call, channel, 'read')
      const { items, next } = page([...channel.members], call.args)
      return { members: items, response_metadata: { next_cursor: next } }
    },
  },
  'conversations.open': {
    token: 'bot',
    tier: 3,
    run(call) {
      const { core, args, bot, team } = call
      if (args.channel) return { channel: channelObject(call, knownChannel(call, args.channel)) }
      const ids = String(args.users ?? '')
        .split(',')
        .filter(Boolean)
      if (!ids.length) throw new Refusal('users_list_not_supplied')
      requireScope(bot, ids.length > 1 ? 'mpim:write' : 'im:write')
      const people = ids.map((id) => core.world.users.get(id))
      if (people.some((person) => !person || person.teamId !== team.id)) throw new Refusal('user_not_found')
      if (people.some((person) => person?.deactivated)) throw new Refusal('user_disabled')
      if (people.some((person) => person?.isBot)) throw new Refusal('cannot_dm_bot')
      if (ids.length > 1) {
        const group = core.world.addChannel(team.id, 'mpim', `mpdm-${ids.join('--')}`, [...ids, bot.userId])
        return { channel: channelObject(call, group) }
      }
      const channel = core.world.directMessage(team.id, ids[0] as string)
      return { channel: isTrue(args.return_im) ? channelObject(call, channel) : { id: channel.id } }
    },
  },
  'conversations.join': {
    token: 'bot',
    scope: 'channels:join',
    tier: 3,
    run(call) {
      const channel = knownChannel(call, needString(call.args, 'channel'))
      if (channel.archived) throw new Refusal('is_archived')
      if (channel.kind !== 'channel') throw new Refusal('method_not_supported_for_channel_type')
      channel.members.add(call.bot.userId)
      call.core.world.changed()
      return { channel: channelObject(call, channel) }
    },
  },
}
