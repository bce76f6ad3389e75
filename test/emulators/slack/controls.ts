import { parseView } from './blocks/check-view.ts'
import type { Core } from './core.ts'
import type { Deliveries } from './deliveries.ts'
import { type Control, findControl, optionsOf, textOf } from './elements.ts'
import { messageObject } from './events.ts'
import { pushView, replaceView, viewObject } from './methods/views.ts'
import { missingValues } from './missing-values.ts'
import type { Json, Message, OpenView, User } from './model.ts'
import { nothing, type Outcome, outcome } from './outcome.ts'
import { Refusal } from './refusal.ts'
import type { Place, Standpoint } from './standpoint.ts'

/** What is filled in, by label, `action_id` or `block_id`. */
export type Values = Record<string, string | readonly string[] | null>

/** What people do with the things that an app shows them: buttons, menus, modals. */
export class Controls {
  readonly #core: Core
  readonly #deliveries: Deliveries
  readonly #at: Standpoint
  /** What somebody has chosen in a message, before and after it was sent. */
  readonly #chosen = new Map<string, OpenView['values']>()

  constructor(core: Core, deliveries: Deliveries, standpoint: Standpoint) {
    this.#core = core
    this.#deliveries = deliveries
    this.#at = standpoint
  }

  /** Presses a button of a message. Where Slack asks "are you sure?", people are, unless told otherwise. */
  async click(user: User, place: Place, which: string, { sure = true } = {}): Promise<Outcome> {
    const message = this.#at.message(place)
    const control = findControl(message.blocks ?? [], which)
    if (control.element.confirm && !sure) return nothing
    return this.#act(user, message, control, buttonAction(control))
  }

  /** Presses a button of the Home tab or of the open modal. */
  async clickView(user: User, where: 'home' | 'modal', which: string, { sure = true } = {}): Promise<Outcome> {
    const view = this.#view(user, where)
    const control = findControl(view.view.blocks, which)
    if (control.element.confirm && !sure) return nothing
    return this.#actInView(user, view, control, buttonAction(control))
  }

  /** Chooses in a menu, radio buttons or checkboxes of a message, by what is written on the options. */
  async choose(user: User, place: Place, which: string, ...options: string[]): Promise<Outcome> {
    const message = this.#at.message(place)
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
    const message = this.#at.message(place)
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
    view.errors = missingValues(view)
    if (Object.keys(view.errors).length) return { ...nothing, errors: view.errors }
    const received = await this.#deliveries.send('interactive', {
      type: 'view_submission',
      ...this.#at.common(user, view.teamId),
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
        ...this.#at.common(user, view.teamId),
        view: viewObject(this.#core, view),
        is_cleared: cleared,
      }),
    )
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
        ...this.#at.common(user, part.teamId),
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
        ...this.#at.common(user, view.teamId),
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
    const channel = this.#at.channel(message.channel)
    if (message.ephemeralTo && message.ephemeralTo !== user.id) throw new Error('Nobody else sees this message.')
    this.#at.mustBeIn(user, channel)
    return {
      teamId: this.#at.appTeam(user, channel),
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
      ...this.#at.common(user, part.teamId),
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

  #valuesOf(user: User, { channel, ts }: Message): OpenView['values'] {
    const key = `${user.id} ${channel} ${ts}`
    const values = this.#chosen.get(key) ?? {}
    this.#chosen.set(key, values)
    return values
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

function setValue(values: OpenView['values'], { block, element }: Control, value: Json): void {
  const id = String(block.block_id)
  values[id] = { ...values[id], [String(element.action_id)]: value }
}
