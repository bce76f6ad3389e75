import { parseView } from './blocks/check-view.ts'
import type { Core } from './core.ts'
import type { Deliveries, Received } from './deliveries.ts'
import { type Control, findControl, optionsOf, textOf } from './elements.ts'
import { emitChanged, emitMessage, messageObject } from './events.ts'
import { removeMessage } from './methods/chat.ts'
import { pushView, replaceView, viewObject } from './methods/views.ts'
import type { Block, Channel, Json, Message, OpenView, SlackFile, Team, User } from './model.ts'
import { Refusal } from './refusal.ts'
import { respond } from './serve-responses.ts'

/** What came of something that a person did. */
export interface Outcome {
  /** Slack told the app; it does not when a person thinks better of it or has left something out. */
  sent: boolean
  acked: boolean
  /** What the app acknowledged with. */
  response: unknown
  /** What the person is told to mend, by block. */
  errors: Record<string, string>
}

/** A message, or what was read of one. */
export type Place = Pick<Message, 'channel' | 'ts'>
/** What is filled in, by label, `action_id` or `block_id`. */
export type Values = Record<string, string | readonly string[] | null>

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

const nothing: Outcome = { sent: false, acked: false, response: undefined, errors: {} }

/** Plays the people: everything that somebody with a keyboard, a mouse and an account could do. */
export class People {
  readonly #core: Core
  readonly #deliveries: Deliveries
  /** What somebody has chosen in a message, before and after it was sent. */
  readonly #chosen = new Map<string, OpenView['values']>()

  constructor(core: Core, deliveries: Deliveries) {
    this.#core = core
    this.#deliveries = deliveries
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
    this.#mustBeIn(user, channel)
    if (channel.archived) throw new Error(`Nobody can write in #${channel.name}: it is archived.`)
    const { world, clock } = this.#core
    const message: Message = {
      channel: channel.id,
      ts: clock.ts(),
      user: user.id,
      text,
      client_msg_id: world.uuid(),
      blocks: [
        {
          type: 'rich_text',
          block_id: world.id('b').slice(0, 5),
          elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }],
        },
      ],
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
    return this.say(user, this.#channel(place.channel), text, { thread: this.#root(place) })
  }

  mention(user: User, channel: Channel, text: string, more: { thread?: string } = {}): Message {
    return this.say(user, channel, `<@${this.#core.botOf(this.#appTeam(user, channel)).userId}> ${text}`, more)
  }

