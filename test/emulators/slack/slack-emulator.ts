import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Controls } from './controls.ts'
import { Core } from './core.ts'
import { Deliveries, type SentEvent } from './deliveries.ts'
import { HttpCarrier, signRequest } from './http-carrier.ts'
import { Uploads } from './methods/files.ts'
import { OAuth } from './methods/oauth.ts'
import type { Bot, Channel, Json, Message, OpenView, Session, Team, User } from './model.ts'
import { People } from './people.ts'
import { Rates, type Storm } from './rates.ts'
import { renderThread, renderView } from './render/render-thread.ts'
import { type SeenMessage, see } from './seen.ts'
import { Api, type ApiFault } from './serve-api.ts'
import { serveFile, serveLogin, serveUpload } from './serve-files.ts'
import { serveAuthorize } from './serve-oauth.ts'
import { serveResponse } from './serve-responses.ts'
import { eventScopes, type HttpEndpoints, type LoggedRequest, type SlackEmulatorOptions } from './settings.ts'
import { Sockets } from './sockets.ts'
import { Standpoint } from './standpoint.ts'

/** Slack on loopback: what apps call, what people do, and what they see. */
export class SlackEmulator {
  readonly #core: Core
  readonly #sockets: Sockets
  readonly #deliveries: Deliveries
  readonly #rates: Rates
  readonly #api: Api
  readonly #oauth: OAuth
  readonly #people: People
  readonly #controls: Controls
  readonly #uploads = new Uploads()
  readonly #server = createServer((request, response) => void this.#serve(request, response))
  /** The team that has the app from the beginning. */
  readonly team: Team

