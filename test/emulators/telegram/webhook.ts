import type { Update, WebhookInfo } from 'grammy/types'
import type { Clock } from './clock.ts'
import { limits } from './limits.ts'
import { badRequest } from './refusal.ts'
import type { UpdateQueue } from './update-queue.ts'

export interface WebhookSettings {
  url: string
  secretToken?: string
  maxConnections: number
  ipAddress?: string
}

const firstRetryMilliseconds = 1000
const lastRetryMilliseconds = 60_000
const answerMilliseconds = 60_000

/** Brings updates to the bot's address: in order for each chat, again and again until it answers with 2xx. */
export class Webhook {
  readonly #queue: UpdateQueue
  readonly #clock: Clock
  readonly #busy = new Set<string>()
  #settings: WebhookSettings | null = null
  #stop = new AbortController()
  #lastError: { date: number; message: string } | null = null
  #route: ((url: URL) => URL) | null = null

  constructor(queue: UpdateQueue, clock: Clock) {
    this.#queue = queue
    this.#clock = clock
    queue.onPush(() => this.#deliver())
  }

  get isSet(): boolean {
    return this.#settings !== null
  }

  /** Where the public address leads to: the part of a proxy in front of the bot. */
  routeTo(origin: string | ((url: URL) => URL)): void {
    this.#route = typeof origin === 'function' ? origin : (url) => new URL(`${url.pathname}${url.search}`, origin)
    this.#deliver()
  }

  set(settings: WebhookSettings): void {
    checkWebhook(settings)
    this.remove()
    this.#settings = settings
    this.#deliver()
  }

  remove(): void {
    this.#stop.abort()
    this.#stop = new AbortController()
    this.#settings = null
    this.#lastError = null
    this.#busy.clear()
  }

  info(): WebhookInfo {
    return {
      url: this.#settings?.url ?? '',
      has_custom_certificate: false,
      pending_update_count: this.#queue.pending().length,
      ...(this.#settings && {
        max_connections: this.#settings.maxConnections,
        ip_address: this.#settings.ipAddress ?? '127.0.0.1',
      }),
      ...(this.#lastError && { last_error_date: this.#lastError.date, last_error_message: this.#lastError.message }),
      ...(this.#queue.allowed.length > 0 && { allowed_updates: [...this.#queue.allowed] as never }),
    }
  }

  #deliver(): void {
    const settings = this.#settings
    if (!settings) return
    for (const update of this.#queue.pending()) {
      if (this.#busy.size >= settings.maxConnections) return
      const chat = chatOf(update)
      if (this.#busy.has(chat)) continue
      this.#busy.add(chat)
      const { signal } = this.#stop
      void this.#bring(update, settings, signal).finally(() => {
        if (signal.aborted) return
        this.#busy.delete(chat)
        this.#deliver()
      })
    }
  }

  async #bring(update: Update, settings: WebhookSettings, signal: AbortSignal): Promise<void> {
    for (let pause = firstRetryMilliseconds; !signal.aborted; pause = Math.min(pause * 2, lastRetryMilliseconds)) {
      const problem = await this.#post(update, settings, signal)
      if (signal.aborted) return
      if (problem === null) return this.#queue.confirm(update)
      this.#lastError = { date: Math.floor(this.#clock.now() / 1000), message: problem }
      await this.#clock.wait(pause, signal)
      if (!this.#queue.pending().includes(update)) return
    }
  }

  async #post(update: Update, settings: WebhookSettings, signal: AbortSignal): Promise<string | null> {
    const url = new URL(settings.url)
    try {
      const answer = await fetch(this.#route ? this.#route(url) : url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          ...(settings.secretToken && { 'x-telegram-bot-api-secret-token': settings.secretToken }),
        },
        body: JSON.stringify(update),
        redirect: 'manual',
        signal: AbortSignal.any([signal, AbortSignal.timeout(answerMilliseconds)]),
      })
      await answer.arrayBuffer()
      return answer.ok ? null : `Wrong response from the webhook: ${answer.status} ${answer.statusText}`
    } catch (error) {
      return error instanceof Error && error.name === 'TimeoutError' ? 'Read timeout expired' : 'Connection refused'
    }
  }
}

function checkWebhook({ url, secretToken, maxConnections }: WebhookSettings): void {
  const parsed = URL.parse(url)
  if (!parsed) throw badRequest('bad webhook: invalid URL specified')
  if (parsed.protocol !== 'https:') throw badRequest('bad webhook: An HTTPS URL must be provided for webhook')
  const port = Number(parsed.port || 443)
  if (!(limits.webhookPorts as readonly number[]).includes(port))
    throw badRequest('bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443')
  if (secretToken !== undefined && secretToken.length > limits.secretTokenCharacters)
    throw badRequest('secret token is too long')
  if (secretToken !== undefined && !/^[A-Za-z0-9_-]*$/.test(secretToken))
    throw badRequest('secret token contains unallowed characters')
  if (maxConnections < 1 || maxConnections > 100) throw badRequest('max_connections must be between 1 and 100')
}

function chatOf(update: Update): string {
  const content = update.message ?? update.edited_message ?? update.my_chat_member ?? update.stopped_message_generation
  return String(content?.chat.id ?? update.callback_query?.message?.chat.id ?? update.callback_query?.from.id ?? '')
}
