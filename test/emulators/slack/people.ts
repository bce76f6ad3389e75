import type { Core } from './core.ts'
import type { Deliveries } from './deliveries.ts'
import { emitChanged, emitMessage, messageObject } from './events.ts'
import { removeMessage } from './methods/chat.ts'
import { viewObject } from './methods/views.ts'
import type { Channel, Json, Message, SlackFile, Team, User } from './model.ts'
import { type Outcome, outcome } from './outcome.ts'
import { respond } from './serve-responses.ts'
import type { Place, Standpoint } from './standpoint.ts'
import { typed } from './typed.ts'

export interface Upload {
  name: string
  mimetype?: string
  content: Buffer | string
  text?: string
  /** The thread it goes to. */
  thread?: string
  /** A voice clip, and what Slack makes of it. */
  voice?: { transcript: string }
}

/** Plays the people: what somebody with a keyboard and an account could write, call or press outside a message. */
export class People {
  readonly #core: Core
  readonly #deliveries: Deliveries
  readonly #at: Standpoint

  constructor(core: Core, deliveries: Deliveries, standpoint: Standpoint) {
    this.#core = core
    this.#deliveries = deliveries
    this.#at = standpoint
  }

  addUser(team: Team, { name, ...more }: Partial<User> & { name: string }): User {
    const user: User = {
      id: this.#core.world.id('U'),
      teamId: team.id,
      name,
      email: `${name.toLowerCase().replace(/\W+/g, '.')}@${team.domain}.example`,
      guest: null,
      isBot: false,
      deactivated: false,
      timezone: 'Europe/London',
      ...more,
    }
    this.#core.world.users.set(user.id, user)
    return user
  }