  constructor(options: SlackEmulatorOptions) {
    this.#core = new Core(options)
    this.#sockets = new Sockets(this.#core, options)
    this.#deliveries = new Deliveries(this.#core, this.#sockets, options)
    this.#rates = new Rates(this.#core.clock, options.rates ?? 'off')
    this.#oauth = new OAuth(this.#core)
    this.#api = new Api(this.#core, this.#sockets, this.#rates, this.#uploads, this.#oauth)
    const standpoint = new Standpoint(this.#core)
    this.#people = new People(this.#core, this.#deliveries, standpoint)
    this.#controls = new Controls(this.#core, this.#deliveries, standpoint)
    this.#core.emit = (teamId, subscription, event) => this.#emit(teamId, subscription, event)
    this.team = this.#core.addTeam(options.team?.name ?? 'Acme', options.team?.domain)
    if (options.team !== null) this.#core.install(this.team)
    this.#server.on('upgrade', (request, socket, head) => this.#sockets.upgrade(request, socket, head))
  }

  async start(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#core.baseUrl = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#deliveries.close()
    await this.#sockets.close()
    this.#core.clock.close()
    this.#server.closeAllConnections()
    if (this.#server.listening) await new Promise((resolve) => this.#server.close(resolve))
  }

  // What the app is told about itself.
  get apiUrl(): string {
    return `${this.#core.baseUrl}/api/`
  }
  get authorizeUrl(): string {
    return `${this.#core.baseUrl}/oauth/v2/authorize`
  }
  get appToken(): string {
    return this.#core.appToken
  }
  get botToken(): string {
    return this.bot().token
  }
  get signingSecret(): string {
    return this.#core.signingSecret
  }
  get clientId(): string {
    return this.#core.clientId
  }
  get clientSecret(): string {
    return this.#core.clientSecret
  }
  get appId(): string {
    return this.#core.appId
  }
  bot(team = this.team): Bot {
    return this.#core.botOf(team.id)
  }

  // Time, and waiting for something to be so.
  now(): number {
    return this.#core.clock.now()
  }
  /** Moves Slack's clock; what becomes due happens at once, and what follows from it before this resolves. */
  async advance(ms: number): Promise<void> {
    this.#core.clock.advance(ms)
    this.#core.world.changed()
    await new Promise((resolve) => setImmediate(resolve))
  }
  /** Waits until a look at the emulator gives something. */
  async until<Found>(look: () => Found | null | undefined | false, ms = 30_000): Promise<Found> {
    const end = Date.now() + ms
    for (;;) {
      const found = look()
      if (found) return found
      if (Date.now() > end) throw new Error(`Slack waited ${ms} ms for: ${look}`)
      await this.#nextChange(250)
    }
  }

  // People and places.
  addTeam(name: string, { installed = false } = {}): Team {
    const team = this.#core.addTeam(name)
    if (installed) this.#core.install(team)
    return team
  }
  /** A person of the first team unless another is named; a guest or a bot if so described. */
  addUser(user: string | (Partial<User> & { name: string }), team = this.team): User {
    return this.#people.addUser(team, typeof user === 'string' ? { name: user } : user)
  }
  /** A channel with these people in it and, unless told otherwise, the bot. People of other teams make it shared. */
  addChannel(
    name: string,
    members: readonly User[],
    { isPrivate = false, withBot = true, team = this.team } = {},
  ): Channel {
    const ids = members.map(({ id }) => id)
    if (withBot) ids.push(this.bot(team).userId)
    const channel = this.#core.world.addChannel(team.id, isPrivate ? 'group' : 'channel', name, ids)
    for (const { teamId } of members) if (teamId !== team.id) channel.sharedWith.add(teamId)
    return channel
  }
  /** The direct message of somebody with the bot. */
  dm(user: User, team = this.#core.world.teams.get(user.teamId) ?? this.team): Channel {
    return this.#core.world.directMessage(team.id, user.id)
  }
  join(channel: Channel, user: User): void {
    channel.members.add(user.id)
  }

  // What people do.
  say: People['say'] = (...args) => this.#people.say(...args)
  reply: People['reply'] = (...args) => this.#people.reply(...args)
  mention: People['mention'] = (...args) => this.#people.mention(...args)
  edit: People['edit'] = (...args) => this.#people.edit(...args)
  delete: People['delete'] = (...args) => this.#people.delete(...args)
  uploadFile: People['uploadFile'] = (...args) => this.#people.uploadFile(...args)
  click: Controls['click'] = (...args) => this.#controls.click(...args)
  clickView: Controls['clickView'] = (...args) => this.#controls.clickView(...args)
  choose: Controls['choose'] = (...args) => this.#controls.choose(...args)
  chooseInView: Controls['chooseInView'] = (...args) => this.#controls.chooseInView(...args)
  suggestions: Controls['suggestions'] = (...args) => this.#controls.suggestions(...args)
  submitModal: Controls['submitModal'] = (...args) => this.#controls.submitModal(...args)
  closeModal: Controls['closeModal'] = (...args) => this.#controls.closeModal(...args)
  slash: People['slash'] = (...args) => this.#people.slash(...args)
  shortcut: People['shortcut'] = (...args) => this.#people.shortcut(...args)
  openHome: People['openHome'] = (...args) => this.#people.openHome(...args)
  pressStop: People['pressStop'] = (...args) => this.#people.pressStop(...args)
  /** Presses a button and waits for the modal that it opens. */
  async openModal(user: User, place: Pick<Message, 'channel' | 'ts'>, which: string): Promise<OpenView> {
    const before = this.modal(user)?.id
    await this.click(user, place, which)
    return this.until(() => {
      const top = this.modal(user)
      return top && top.id !== before ? top : null
    })
  }

  // What happens to the app.
  archive(channel: Channel): void {
    this.#emitChannel(channel, channel.kind === 'group' ? 'group_archive' : 'channel_archive')
    channel.archived = true
    this.#core.world.changed()
  }
  unarchive(channel: Channel): void {
    channel.archived = false
    this.#emitChannel(channel, 'channel_unarchive')
  }
  /** Somebody throws the bot out of a channel. */
  removeBot(channel: Channel): void {
    this.#emitChannel(channel, channel.kind === 'group' ? 'group_left' : 'channel_left')
    channel.members.delete(this.bot(this.#core.world.teams.get(channel.teamId)).userId)
    this.#core.world.changed()
  }
  inviteBot(channel: Channel, by: User): void {
    const bot = this.bot(this.#core.world.teams.get(channel.teamId))
    channel.members.add(bot.userId)
    this.#emit(channel.teamId, 'member_joined_channel', {
      type: 'member_joined_channel',
      user: bot.userId,
      channel: channel.id,
      channel_type: channel.kind === 'channel' ? 'C' : 'G',
      team: channel.teamId,
      inviter: by.id,
      event_ts: this.#core.clock.ts(),
    })
  }
  /** The bot's token is worth nothing any more; the app is told. */
  revokeToken(team = this.team): void {
    const bot = this.bot(team)
    this.#emit(team.id, 'tokens_revoked', { type: 'tokens_revoked', tokens: { oauth: [], bot: [bot.userId] } })
    this.#core.revokedTokens.set(bot.token, 'token_revoked')
    this.#core.world.changed()
  }
  uninstall(team = this.team): void {
    const bot = this.bot(team)
    this.#emit(team.id, 'tokens_revoked', { type: 'tokens_revoked', tokens: { oauth: [], bot: [bot.userId] } })
    this.#emit(team.id, 'app_uninstalled', { type: 'app_uninstalled' })
    this.#core.revokedTokens.set(bot.token, 'account_inactive')
    for (const channel of this.#core.world.channels.values()) channel.members.delete(bot.userId)
    team.bot = null
    this.#core.world.changed()
  }
  /** A person answers the page that asks whether the app may be installed; the browser then goes to the answer. */
  authorize(url: string, user: User, { allow = true } = {}): string {
    const team = this.#core.world.teams.get(user.teamId) as Team
    return this.#oauth.decide(new URL(url), team, user, allow)
  }

  // What people see.
  /** A thread in order, with its root. */
  thread(channel: Channel | string, ts: string): SeenMessage[] {
    const id = typeof channel === 'string' ? channel : channel.id
    return this.#core.world.thread(id, ts).map((message) => see(this.#core, message))
  }
  /** Everything in a channel, threads too, in the order of writing. */
  messages(channel: Channel): SeenMessage[] {
    return channel.messages.map((message) => see(this.#core, message))
  }
  ephemerals(user: User): SeenMessage[] {
    return this.#core.world.ephemerals
      .filter(({ ephemeralTo }) => ephemeralTo === user.id)
      .map((message) => see(this.#core, message))
  }
  /** Somebody's Home tab, as if it were a message. */
  home(user: User): SeenMessage | null {
    const home = this.#core.world.homes.get(user.id)
    return home ? this.#seeView(home) : null
  }
  modal(user: User): (OpenView & { seen: SeenMessage }) | null {
    const top = this.#controls.topModal(user)
    return top ? { ...top, seen: this.#seeView(top) } : null
  }
  session(channel: Channel | string, ts: string): Session | null {
    return this.#core.world.session(typeof channel === 'string' ? channel : channel.id, ts)
  }
  prompts(channel: Channel): { title?: string; prompts: { title: string; message: string }[] } | null {
    return this.#core.world.prompts.get(channel.id) ?? null
  }
  /** A thread as a page that looks like Slack; with what only one person sees in it, if that person is named. */
  renderThread(channel: Channel, ts: string, as?: User): string {
    const { world } = this.#core
    const notes = world.ephemerals.filter(
      (note) => note.ephemeralTo === as?.id && note.channel === channel.id && note.thread_ts === ts,
    )
    const messages = [...world.thread(channel.id, ts), ...notes].sort((a, b) => Number(a.ts) - Number(b.ts))
    return renderThread(this.#core, channel, messages, this.session(channel, ts))
  }
  /** Somebody's topmost modal or Home tab as a page. */
  renderView(user: User, where: 'home' | 'modal'): string {
    const view = where === 'home' ? this.#core.world.homes.get(user.id) : this.#controls.topModal(user)
    if (!view) throw new Error(`${user.name} has no ${where}.`)
    return renderView(this.#core, view.view)
  }
  /** What the app has called so far, refused calls too. */
  get requests(): readonly LoggedRequest[] {
    return this.#core.requests
  }
  calls(method: string): LoggedRequest[] {
    return this.#core.requests.filter((request) => request.method === method)
  }
  /** The events that were sent, and what became of them. */
  get events(): readonly SentEvent[] {
    return this.#deliveries.events
  }

  // What goes wrong.
  get sockets(): Sockets {
    return this.#sockets
  }
  setRates(rates: NonNullable<SlackEmulatorOptions['rates']>): void {
    this.#rates.set(rates)
  }
  /** Refuses half of all calls, with 1 to 30 seconds to wait, until called with null. */
  storm(storm: Storm | null = {}): void {
    this.#rates.storm(storm)
  }
  failNext(method: string, ...faults: ApiFault[]): void {
    this.#api.failNext(method, ...faults)
  }
  /** An event that was sent already comes once more: to one socket, or to every one. */
  async resend(event: SentEvent, { everywhere = false } = {}): Promise<void> {
    await this.#deliveries.resend(event.id, (parcel) =>
      everywhere ? this.#sockets.carryToAll(parcel) : this.#deliveries.carrier.carry(parcel),
    )
  }

  // HTTP instead of Socket Mode.
  useHttp(urls: HttpEndpoints): HttpCarrier {
    const carrier = new HttpCarrier(this.#core, urls)
    this.#deliveries.carrier = carrier
    return carrier
  }
  useSockets(): void {
    this.#deliveries.carrier = this.#sockets
  }
  /** The headers of a true request, for tests that make false ones. */
  sign(body: string, timestamp?: number): Record<string, string> {
    return signRequest(this.#core, body, timestamp)
  }

  #seeView(view: OpenView): SeenMessage {
    return see(this.#core, { channel: '', ts: '', user: view.userId, text: '', blocks: view.view.blocks })
  }

  #emit(teamId: string, subscription: string, event: Json): void {
    const bot = this.#core.world.teams.get(teamId)?.bot
    const scope = eventScopes[subscription]
    if (!bot || this.#core.revokedTokens.has(bot.token) || !this.#core.events.has(subscription)) return
    if (scope && !bot.scopes.includes(scope)) return
    this.#deliveries.sendEvent(teamId, event)
  }

  #emitChannel(channel: Channel, type: string): void {
    this.#emit(channel.teamId, type, { type, channel: channel.id, event_ts: this.#core.clock.ts() })
  }

  #nextChange(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        forget()
        resolve()
      }
      const timer = setTimeout(done, ms)
      const forget = this.#core.world.onChange(done)
    })
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    try {
      const body = await readBody(request)
      const path = (request.url ?? '/').split('?')[0] as string
      if (path.startsWith('/api/')) await this.#api.serve(path.slice('/api/'.length), request, response, body)
      else if (path.startsWith('/upload/v1/')) await serveUpload(this.#uploads, request, response, body)
      else if (path.startsWith('/files-pri/')) serveFile(this.#core, request, response)
      else if (path.startsWith('/actions/')) serveResponse(this.#core, path, response, body)
      else if (path === '/oauth/v2/authorize') serveAuthorize(this.#core, this.#oauth, request, response)
      else serveLogin(response)
    } catch (error) {
      // A fault of the emulator itself must be seen, not taken for Slack's.
      console.error('The Slack emulator failed:', error)
      response.destroy()
    }
  }
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}
