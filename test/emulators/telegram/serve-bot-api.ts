import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { FloodControl } from './flood-control.ts'
import type { Call, Method } from './method.ts'
import { chatMethods } from './methods/chat-methods.ts'
import { ephemeralMethods } from './methods/ephemeral-methods.ts'
import { interactionMethods } from './methods/interaction-methods.ts'
import { mediaMethods } from './methods/media-methods.ts'
import { messageMethods } from './methods/message-methods.ts'
import { profileMethods } from './methods/profile-methods.ts'
import { receiveMethods } from './methods/receive-methods.ts'
import { topicMethods } from './methods/topic-methods.ts'
import { readRequest } from './read-request.ts'
import { Refusal } from './refusal.ts'

export interface ReceivedRequest {
  method: string
  fields: Record<string, unknown>
  /** When it came, on the emulator's clock. */
  at: number
  answer?: { ok: true; result: unknown } | { ok: false; error_code: number; description: string; parameters?: object }
}

/** Something that goes wrong once, for one method or for whichever comes next. */
export interface Fault {
  method?: string
  /** Refused like this instead of carried out. */
  refuse?: { code: number; description: string; parameters?: Refusal['parameters'] }
  /** The connection breaks: before anything was done, or after it was done and before the answer. */
  lose?: 'request' | 'answer'
}

export interface BotApiOptions {
  token: string
  call: Omit<Call, 'uploads' | 'gone'>
  flood: FloodControl
  onRequest(request: ReceivedRequest): void
  nextFault(method: string): Fault | undefined
}

const methods = new Map<string, Method>(
  [
    ...receiveMethods,
    ...profileMethods,
    ...messageMethods,
    ...mediaMethods,
    ...interactionMethods,
    ...ephemeralMethods,
    ...topicMethods,
    ...chatMethods,
  ].map((one) => [one.name.toLowerCase(), one]),
)
const tokenPattern = /^\d+:[\w-]{20,}$/

/** The Bot API on loopback, at a port that was free. */
export async function serveBotApi(options: BotApiOptions): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    void serve(request, response, options).catch((error: unknown) => {
      console.error('the Telegram emulator failed', error)
      if (!response.headersSent) answerError(response, new Refusal(500, 'Internal Server Error'))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function serve(request: IncomingMessage, response: ServerResponse, options: BotApiOptions): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://emulator')
  const file = /^\/file\/bot([^/]+)\/(.+)$/.exec(url.pathname)
  if (file) return serveFile(response, decodeURIComponent(file[1] as string), file[2] as string, options)
  const [, rawToken = '', name = ''] = /^\/bot([^/]+)\/([A-Za-z]+)$/.exec(url.pathname) ?? []
  const token = decodeURIComponent(rawToken)
  const found = methods.get(name.toLowerCase())
  const received: ReceivedRequest = { method: found?.name ?? name, fields: {}, at: options.call.world.clock.now() }
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const fault = token === options.token ? options.nextFault(received.method) : undefined
  try {
    const { fields, uploads } = await readRequest(request, url.searchParams)
    received.fields = fields
    options.onRequest(received)
    if (!tokenPattern.test(token)) throw new Refusal(404, 'Not Found')
    if (token !== options.token) throw new Refusal(401, 'Unauthorized')
    if (!found) throw new Refusal(404, 'Not Found: method not found')
    if (fault?.lose === 'request') return void response.destroy()
    if (fault?.refuse) throw new Refusal(fault.refuse.code, fault.refuse.description, fault.refuse.parameters)
    options.flood.check(found.name, fields.chat_id === undefined ? undefined : String(fields.chat_id))
    const result = await found.answer(fields, { ...options.call, uploads, gone: gone.signal })
    received.answer = { ok: true, result }
    if (fault?.lose === 'answer') return void response.destroy()
    answer(response, 200, received.answer)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    received.answer = answerError(response, error)
  } finally {
    options.call.world.changed()
  }
}

function serveFile(response: ServerResponse, token: string, path: string, { token: right, call }: BotApiOptions): void {
  const file = token === right ? call.world.files.byPath(path) : undefined
  if (!file) {
    answerError(response, token === right ? new Refusal(404, 'Not Found') : new Refusal(401, 'Unauthorized'))
    return
  }
  response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': file.bytes.length })
  response.end(file.bytes)
}

function answerError(response: ServerResponse, { code, message, parameters }: Refusal) {
  const body = { ok: false as const, error_code: code, description: message, ...(parameters && { parameters }) }
  answer(response, code, body)
  return body
}

function answer(response: ServerResponse, status: number, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body))
  response.writeHead(status, { 'content-type': 'application/json', 'content-length': bytes.length })
  response.end(bytes)
}