  edit(user: User, place: Place, text: string): void {
    const message = this.#message(place)
    if (message.user !== user.id) throw new Error('People can edit only what they wrote themselves.')
    const previous = messageObject(this.#core, message)
    message.text = text
    message.blocks = [
      { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text }] }] },
    ]
    message.edited = { user: user.id, ts: this.#core.clock.ts() }
    this.#core.world.changed()
    emitChanged(this.#core, this.#channel(place.channel), message, previous)
  }

  delete(place: Place): void {
    removeMessage(this.#core, this.#channel(place.channel), this.#message(place))
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

  /** Presses a button of a message. Where Slack asks "are you sure?", people are, unless told otherwise. */
  click(user: User, place: Place, which: string, { sure = true } = {}): Promise<Outcome> {
    const message = this.#message(place)
    const control = findControl(message.blocks ?? [], which)
    if (control.element.confirm && !sure) return Promise.resolve(nothing)
    return this.#act(user, message, control, buttonAction(control))
  }

  /** Presses a button of the Home tab or of the open modal. */
  clickView(user: User, where: 'home' | 'modal', which: string, { sure = true } = {}): Promise<Outcome> {
    const view = this.#view(user, where)
    const control = findControl(view.view.blocks, which)
    if (control.element.confirm && !sure) return Promise.resolve(nothing)
    return this.#actInView(user, view, control, buttonAction(control))
  }

  /** Chooses in a menu, radio buttons or checkboxes of a message, by what is written on the options. */
  async choose(user: User, place: Place, which: string, ...options: string[]): Promise<Outcome> {
    const message = this.#message(place)
    const control = findControl(message.blocks ?? [], which)
    const chosen = await this.#chosenValue(control, options, (query) =>
      this.#suggest(user, this.#messagePart(user, message), control, query),
    )
    const values = this.#valuesOf(user, message)
    setValue(values, control, chosen)
    if (control.block.type === 'input' && !control.block.dispatch_action) return { ...nothing, acked: true }
    return this.#act(user, message, control, chosen)
  }

  async chooseInView(user: User, where: 'home' | 'modal', which: string, ...options: string[]): Promise<Outcome> {
    const view = this.#view(user, where)
    const control = findControl(view.view.blocks, which)
    const chosen = await this.#chosenValue(control, options, (query) =>
      this.#suggest(user, this.#viewPart(view), control, query),
    )
    setValue(view.values, control, chosen)
    if (control.block.type === 'input' && !control.block.dispatch_action) return { ...nothing, acked: true }
    return this.#actInView(user, view, control, chosen)
  }

  /** The options that the app offers for what somebody types into a menu that asks it. */
  async suggestions(user: User, place: Place, which: string, query: string): Promise<string[]> {
    const message = this.#message(place)
    const control = findControl(message.blocks ?? [], which)
    const options = await this.#suggest(user, this.#messagePart(user, message), control, query)
    return options.map(({ text }) => textOf(text))
  }

  /** Fills in the open modal and sends it. What the client itself finds missing is not sent. */
  async submitModal(user: User, values: Values = {}): Promise<Outcome> {
    const view = this.#view(user, 'modal')
    if (!view.view.submit) throw new Error('The modal has no button to submit it.')
    for (const [which, value] of Object.entries(values)) {
      const control = findControl(view.view.blocks, which)
      const list = value === null ? [] : typeof value === 'string' ? [value] : [...value]
      setValue(
        view.values,
        control,
        await this.#chosenValue(control, list, (query) => this.#suggest(user, this.#viewPart(view), control, query)),
      )
    }
    view.errors = missing(view)
    if (Object.keys(view.errors).length) return { ...nothing, errors: view.errors }
    const received = await this.#deliveries.send('interactive', {
      type: 'view_submission',
      ...this.#common(user, view.teamId),
      trigger_id: this.#core.newTrigger(view.teamId, user.id),
      view: viewObject(this.#core, view),
      response_urls: [],
    })
    if (received.acked) this.#obey(user, view, (received.response ?? {}) as Json)
    this.#core.world.changed()
    return { ...outcome(received), errors: view.errors }
  }

  /** Closes the topmost view; the app hears of it if it asked to. */
  async closeModal(user: User): Promise<Outcome> {
    const view = this.#view(user, 'modal')
    const cleared = Boolean(view.view.clear_on_close)
    this.#core.world.modals.set(user.id, cleared ? [] : (this.#core.world.modals.get(user.id) ?? []).slice(0, -1))
    this.#core.world.changed()
    if (!view.view.notify_on_close) return nothing
    return outcome(
      await this.#deliveries.send('interactive', {
        type: 'view_closed',
        ...this.#common(user, view.teamId),
        view: viewObject(this.#core, view),
        is_cleared: cleared,
      }),
    )
  }

  async slash(user: User, channel: Channel, command: string, text = ''): Promise<Outcome> {
    this.#mustBeIn(user, channel)
    const teamId = this.#appTeam(user, channel)
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
    const channel = place ? this.#channel(place.channel) : null
    const teamId = channel ? this.#appTeam(user, channel) : user.teamId
    const common = {
      ...this.#common(user, teamId),
      callback_id: callbackId,
      trigger_id: this.#core.newTrigger(teamId, user.id),
      action_ts: this.#core.clock.ts(),
    }
    if (!place || !channel) return outcome(await this.#deliveries.send('interactive', { type: 'shortcut', ...common }))
    const message = this.#message(place)
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
    const channel = this.#channel(place.channel)
    const ts = this.#root(place)
    const streams = this.#core.world.thread(channel.id, ts).filter(({ stream }) => stream?.state === 'in_progress')
    if (this.#core.world.session(channel.id, ts)?.status !== 'processing')
      throw new Error('There is no Stop button: the session of this thread is not processing.')
    for (const { stream } of streams) if (stream) stream.state = 'completed'
    this.#core.world.changed()
    this.#core.emit(this.#appTeam(user, channel), 'agent_session_stopped', {
      type: 'agent_session_stopped',
      channel: channel.id,
      user: user.id,
      thread_ts: ts,
      streaming_message_ts: streams.map((message) => message.ts),
      event_ts: this.#core.clock.ts(),
    })
  }

  /** What somebody has open on top, if anything. */
  topModal(user: User): OpenView | null {
    return this.#core.world.modals.get(user.id)?.at(-1) ?? null
  }

  async #act(user: User, message: Message, control: Control, action: Json): Promise<Outcome> {
    const part = this.#messagePart(user, message)
    const response = {
      channel: message.channel,
      userId: user.id,
      teamId: part.teamId,
      ts: message.ts,
      ephemeral: Boolean(message.ephemeralTo),
      ...(message.thread_ts ? { threadTs: message.thread_ts } : {}),
    }
    return outcome(
      await this.#deliveries.send('interactive', {
        type: 'block_actions',
        ...this.#common(user, part.teamId),
        ...part.payload,
        trigger_id: this.#core.newTrigger(part.teamId, user.id),
        state: { values: this.#valuesOf(user, message) },
        response_url: this.#core.newResponseUrl(response),
        actions: [this.#action(control, action)],
      }),
    )
  }

  async #actInView(user: User, view: OpenView, control: Control, action: Json): Promise<Outcome> {
    return outcome(
      await this.#deliveries.send('interactive', {
        type: 'block_actions',
        ...this.#common(user, view.teamId),
        ...this.#viewPart(view).payload,
        trigger_id: this.#core.newTrigger(view.teamId, user.id),
        actions: [this.#action(control, action)],
      }),
    )
  }

  #action({ element, block }: Control, action: Json): Json {
    return {
      type: element.type,
      action_id: element.action_id,
      block_id: block.block_id,
      ...action,
      ...(element.placeholder ? { placeholder: element.placeholder } : {}),
      action_ts: this.#core.clock.ts(),
    }
  }

  #messagePart(user: User, message: Message): { teamId: string; payload: Json } {
    const channel = this.#channel(message.channel)
    if (message.ephemeralTo && message.ephemeralTo !== user.id) throw new Error('Nobody else sees this message.')
    this.#mustBeIn(user, channel)
    return {
      teamId: this.#appTeam(user, channel),
      payload: {
        container: {
          type: 'message',
          message_ts: message.ts,
          channel_id: channel.id,
          is_ephemeral: Boolean(message.ephemeralTo),
          ...(message.thread_ts ? { thread_ts: message.thread_ts } : {}),
        },
        channel: { id: channel.id, name: channel.kind === 'im' ? 'directmessage' : channel.name },
        ...(message.ephemeralTo ? {} : { message: messageObject(this.#core, message) }),
      },
    }
  }

  #viewPart(view: OpenView): { teamId: string; payload: Json } {
    return {
      teamId: view.teamId,
      payload: { container: { type: 'view', view_id: view.id }, view: viewObject(this.#core, view) },
    }
  }

  async #suggest(
    user: User,
    part: { teamId: string; payload: Json },
    { element, block }: Control,
    value: string,
  ): Promise<Json[]> {
    const received = await this.#deliveries.send('interactive', {
      type: 'block_suggestion',
      ...this.#common(user, part.teamId),
      ...part.payload,
      action_id: element.action_id,
      block_id: block.block_id,
      value,
    })
    if (!received.acked) throw new Error('The app did not say what there is to choose from.')
    const options = optionsOf((received.response ?? {}) as Json)
    if (options.length > 100) throw new Error('The app offered more than 100 options.')
    return options
  }

  async #chosenValue(
    { element }: Control,
    wanted: readonly string[],
    suggest: (query: string) => Promise<Json[]>,
  ): Promise<Json> {
    const type = String(element.type)
    if (type.endsWith('_input')) return { type, value: wanted[0] ?? null }
    if (type === 'users_select') return { type, selected_user: wanted[0] ?? null }
    if (type === 'multi_users_select') return { type, selected_users: wanted }
    if (type === 'channels_select') return { type, selected_channel: wanted[0] ?? null }
    if (type === 'conversations_select') return { type, selected_conversation: wanted[0] ?? null }
    if (type === 'datepicker') return { type, selected_date: wanted[0] ?? null }
    if (type === 'timepicker') return { type, selected_time: wanted[0] ?? null }
    if (type === 'datetimepicker') return { type, selected_date_time: wanted[0] ? Number(wanted[0]) : null }
    const external = type.endsWith('external_select')
    const chosen: Json[] = []
    for (const words of wanted) {
      const options = external ? await suggest(words) : optionsOf(element)
      const option = options.find(({ text, value }) => textOf(text) === words || value === words)
      if (!option)
        throw new Error(`"${words}" is not among ${options.map(({ text }) => `"${textOf(text)}"`).join(', ')}.`)
      chosen.push(option)
    }
    if (type === 'checkboxes' || type.startsWith('multi_')) {
      const most = Number(element.max_selected_items ?? Number.POSITIVE_INFINITY)
      if (chosen.length > most) throw new Error(`Only ${most} can be chosen.`)
      return { type, selected_options: chosen }
    }
    return { type, selected_option: chosen[0] ?? null }
  }

  /** Does what the app acknowledged a submission with. */
  #obey(user: User, view: OpenView, response: Json): void {
    const stack = this.#core.world.modals.get(user.id) ?? []
    try {
      switch (response.response_action) {
        case 'errors':
          view.errors = response.errors as Record<string, string>
          for (const block of Object.keys(view.errors ?? {}))
            if (!view.view.blocks.some(({ block_id, type }) => block_id === block && type === 'input'))
              throw new Refusal(`errors name the block ${block}, which is no input of the view`)
          return
        case 'update':
          return void replaceView(this.#core, view, parseView(response.view, 'modal'))
        case 'push':
          return void pushView(this.#core, view.teamId, user.id, parseView(response.view, 'modal'))
        case 'clear':
          return void this.#core.world.modals.set(user.id, [])
        case undefined:
          return void this.#core.world.modals.set(
            user.id,
            stack.filter((open) => open !== view),
          )
        default:
          throw new Refusal(`there is no response_action ${response.response_action}`)
      }
    } catch (error) {
      // Slack shows the person "We had some trouble connecting": a test is better served by the reason.
      if (error instanceof Refusal)
        throw new Error(`The app answered a submission badly: ${error.code} ${JSON.stringify(error.more)}`)
      throw error
    }
  }

  #common(user: User, teamId: string): Json {
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

  #valuesOf(user: User, { channel, ts }: Message): OpenView['values'] {
    const key = `${user.id} ${channel} ${ts}`
    const values = this.#chosen.get(key) ?? {}
    this.#chosen.set(key, values)
    return values
  }

  /** The team through whose installation the app hears of a person in a channel. */
  #appTeam(user: User, channel: Channel): string {
    const own = this.#core.world.teams.get(user.teamId)
    if (own?.bot && channel.members.has(own.bot.userId)) return own.id
    const other = [channel.teamId, ...channel.sharedWith].find((id) => this.#core.world.teams.get(id)?.bot)
    return other ?? user.teamId
  }

  #mustBeIn(user: User, channel: Channel): void {
    if (!channel.members.has(user.id)) throw new Error(`${user.name} is not in ${channel.name || channel.id}.`)
  }

  #channel(id: string): Channel {
    const channel = this.#core.world.channels.get(id)
    if (!channel) throw new Error(`There is no channel ${id}.`)
    return channel
  }

  #message({ channel, ts }: Place): Message {
    const message = this.#core.world.message(channel, ts) ?? this.#core.world.ephemerals.find((each) => each.ts === ts)
    if (!message) throw new Error(`There is no message ${ts} in ${channel}; it may have been deleted.`)
    return message
  }

  #root({ channel, ts }: Place): string {
    return this.#core.world.message(channel, ts)?.thread_ts ?? ts
  }

  #view(user: User, where: 'home' | 'modal'): OpenView {
    const view = where === 'home' ? this.#core.world.homes.get(user.id) : this.topModal(user)
    if (!view)
      throw new Error(`${user.name} has no ${where === 'home' ? 'Home tab that says anything' : 'modal open'}.`)
    return view
  }
}

