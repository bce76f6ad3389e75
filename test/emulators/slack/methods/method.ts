import type { Core } from '../core.ts'
import type { Bot, Channel, Json, Team } from '../model.ts'
import { invalidArguments, Refusal } from '../refusal.ts'
import type { Sockets } from '../sockets.ts'

/** A call by the bot of a team. */
export interface Call {
  core: Core
  sockets: Sockets
  args: Json
  team: Team
  bot: Bot
}

export interface Method {
  token: 'bot' | 'app' | 'none'
  /** The scope it needs, where that does not depend on the channel. */
  scope?: string
  /** How many calls a minute Slack allows: its tiers 1 to 4, or its own rule for posting. */
  tier: 1 | 2 | 3 | 4 | 'post'
  run(call: Call): Json | Promise<Json>
}

export type Methods = Record<string, Method>

export function needString(args: Json, key: string): string {
  const value = args[key]
  if (typeof value === 'number') return String(value)
  if (typeof value !== 'string' || !value)
    throw invalidArguments(`missing required field: ${key} [json-pointer:/${key}]`)
  return value
}

export function isTrue(value: unknown): boolean {
  return value === true || value === 'true' || value === '1' || value === 1
}

export function requireScope(bot: Bot, needed: string): void {
  if (!bot.scopes.includes(needed)) throw new Refusal('missing_scope', { needed, provided: bot.scopes.join(',') })
}

/** The channel of an argument, if the bot can know of it. */
export function knownChannel({ core, team, bot }: Call, id: unknown): Channel {
  const channel = core.world.channels.get(String(id))
  const ours = channel && (channel.teamId === team.id || channel.sharedWith.has(team.id))
  if (!ours || (channel.kind !== 'channel' && !channel.members.has(bot.userId))) throw new Refusal('channel_not_found')
  return channel
}

/** The channel of an argument, if the bot may write there. A person's id stands for the direct message with them. */
export function writableChannel(call: Call, id: unknown): Channel {
  const { core, team, bot } = call
  const person = core.world.users.get(String(id))
  if (person && !person.isBot) {
    if (person.teamId !== team.id) throw new Refusal('channel_not_found')
    return core.world.directMessage(team.id, person.id)
  }
  const channel = knownChannel(call, id)
  if (channel.archived) throw new Refusal('is_archived')
  if (!channel.members.has(bot.userId)) throw new Refusal('not_in_channel')
  return channel
}

const scopeNames = { channel: 'channels', group: 'groups', im: 'im', mpim: 'mpim' } as const

export function requireChannelScope({ bot }: Call, channel: Channel, right: 'history' | 'read'): void {
  requireScope(bot, `${scopeNames[channel.kind]}:${right}`)
}
