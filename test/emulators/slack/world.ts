import { randomBytes, randomUUID } from 'node:crypto'
import type { Clock } from './clock.ts'
import type { Channel, ChannelKind, Message, OpenView, Session, SlackFile, Team, User } from './model.ts'

/** A processing status is shown for so long unless it is set again. */
const statusMs = 2 * 60_000

/** Everything that Slack keeps: who is where and what was said. Nothing in here speaks a protocol. */
export class World {
  readonly clock: Clock
  readonly teams = new Map<string, Team>()
  readonly users = new Map<string, User>()
  readonly channels = new Map<string, Channel>()
  readonly files = new Map<string, SlackFile>()
  readonly ephemerals: Message[] = []
  readonly homes = new Map<string, OpenView>()
  /** The views a person has open, the topmost last. */
  readonly modals = new Map<string, OpenView[]>()
  readonly prompts = new Map<string, { title?: string; prompts: { title: string; message: string }[] }>()
  readonly #sessions = new Map<string, Session>()
  readonly #listeners = new Set<() => void>()

  constructor(clock: Clock) {
    this.clock = clock
  }

  /** An id that looks like one of Slack's: a letter and ten more. */
  id(letter: string): string {
    return letter + randomBytes(8).toString('hex').toUpperCase().slice(0, 10)
  }

  uuid(): string {
    return randomUUID()
  }

  /** Tells those who wait for something to look again. */
  changed(): void {
    for (const listener of this.#listeners) listener()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  addChannel(teamId: string, kind: ChannelKind, name: string, members: readonly string[]): Channel {
    const channel: Channel = {
      id: this.id({ channel: 'C', group: 'G', im: 'D', mpim: 'G' }[kind]),
      teamId,
      kind,
      name,
      members: new Set(members),
      archived: false,
      sharedWith: new Set(),
      userId: null,
      messages: [],
    }
    this.channels.set(channel.id, channel)
    return channel
  }

  /** The direct message of a person and the bot of a team; there is one of each pair. */
  directMessage(teamId: string, userId: string): Channel {
    const bot = this.teams.get(teamId)?.bot?.userId
    for (const channel of this.channels.values())
      if (channel.kind === 'im' && channel.teamId === teamId && channel.userId === userId) return channel
    const channel = this.addChannel(teamId, 'im', '', bot ? [userId, bot] : [userId])
    channel.userId = userId
    return channel
  }

  message(channelId: string, ts: string): Message | undefined {
    return this.channels.get(channelId)?.messages.find((message) => message.ts === ts)
  }

  /** A thread in order: its root first, if that was not deleted. */
  thread(channelId: string, ts: string): Message[] {
    const messages = this.channels.get(channelId)?.messages ?? []
    return messages.filter((message) => message.ts === ts || message.thread_ts === ts)
  }

  setSession(channelId: string, ts: string, session: Partial<Session>): Session {
    const before = this.session(channelId, ts) ?? { status: 'active', title: null, words: '' }
    const after: Session = { ...before, ...session, setAt: this.clock.now() }
    this.#sessions.set(`${channelId}:${ts}`, after)
    this.changed()
    return after
  }

  session(channelId: string, ts: string): Session | null {
    const session = this.#sessions.get(`${channelId}:${ts}`)
    if (!session) return null
    if (this.clock.now() - session.setAt < statusMs) return session
    return { ...session, status: session.status === 'processing' ? 'active' : session.status, words: '' }
  }
}