  say(
    user: User,
    channel: Channel,
    text: string,
    { thread, files }: { thread?: string; files?: SlackFile[] } = {},
  ): Message {
    this.#at.mustBeIn(user, channel)
    if (channel.archived) throw new Error(`Nobody can write in #${channel.name}: it is archived.`)
    const { world, clock } = this.#core
    const message: Message = {
      channel: channel.id,
      ts: clock.ts(),
      user: user.id,
      ...typed(text),
      client_msg_id: world.uuid(),
      ...(thread ? { thread_ts: thread } : {}),
      ...(files ? { files, subtype: 'file_share' } : {}),
    }
    if (user.isBot) Object.assign(message, { bot_id: `B${user.id.slice(1)}`, subtype: 'bot_message' })
    channel.messages.push(message)
    for (const file of files ?? [])
      file.shares.push({ channel: channel.id, ts: message.ts, ...(thread ? { thread_ts: thread } : {}) })
    world.changed()
    emitMessage(this.#core, channel, message)
    return message
  }

  reply(user: User, place: Place, text: string): Message {
    return this.say(user, this.#at.channel(place.channel), text, { thread: this.#at.root(place) })
  }

  mention(user: User, channel: Channel, text: string, more: { thread?: string } = {}): Message {
    return this.say(user, channel, `<@${this.#core.botOf(this.#at.appTeam(user, channel)).userId}> ${text}`, more)
  }

  edit(user: User, place: Place, text: string): void {
    const message = this.#at.message(place)
    if (message.user !== user.id) throw new Error('People can edit only what they wrote themselves.')
    const previous = messageObject(this.#core, message)
    Object.assign(message, typed(text))
    message.edited = { user: user.id, ts: this.#core.clock.ts() }
    this.#core.world.changed()
    emitChanged(this.#core, this.#at.channel(place.channel), message, previous)
  }

  delete(place: Place): void {
    removeMessage(this.#core, this.#at.channel(place.channel), this.#at.message(place))
  }

  uploadFile(user: User, channel: Channel, upload: Upload): Message {
    const { world, clock } = this.#core
    const file: SlackFile = {
      id: world.id('F'),
      teamId: channel.teamId,
      user: user.id,
      name: upload.name,
      title: upload.name,
      mimetype: upload.mimetype ?? (upload.voice ? 'audio/webm' : 'text/plain'),
      content: Buffer.from(upload.content as string),
      createdAt: clock.now(),
      voice: upload.voice ?? null,
      shares: [],
    }
    world.files.set(file.id, file)
    return this.say(user, channel, upload.text ?? '', {
      files: [file],
      ...(upload.thread ? { thread: upload.thread } : {}),
    })
  }

  async slash(user: User, channel: Channel, command: string, text = ''): Promise<Outcome> {
    this.#at.mustBeIn(user, channel)
    const teamId = this.#at.appTeam(user, channel)
    if (!this.#core.botOf(teamId).scopes.includes('commands')) throw new Error(`${command} is not a valid command.`)
    const url = { channel: channel.id, userId: user.id, teamId, ts: null, ephemeral: true }
    const received = await this.#deliveries.send('slash_commands', {
      token: this.#core.verificationToken,
      team_id: teamId,
      team_domain: this.#core.world.teams.get(teamId)?.domain,
      channel_id: channel.id,
      channel_name: channel.kind === 'im' ? 'directmessage' : channel.kind === 'group' ? 'privategroup' : channel.name,
      user_id: user.id,
      user_name: user.name.toLowerCase().replace(/\W+/g, '.'),
      command,
      text,
      api_app_id: this.#core.appId,
      is_enterprise_install: 'false',
      response_url: this.#core.newResponseUrl(url),
      trigger_id: this.#core.newTrigger(teamId, user.id),
    })
    const said = received.acked ? received.response : undefined
    const words = typeof said === 'string' ? { text: said } : (said as Json | undefined)
    if (words && Object.keys(words).length) respond(this.#core, { ...url, at: 0, uses: 0 }, words)
    this.#core.world.changed()
    return outcome(received)
  }

  /** Chooses the app's shortcut, from the menu of a message if there is one. */
  async shortcut(user: User, callbackId: string, place?: Place): Promise<Outcome> {
    const channel = place ? this.#at.channel(place.channel) : null
    const teamId = channel ? this.#at.appTeam(user, channel) : user.teamId
    const common = {
      ...this.#at.common(user, teamId),
      callback_id: callbackId,
      trigger_id: this.#core.newTrigger(teamId, user.id),
      action_ts: this.#core.clock.ts(),
    }
    if (!place || !channel) return outcome(await this.#deliveries.send('interactive', { type: 'shortcut', ...common }))
    const message = this.#at.message(place)
    const response = { channel: channel.id, userId: user.id, teamId, ts: message.ts, ephemeral: false }
    return outcome(
      await this.#deliveries.send('interactive', {
        type: 'message_action',
        ...common,
        message_ts: message.ts,
        message: messageObject(this.#core, message),
        channel: { id: channel.id, name: channel.name || 'directmessage' },
        response_url: this.#core.newResponseUrl(response),
      }),
    )
  }

  /** Opens the app's Home tab, or its messages. */
  openHome(user: User, tab: 'home' | 'messages' = 'home'): void {
    const home = this.#core.world.homes.get(user.id)
    this.#core.emit(user.teamId, 'app_home_opened', {
      type: 'app_home_opened',
      user: user.id,
      channel: this.#core.world.directMessage(user.teamId, user.id).id,
      tab,
      ...(home && tab === 'home' ? { view: viewObject(this.#core, home) } : {}),
      event_ts: this.#core.clock.ts(),
    })
  }

  /** Presses Stop, which is there while the app's session of the thread is processing. Slack ends its streams. */
  pressStop(user: User, place: Place): void {
    const channel = this.#at.channel(place.channel)
    const ts = this.#at.root(place)
    const streams = this.#core.world.thread(channel.id, ts).filter(({ stream }) => stream?.state === 'in_progress')
    if (this.#core.world.session(channel.id, ts)?.status !== 'processing')
      throw new Error('There is no Stop button: the session of this thread is not processing.')
    for (const { stream } of streams) if (stream) stream.state = 'completed'
    this.#core.world.changed()
    this.#core.emit(this.#at.appTeam(user, channel), 'agent_session_stopped', {
      type: 'agent_session_stopped',
      channel: channel.id,
      user: user.id,
      thread_ts: ts,
      streaming_message_ts: streams.map((message) => message.ts),
      event_ts: this.#core.clock.ts(),
    })
  }
}