function buttonAction({ element, half }: Control): Json {
  const button = half ? (element[half] as Json) : element
  return {
    text: button.text,
    ...(button.value === undefined ? {} : { value: button.value }),
    ...(element.style ? { style: element.style } : {}),
    ...(element.url ? { url: element.url } : {}),
    ...(element.icon ? { icon: element.icon } : {}),
  }
}

function outcome(received: Received): Outcome {
  return { sent: true, acked: received.acked, response: received.acked ? received.response : undefined, errors: {} }
}

function setValue(values: OpenView['values'], { block, element }: Control, value: Json): void {
  const id = String(block.block_id)
  values[id] = { ...values[id], [String(element.action_id)]: value }
}

/** What Slack's client itself does not let people send. */
function missing(view: OpenView): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const block of view.view.blocks as Block[]) {
    if (block.type !== 'input') continue
    const id = String(block.block_id)
    const element = block.element as Json
    const { type: _, ...state } = view.values[id]?.[String(element.action_id)] ?? {}
    const [value] = Object.values(state)
    const empty = value === undefined || value === null || value === '' || (Array.isArray(value) && !value.length)
    if (empty && !block.optional) errors[id] = 'Please complete this required field.'
    if (empty || typeof value !== 'string') continue
    if (value.length < Number(element.min_length ?? 0))
      errors[id] = `Must be at least ${element.min_length} characters.`
    if (value.length > Number(element.max_length ?? 3000))
      errors[id] = `Must be at most ${element.max_length ?? 3000} characters.`
    if (element.type !== 'number_input') continue
    const number = Number(value)
    if (Number.isNaN(number) || (!element.is_decimal_allowed && !Number.isInteger(number)))
      errors[id] = 'Please enter a number.'
    if (number < Number(element.min_value ?? -Infinity) || number > Number(element.max_value ?? Infinity))
      errors[id] = 'This number is out of range.'
  }
  return errors
}
