import { randomBytes } from 'node:crypto'
import { Clock } from './clock.ts'
import type { Bot, Json, Team } from './model.ts'
import { Refusal } from './refusal.ts'
import { eventScopes, everyScope, type LoggedRequest, type SlackEmulatorOptions } from './settings.ts'
import { World } from './world.ts'

/** Sends an event to the app if it has subscribed to it and may have it. */
export type Emit = (teamId: string, subscription: string, event: Json) => void

interface Trigger {
  userId: string
  teamId: string
  at: number
  used: boolean
}

export interface ResponseUrl {
  channel: string
  userId: string
  teamId: string
  /** The message that was clicked; none for a command. */
  ts: string | null
  ephemeral: boolean
  threadTs?: string
  at: number
  uses: number
}

/** What all parts of the emulator share: the world, the app's settings, and the short-lived things Slack hands out. */
export class Core {
  readonly clock = new Clock()
  readonly world = new World(this.clock)
  readonly appId = this.world.id('A')
  readonly clientId = `${Math.floor(Math.random() * 1e12)}.${Math.floor(Math.random() * 1e12)}`
  readonly clientSecret = randomBytes(16).toString('hex')
  readonly signingSecret = randomBytes(16).toString('hex')
  readonly verificationToken = randomBytes(12).toString('base64url')
  readonly appToken = `xapp-1-${this.appId}-${Math.floor(Math.random() * 1e12)}-${randomBytes(32).toString('hex')}`
  readonly scopes: readonly string[]
  readonly events: ReadonlySet<string>
  readonly ackMs: number
  readonly triggerMs: number
  readonly streamIdleMs: number
  readonly requests: LoggedRequest[] = []
  readonly responseUrls = new Map<string, ResponseUrl>()
  readonly revokedTokens = new Map<string, 'token_revoked' | 'account_inactive'>()
  baseUrl = ''
  emit: Emit = () => {}
  readonly #triggers = new Map<string, Trigger>()

  constructor(options: SlackEmulatorOptions) {
    this.scopes = options.scopes ?? everyScope
    this.events = new Set(options.events ?? Object.keys(eventScopes))
    this.ackMs = options.ackMs ?? 3000
    this.triggerMs = options.triggerMs ?? 3000
    this.streamIdleMs = options.streamIdleMs ?? 5 * 60_000
  }

  addTeam(name: string, domain = name.toLowerCase().replace(/\W+/g, '-')): Team {
    const team: Team = { id: this.world.id('T'), name, domain, bot: null }
    this.world.teams.set(team.id, team)
    return team
  }

  /** Installs the app: its bot becomes a user of the team and gets a token of its own. */
  install(team: Team, scopes: readonly string[] = this.scopes): Bot {
    const userId = team.bot?.userId ?? this.world.id('U')
    const token = `xoxb-${Math.floor(Math.random() * 1e12)}-${Math.floor(Math.random() * 1e12)}-${randomBytes(18).toString('base64url').replace(/[-_]/g, 'x')}`
    team.bot = { userId, botId: team.bot?.botId ?? this.world.id('B'), token, scopes: [...scopes] }
    this.world.users.set(userId, {
      id: userId,
      teamId: team.id,
      name: 'Quartermaster',
      email: null,
      guest: null,
      isBot: true,
      deactivated: false,
      timezone: 'Europe/London',
    })
    for (const channel of this.world.channels.values())
      if (channel.kind === 'im' && channel.teamId === team.id) channel.members.add(userId)
    return team.bot
  }

  teamOfToken(token: string): Team | null {
    for (const team of this.world.teams.values()) if (team.bot?.token === token) return team
    return null
  }

  /** The team of a person who acts in a channel: the one that has the app, whose own team may be another. */
  botOf(teamId: string): Bot {
    const bot = this.world.teams.get(teamId)?.bot
    if (!bot) throw new Error(`The app is not installed in team ${teamId}.`)
    return bot
  }

  newTrigger(teamId: string, userId: string): string {
    const id = `${Math.floor(Math.random() * 1e13)}.${Math.floor(Math.random() * 1e12)}.${randomBytes(16).toString('hex')}`
    this.#triggers.set(id, { teamId, userId, at: this.clock.now(), used: false })
    return id
  }

  /** A trigger opens one view, soon after somebody has done something. */
  useTrigger(id: unknown, teamId: string): Trigger {
    const trigger = this.#triggers.get(String(id))
    if (!trigger || trigger.teamId !== teamId) throw new Refusal('invalid_trigger_id')
    if (trigger.used) throw new Refusal('exchanged_trigger_id')
    if (this.clock.now() - trigger.at > this.triggerMs) throw new Refusal('expired_trigger_id')
    return trigger
  }

  newResponseUrl(response: Omit<ResponseUrl, 'at' | 'uses'>): string {
    const path = `/actions/${response.teamId}/${Math.floor(Math.random() * 1e13)}/${randomBytes(12).toString('base64url')}`
    this.responseUrls.set(path, { ...response, at: this.clock.now(), uses: 0 })
    return this.baseUrl + path
  }
}
