import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Fault, type MessagesRequest, type Reply, refusal } from './reply.ts'
import { estimateTokens, eventsOf, messageOf, type ReplyFrame } from './stream-reply.ts'

export type Refusal = Extract<Fault, { kind: 'refuse' }>

export interface ServeOptions {
  /** Looks at the headers before the body is read. */
  authorize(headers: IncomingHttpHeaders): Refusal | null
  /** Looks at the body; what it lets through is a `MessagesRequest`. */
  check(body: unknown, headers: IncomingHttpHeaders): Refusal | null
  reply(request: MessagesRequest, index: number): Reply | Promise<Reply>
  /** The name under which answers are given. */
  modelName(request: MessagesRequest): string
  /** The counts of the prompt, under the API's names. */
  countInput?(request: MessagesRequest): Record<string, unknown>
  maxBodyBytes: number
  /** Makes ids; the same seed makes the same ones. */
  seed?: string
  onRequest?(request: ReceivedRequest): void
}

/** One request, while it is answered and after. */
export interface ReceivedRequest {
  headers: IncomingHttpHeaders
  url: string
  /** As it was parsed; null where it was refused before. */
  body: MessagesRequest | null
  /** What it was answered with; 0 where there was no answer. */
  status: number
  /** Resolves when it is over: whole, broken off by us, or left by the other side. */
  ended: Promise<'whole' | 'broken' | 'left'>
}

export interface MessagesServer {
  url: string
  close(): Promise<void>
}

/** A server of the Messages API on a free port of this machine. */
export async function serveMessages(options: ServeOptions): Promise<MessagesServer> {
  const seed = options.seed ?? randomBytes(12).toString('hex')
  let index = 0
  const server = createServer((request, response) => {
    const received = observe(request, response)
    options.onRequest?.(received)
    // Only a script can fail here; the other side has to see that something is wrong.
    answer(options, request, response, received, () => ({ index: index++, seed })).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : new Error(String(error))),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

function observe(request: IncomingMessage, response: ServerResponse): ReceivedRequest {
  const { promise: ended, resolve: end } = Promise.withResolvers<'whole' | 'broken' | 'left'>()
  response.on('close', () => end(response.writableFinished ? 'whole' : response.errored ? 'broken' : 'left'))
  return { headers: request.headers, url: request.url ?? '', body: null, status: 0, ended }
}

async function answer(
  options: ServeOptions,
  request: IncomingMessage,
  response: ServerResponse,
  received: ReceivedRequest,
  next: () => { index: number; seed: string },
): Promise<void> {
  const gone = new AbortController()
  response.on('close', () => gone.abort())
  const refused =
    checkRoute(request) ?? options.authorize(request.headers) ?? (await readRequest(options, request, received))
  if (refused) return refuse(response, received, refused)
  const body = received.body as MessagesRequest
  const { index, seed } = next()
  const reply = await options.reply(body, index)
  if (reply.delayMs) await pause(reply.delayMs, gone.signal)
  if (gone.signal.aborted) return
  const { fault } = reply
  if (fault?.kind === 'refuse') return refuse(response, received, fault)
  const frame: ReplyFrame = {
    model: options.modelName(body),
    seed: `${seed}:${index}`,
    inputUsage: options.countInput?.(body) ?? {
      input_tokens: estimateTokens([body.system, body.tools, body.messages]),
    },
  }
  if (fault?.kind === 'hang' && fault.afterEvents === 0) return pause(Number.POSITIVE_INFINITY, gone.signal)
  if (fault?.kind === 'break' && fault.afterEvents === 0)
    return void response.destroy(new Error('broken off on purpose'))
  received.status = 200
  if (body.stream) return stream(response, reply, frame, gone.signal)
  response.writeHead(200, { 'content-type': 'application/json', 'request-id': requestId() })
  response.end(JSON.stringify(messageOf(reply, frame)))
}

function checkRoute(request: IncomingMessage): Refusal | null {
  const path = (request.url ?? '').split('?')[0]
  if (path !== '/v1/messages') return refusal(404, 'not_found_error', 'Not found')
  if (request.method !== 'POST') return refusal(405, 'invalid_request_error', 'Method Not Allowed')
  if (!/^application\/json\b/i.test(request.headers['content-type'] ?? ''))
    return refusal(400, 'invalid_request_error', 'content-type: must be application/json')
  return null
}

async function readRequest(
  options: ServeOptions,
  request: IncomingMessage,
  received: ReceivedRequest,
): Promise<Refusal | null> {
  const chunks: Buffer[] = []
  let size = 0
  // What is too large is read to its end and thrown away: an answer in the middle of it would not be heard.
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= options.maxBodyBytes) chunks.push(chunk)
    else chunks.length = 0
  }
  if (size > options.maxBodyBytes) return refusal(413, 'request_too_large', 'Request exceeds the maximum size')
  let body: unknown
  try {
    body = JSON.parse(Buffer.concat(chunks).toString('utf8'))
  } catch {
    return refusal(400, 'invalid_request_error', 'The request body is not valid JSON')
  }
  const refused = options.check(body, request.headers)
  if (!refused) received.body = body as MessagesRequest
  return refused
}

