// One socket to Slack, kept open until it is told to end. Slack closes sockets every few hours and the network closes
// them at any time; sometimes one stays open and nothing comes through it. The library's own reconnecting lets a failed
// attempt end the process, so a socket is used once here: whatever happens to it, it is left for a new one.
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { setTimeout as sleep } from 'node:timers/promises'
import { SocketModeClient } from '@slack/socket-mode'
import { WebAPIPlatformError } from '@slack/web-api'
import type { Log } from '../../../log.ts'
import { connectLimits } from './connect-limits.ts'
import { deadToken } from './dead-token.ts'
import { slackLog } from './slack-log.ts'
import type { Incoming } from './slack-receiver.ts'

export type SocketState =
  | { is: 'connecting' }
  | { is: 'connected' }
  /** `refused`: Slack does not accept the app token. */
  | { is: 'broken'; detail: string; refused: boolean }

export interface KeptSocketOptions {
  appToken: string
  apiUrl: string
  log: Log
  take(incoming: Incoming): Promise<void>
  /** Resolves when nothing that was taken is still in hand. */
  idle(): Promise<void>
  onState(state: SocketState): void
  /** Shorter in tests that wait for it. */
  deafMs?: number
}

/** Resolves when the signal has aborted and the socket is closed. Never throws. */
export async function keepSocket(options: KeptSocketOptions, signal: AbortSignal): Promise<void> {
  let failures = 0
  while (!signal.aborted) {
    options.onState({ is: 'connecting' })
    let end: SocketEnd
    let helloAt = Number.POSITIVE_INFINITY
    try {
      end = await useSocket(options, signal, () => {
        helloAt = Date.now()
        options.onState({ is: 'connected' })
      })
    } catch (error) {
      end = { detail: describe(error), refused: isRefusal(error) }
    }
    if (signal.aborted) return
    failures = Date.now() - helloAt > connectLimits.steadyMs ? 0 : failures + 1
    options.onState({ is: 'broken', ...end })
    options.log.info({ detail: end.detail, failures }, 'the socket to Slack is closed; another is opened')
    await sleep(waitAfter(failures, end.refused), null, { signal }).catch(() => {})
  }
}

/** A socket that worked is replaced at once; after failures many processes must not come back at the same moment. */
function waitAfter(failures: number, refused: boolean): number {
  if (refused) return connectLimits.refusedMs
  if (failures <= 1) return 50
  const wait = Math.min(connectLimits.reopenMs * 2 ** (failures - 2), connectLimits.reopenMaxMs)
  return wait * (0.5 + Math.random() / 2)
}

interface SocketEnd {
  detail: string
  refused: boolean
}

/** Opens a socket and resolves with why it ended; throws where it could not be opened. */
async function useSocket(options: KeptSocketOptions, signal: AbortSignal, onHello: () => void): Promise<SocketEnd> {
  const client = new SocketModeClient({
    appToken: options.appToken,
    autoReconnectEnabled: false,
    clientPingTimeout: connectLimits.pongMs,
    logger: slackLog(options.log),
    clientOptions: {
      slackApiUrl: options.apiUrl,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      timeout: connectLimits.callMs,
    },
  })
  const { promise: ended, resolve: end } = Promise.withResolvers<SocketEnd>()
  let heardAt = Date.now()
  let address = ''
  const hear = () => {
    heardAt = Date.now()
  }
  /** The library tells of pings only here, of all sockets of this process; ours is known by its address. */
  const onPing = (message: unknown) => {
    if ((message as { websocket?: { url?: string } }).websocket?.url === address) hear()
  }

  client.on('authenticated', (answer: { url?: string }) => {
    address = answer.url ? new URL(answer.url).href : ''
  })
  client.on('ws_message', hear)
  client.on('error', () => {}) // "close" follows.
  client.on('disconnected', () => end({ detail: 'The socket was closed.', refused: false }))
  client.on('slack_event', ({ body, ack, retry_num, retry_reason }: SocketEvent) => {
    if (signal.aborted) return
    const incoming = { body, ack, ...given('retryNum', retry_num), ...given('retryReason', retry_reason) }
    // Not acknowledged means: Slack sends it again, here or to another process.
    options.take(incoming).catch((error: Error) => options.log.warn({ error }, 'an event of Slack was not taken in'))
  })
  subscribe('undici:websocket:ping', onPing)
  const deafMs = options.deafMs ?? connectLimits.deafMs
  const watch = setInterval(
    () => {
      if (Date.now() - heardAt <= deafMs) return
      end({ detail: `Slack has sent nothing for ${Math.round(deafMs / 1000)} s, not even a ping.`, refused: false })
    },
    Math.min(connectLimits.watchEveryMs, deafMs / 4),
  )
  const onAbort = () => {
    // What is in hand is acknowledged on the socket that it came on.
    const drained = Promise.race([options.idle(), sleep(connectLimits.drainMs, null, { ref: false })])
    void drained.then(() => end({ detail: 'We are stopping.', refused: false }))
  }
  signal.addEventListener('abort', onAbort, { once: true })

  const hello = client.start()
  try {
    const tooLate = AbortSignal.timeout(connectLimits.helloMs)
    const slow = new Promise<never>((_, fail) =>
      tooLate.addEventListener('abort', () => fail(new Error('Slack does not say hello on a new socket.'))),
    )
    const begun = await Promise.race([hello.then(() => null), ended, slow])
    if (begun) return begun
    hear()
    onHello()
    return await ended
  } finally {
    clearInterval(watch)
    unsubscribe('undici:websocket:ping', onPing)
    signal.removeEventListener('abort', onAbort)
    close(client)
    // Where it opens after we have stopped to wait for it, it is closed then.
    void hello.then(
      () => close(client),
      () => {},
    )
  }
}

/** Asks the peer to close, and does not wait for its answer: a deaf one gives none. The second call cuts it. */
function close(client: SocketModeClient): void {
  const swallow = () => {}
  client.disconnect().catch(swallow)
  setTimeout(() => client.disconnect().catch(swallow), 1_000).unref()
}

interface SocketEvent {
  body: Record<string, unknown>
  ack(response?: unknown): Promise<void>
  retry_num?: number
  retry_reason?: string
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof WebAPIPlatformError)) return false
  return deadToken.has(error.data.error) || ['not_allowed_token_type', 'missing_scope'].includes(error.data.error)
}

function describe(error: unknown): string {
  if (error instanceof WebAPIPlatformError) return `Slack refuses to open a socket (${error.data.error}).`
  return error instanceof Error ? error.message : 'The socket could not be opened.'
}

const given = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { [key in Name]?: Value }
