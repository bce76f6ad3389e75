import type { Core } from './core.ts'
import type { Json } from './model.ts'
import type { SlackEmulatorOptions } from './settings.ts'

export type Kind = 'events_api' | 'interactive' | 'slash_commands'

export interface Parcel {
  kind: Kind
  payload: Json
  retry?: { num: number; reason: string }
}

export type Received = { acked: true; response: unknown } | { acked: false; reason: string; noRetry?: boolean }

/** The way to the app: its sockets, or its HTTP endpoints. */
export interface Carrier {
  readonly overHttp: boolean
  /** Takes a parcel to the app and waits for its acknowledgement, no longer than Slack does. */
  carry(parcel: Parcel): Promise<Received>
}

/** Slack sends an event again almost at once, after a minute and after five. */
const slackRetryMs = [0, 60_000, 300_000]

export interface SentEvent {
  id: string
  type: string
  attempts: number
  acked: boolean
  /** Nobody will send it any more. */
  done: boolean
  event: Json
}

/** Sends events with Slack's retries, and what people do without any. */
export class Deliveries {
  readonly events: SentEvent[] = []
  carrier: Carrier
  readonly #core: Core
  readonly #retryMs: readonly number[]
  readonly #perHour: number
  readonly #counted = new Map<string, { hour: number; count: number; toldMinute: number }>()
  #closed = false

  constructor(core: Core, carrier: Carrier, { retryMs = slackRetryMs, eventsPerHour = 30_000 }: SlackEmulatorOptions) {
    this.#core = core
    this.carrier = carrier
    this.#retryMs = retryMs
    this.#perHour = eventsPerHour
  }

  close(): void {
    this.#closed = true
  }

  /** An event of a team in Slack's envelope, until somebody has acknowledged it or the last retry has failed. */
  sendEvent(teamId: string, event: Json): void {
    if (this.#isOverRate(teamId)) return
    const { world, clock, appId, verificationToken } = this.#core
    const id = world.id('Ev')
    const sent: SentEvent = { id, type: String(event.type), attempts: 0, acked: false, done: false, event }
    this.events.push(sent)
    const channel = world.channels.get(String(event.channel))
    const payload: Json = {
      token: verificationToken,
      team_id: teamId,
      context_team_id: teamId,
      context_enterprise_id: null,
      api_app_id: appId,
      event,
      type: 'event_callback',
      event_id: id,
      event_time: Math.floor(clock.now() / 1000),
      authorizations: [
        {
          enterprise_id: null,
          team_id: teamId,
          user_id: world.teams.get(teamId)?.bot?.userId ?? null,
          is_bot: true,
          is_enterprise_install: false,
        },
      ],
      is_ext_shared_channel: Boolean(channel?.sharedWith.size),
      event_context: `4-${Buffer.from(JSON.stringify({ et: event.type, tid: teamId, aid: appId, cid: event.channel })).toString('base64url')}`,
    }
    void this.#attempt(sent, payload, 0, 'timeout')
  }

  /** What a person does: once, and the answer of the app. */
  send(kind: 'interactive' | 'slash_commands', payload: Json): Promise<Received> {
    return this.carrier.carry({ kind, payload })
  }

  /** The same event once more, as if an acknowledgement had been lost. */
  resend(id: string, copies: (parcel: Parcel) => Promise<unknown>): Promise<unknown> {
    const parcel = this.#last.get(id)
    if (!parcel) throw new Error(`No event ${id} was sent.`)
    return copies({ ...parcel, retry: { num: 1, reason: 'timeout' } })
  }

  readonly #last = new Map<string, Parcel>()

  async #attempt(sent: SentEvent, payload: Json, num: number, reason: string): Promise<void> {
    if (this.#closed) return
    sent.attempts++
    const parcel: Parcel = { kind: 'events_api', payload, ...(num ? { retry: { num, reason } } : {}) }
    this.#last.set(sent.id, parcel)
    const received = await this.carrier.carry(parcel)
    if (received.acked) {
      sent.acked = sent.done = true
      return this.#core.world.changed()
    }
    const wait = this.#retryMs[num]
    if (wait === undefined || received.noRetry || this.#closed) {
      sent.done = true
      return this.#core.world.changed()
    }
    this.#core.clock.after(wait, () => void this.#attempt(sent, payload, num + 1, received.reason))
  }

  /** Beyond so many events an hour Slack drops them, and says so to an HTTP endpoint once a minute. */
  #isOverRate(teamId: string): boolean {
    const now = this.#core.clock.now()
    const hour = Math.floor(now / 3_600_000)
    const minute = Math.floor(now / 60_000)
    const before = this.#counted.get(teamId)
    const counted = before?.hour === hour ? before : { hour, count: 0, toldMinute: 0 }
    this.#counted.set(teamId, counted)
    counted.count++
    if (counted.count <= this.#perHour) return false
    if (this.carrier.overHttp && counted.toldMinute !== minute) {
      counted.toldMinute = minute
      void this.carrier.carry({
        kind: 'events_api',
        payload: {
          token: this.#core.verificationToken,
          type: 'app_rate_limited',
          team_id: teamId,
          minute_rate_limited: minute * 60,
          api_app_id: this.#core.appId,
        },
      })
    }
    return true
  }
}
