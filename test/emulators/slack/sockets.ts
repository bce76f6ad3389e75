import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import type { Core } from './core.ts'
import type { Carrier, Parcel, Received } from './deliveries.ts'
import type { SlackEmulatorOptions } from './settings.ts'

interface Connection {
  socket: WebSocket
  deaf: 'no' | 'silent' | 'answers-pings'
  waiting: Map<string, (received: Received) => void>
}

/** Slack's Socket Mode: up to ten sockets of an app, of which one gets each envelope. */
export class Sockets implements Carrier {
  readonly overHttp = false
  readonly #core: Core
  readonly #server = new WebSocketServer({ noServer: true, autoPong: false })
  readonly #connections: Connection[] = []
  readonly #tickets = new Set<string>()
  readonly #pingMs: number
  readonly #most: number
  #next = 0
  #holdsAcks = false
  #everywhere = false
  #dropped = 0

  constructor(core: Core, { pingMs = 5000, mostSockets = 10 }: SlackEmulatorOptions) {
    this.#core = core
    this.#pingMs = pingMs
    this.#most = mostSockets
  }

  /** How many sockets the app has open. */
  get count(): number {
    return this.#connections.length
  }

  newUrl(): string {
    const ticket = randomBytes(18).toString('base64url')
    this.#tickets.add(ticket)
    return `${this.#core.baseUrl.replace(/^http/, 'ws')}/link/?ticket=${ticket}&app_id=${this.#core.appId}`
  }

  upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    const url = new URL(request.url ?? '/', 'http://slack')
    const ticket = url.searchParams.get('ticket') ?? ''
    if (url.pathname !== '/link/' || !this.#tickets.delete(ticket)) {
      socket.end('HTTP/1.1 401 Unauthorized\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
      return
    }
    this.#server.handleUpgrade(request, socket, head, (opened) => this.#take(opened))
  }

  carry(parcel: Parcel): Promise<Received> {
    const open = this.#connections.filter(({ socket }) => socket.readyState === socket.OPEN)
    if (!open.length) return Promise.resolve({ acked: false, reason: 'connection_failed' })
    if (!this.#everywhere) return this.carryTo(open[this.#next++ % open.length] as Connection, parcel)
    return Promise.all(open.map((connection) => this.carryTo(connection, parcel))).then(
      (all) => all.find(({ acked }) => acked) ?? (all[0] as Received),
    )
  }

  /** The same parcel to every socket at once. */
  carryToAll(parcel: Parcel): Promise<Received[]> {
    return Promise.all(this.#connections.map((connection) => this.carryTo(connection, parcel)))
  }

  carryTo(connection: Connection, { kind, payload, retry }: Parcel): Promise<Received> {
    const envelope_id = this.#core.world.uuid()
    return new Promise((resolve) => {
      const settle = (received: Received) => {
        forget()
        connection.waiting.delete(envelope_id)
        resolve(received)
      }
      const forget = this.#core.clock.after(this.#core.ackMs, () => settle({ acked: false, reason: 'timeout' }))
      connection.waiting.set(envelope_id, settle)
      if (connection.deaf !== 'no') return
      const envelope = {
        envelope_id,
        type: kind,
        payload,
        accepts_response_payload: kind !== 'events_api',
        ...(kind === 'events_api' ? { retry_attempt: retry?.num ?? 0, retry_reason: retry?.reason ?? '' } : {}),
      }
      connection.socket.send(JSON.stringify(envelope), () => {
        if (this.#dropped > 0) {
          this.#dropped--
          connection.socket.terminate()
        }
      })
    })
  }

  /** Sockets stay open and nothing comes: no event, no ping and, unless said otherwise, no answer to the app's pings. */
  goDeaf({ answersPings = false } = {}): void {
    for (const connection of this.#connections) connection.deaf = answersPings ? 'answers-pings' : 'silent'
  }

  /** Breaks every connection without a word. */
  cut(): void {
    for (const { socket } of this.#connections) socket.terminate()
  }

  /** The next so many envelopes are the last thing on their socket: it breaks before they can be acknowledged. */
  cutAfterNext(count = 1): void {
    this.#dropped = count
  }

  /** Asks the app to connect again, and closes the socket a little later if it has not. */
  askToReconnect(reason: 'warning' | 'refresh_requested' | 'link_disabled' = 'refresh_requested'): void {
    for (const { socket } of this.#connections) this.#sayGoodbye(socket, reason)
  }

  /** Acknowledgements are taken from the wire and not believed, as if they came too late. */
  holdAcks(hold = true): void {
    this.#holdsAcks = hold
  }

  /** From now on each envelope goes to every socket. */
  deliverEverywhere(everywhere = true): void {
    this.#everywhere = everywhere
  }

  /** Says goodbye properly, so that the end of a test is no error in the app; who does not answer is cut off. */
  async close(): Promise<void> {
    const goodbyes = this.#connections.map(({ socket }) => {
      socket.close(1000)
      return Promise.race([once(socket, 'close'), new Promise((resolve) => setTimeout(resolve, 500).unref())])
    })
    await Promise.all(goodbyes)
    this.cut()
    this.#server.close()
  }

  #take(socket: WebSocket): void {
    const connection: Connection = { socket, deaf: 'no', waiting: new Map() }
    if (this.#connections.length >= this.#most) {
      this.#sayGoodbye(socket, 'too_many_websockets')
      return
    }
    this.#connections.push(connection)
    const pings = setInterval(() => connection.deaf === 'no' && socket.ping('Ping from applink-1'), this.#pingMs)
    socket.on('ping', (data) => connection.deaf !== 'silent' && socket.readyState === socket.OPEN && socket.pong(data))
    socket.on('message', (data) => this.#hear(connection, String(data)))
    socket.on('error', () => socket.terminate())
    socket.on('close', () => {
      clearInterval(pings)
      this.#connections.splice(this.#connections.indexOf(connection), 1)
      for (const settle of [...connection.waiting.values()]) settle({ acked: false, reason: 'connection_failed' })
      this.#core.world.changed()
    })
    socket.send(
      JSON.stringify({
        type: 'hello',
        num_connections: this.#connections.length,
        debug_info: { host: 'applink-1', build_number: 1, approximate_connection_time: 18060 },
        connection_info: { app_id: this.#core.appId },
      }),
    )
    this.#core.world.changed()
  }

  #hear(connection: Connection, text: string): void {
    if (connection.deaf !== 'no' || this.#holdsAcks) return
    const { envelope_id, payload } = JSON.parse(text) as { envelope_id?: string; payload?: unknown }
    connection.waiting.get(String(envelope_id))?.({ acked: true, response: payload })
  }

  #sayGoodbye(socket: WebSocket, reason: string): void {
    socket.send(JSON.stringify({ type: 'disconnect', reason, debug_info: { host: 'applink-1' } }))
    const timer = setTimeout(() => socket.terminate(), 10_000)
    socket.once('close', () => clearTimeout(timer))
  }
}
