import type { Core } from './core.ts'
import type { Channel, Json, Message, User } from './model.ts'

/** A message, or what was read of one. */
export type Place = Pick<Message, 'channel' | 'ts'>

/** Where somebody stands who does something: what they can reach, and what Slack says of them. */
export class Standpoint {
  readonly #core: Core

  constructor(core: Core) {
    this.#core = core
  }

  common(user: User, teamId: string): Json {
    const team = this.#core.world.teams.get(teamId)
    const name = user.name.toLowerCase().replace(/\W+/g, '.')
    return {
      user: { id: user.id, username: name, name, team_id: user.teamId },
      api_app_id: this.#core.appId,
      token: this.#core.verificationToken,
      team: { id: teamId, domain: team?.domain },
      enterprise: null,
      is_enterprise_install: false,
    }
  }

  /** The team through whose installation the app hears of a person in a channel. */
  appTeam(user: User, channel: Channel): string {
    const own = this.#core.world.teams.get(user.teamId)
    if (own?.bot && channel.members.has(own.bot.userId)) return own.id
    const other = [channel.teamId, ...channel.sharedWith].find((id) => this.#core.world.teams.get(id)?.bot)
    return other ?? user.teamId
  }

  mustBeIn(user: User, channel: Channel): void {
    if (!channel.members.has(user.id)) throw new Error(`${user.name} is not in ${channel.name || channel.id}.`)
  }

  channel(id: string): Channel {
    const channel = this.#core.world.channels.get(id)
    if (!channel) throw new Error(`There is no channel ${id}.`)
    return channel
  }

  message({ channel, ts }: Place): Message {
    const message = this.#core.world.message(channel, ts) ?? this.#core.world.ephemerals.find((each) => each.ts === ts)
    if (!message) throw new Error(`There is no message ${ts} in ${channel}; it may have been deleted.`)
    return message
  }

  root({ channel, ts }: Place): string {
    return this.#core.world.message(channel, ts)?.thread_ts ?? ts
  }
}