function refuse(
  response: ServerResponse,
  received: ReceivedRequest,
  { status, type, message, headers }: Refusal,
): void {
  const id = requestId()
  received.status = status
  response.writeHead(status, { 'content-type': 'application/json', 'request-id': id, ...headers })
  response.end(JSON.stringify({ type: 'error', error: { type, message }, request_id: id }))
}

async function stream(response: ServerResponse, reply: Reply, frame: ReplyFrame, gone: AbortSignal): Promise<void> {
  response.writeHead(200, {
    'content-type': 'text/event-stream; charset=utf-8',
    'cache-control': 'no-cache',
    'request-id': requestId(),
  })
  const send = async (event: { type: string }) => {
    if (!response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)) await drained(response, gone)
  }
  const { fault } = reply
  let sent = 0
  for (const event of eventsOf(reply, frame)) {
    if (fault && fault.kind !== 'refuse' && sent >= fault.afterEvents) return goWrong(response, fault, send, gone)
    if (sent > 0 && reply.paceMs) await pause(reply.paceMs, gone)
    if (gone.aborted) return
    await send(event)
    sent++
  }
  if (fault && fault.kind !== 'refuse') return goWrong(response, fault, send, gone)
  response.end()
}

async function goWrong(
  response: ServerResponse,
  fault: Exclude<Fault, Refusal>,
  send: (event: { type: string }) => Promise<void>,
  gone: AbortSignal,
): Promise<void> {
  switch (fault.kind) {
    case 'break':
      // What was written before has to arrive, or the break would come earlier than asked for.
      await new Promise<void>((written) => response.write(': \n\n', () => written()))
      response.destroy(new Error('broken off on purpose'))
      return
    case 'end':
      response.end()
      return
    case 'error': {
      const { type, message } = fault
      await send({ type: 'error', error: { type, message } } as { type: string })
      response.end()
      return
    }
    case 'hang':
      return pause(Number.POSITIVE_INFINITY, gone)
    case 'flood':
      while (!gone.aborted) if (!response.write(`: ${'x'.repeat(65_536)}`)) await drained(response, gone)
  }
}

/** Waits, or until the other side is gone. */
async function pause(milliseconds: number, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return
  const left = once(gone, 'abort').then(() => {})
  if (!Number.isFinite(milliseconds)) return left
  await sleep(milliseconds, undefined, { signal: gone }).catch(() => {})
}

async function drained(response: ServerResponse, gone: AbortSignal): Promise<void> {
  if (gone.aborted) return
  await once(response, 'drain', { signal: gone }).catch(() => {})
}

const requestId = (): string => `req_${randomBytes(12).toString('hex')}`
