import { createHmac } from 'node:crypto'
import type { Core } from './core.ts'
import type { Carrier, Parcel, Received } from './deliveries.ts'
import type { HttpEndpoints } from './settings.ts'

/** The headers of a request that really comes from Slack. */
export function signRequest(
  core: Core,
  body: string,
  timestamp = Math.floor(core.clock.now() / 1000),
): Record<string, string> {
  const signature = createHmac('sha256', core.signingSecret).update(`v0:${timestamp}:${body}`).digest('hex')
  return { 'x-slack-request-timestamp': String(timestamp), 'x-slack-signature': `v0=${signature}` }
}

/** The app without Socket Mode: every parcel is a signed request, and the answer to it is the acknowledgement. */
export class HttpCarrier implements Carrier {
  readonly overHttp = true
  readonly #core: Core
  readonly #urls: HttpEndpoints

  constructor(core: Core, urls: HttpEndpoints) {
    this.#core = core
    this.#urls = urls
  }

  carry({ kind, payload, retry }: Parcel): Promise<Received> {
    const retries: Record<string, string> = retry
      ? { 'x-slack-retry-num': String(retry.num), 'x-slack-retry-reason': retry.reason }
      : {}
    if (kind === 'events_api')
      return this.#post(this.#urls.events, 'application/json', JSON.stringify(payload), retries)
    const form = new URLSearchParams(
      kind === 'interactive' ? { payload: JSON.stringify(payload) } : (payload as Record<string, string>),
    )
    const { interactivity, options = interactivity, commands } = this.#urls
    const url = kind === 'slash_commands' ? commands : payload.type === 'block_suggestion' ? options : interactivity
    return this.#post(url, 'application/x-www-form-urlencoded', String(form))
  }

  /** What Slack does when the URL of events is set: the app must answer with the challenge. */
  async verify(): Promise<boolean> {
    const challenge = this.#core.world.uuid()
    const body = JSON.stringify({ token: this.#core.verificationToken, challenge, type: 'url_verification' })
    const received = await this.#post(this.#urls.events, 'application/json', body)
    if (!received.acked) return false
    const answer = received.response as string | { challenge?: string }
    return (typeof answer === 'string' ? answer : answer?.challenge) === challenge
  }

  async #post(url: string, type: string, body: string, more: Record<string, string> = {}): Promise<Received> {
    const tooLate = new AbortController()
    const forget = this.#core.clock.after(this.#core.ackMs, () => tooLate.abort())
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: {
          'content-type': type,
          'user-agent': 'Slackbot 1.0 (+https://api.slack.com/robots)',
          ...signRequest(this.#core, body),
          ...more,
        },
        body,
        redirect: 'manual',
        signal: tooLate.signal,
      })
      const text = await response.text()
      if (response.ok) return { acked: true, response: parse(text) }
      const noRetry = response.headers.get('x-slack-no-retry') === '1'
      return { acked: false, reason: 'http_error', noRetry }
    } catch {
      return { acked: false, reason: tooLate.signal.aborted ? 'http_timeout' : 'connection_failed' }
    } finally {
      forget()
    }
  }
}

function parse(text: string): unknown {
  if (!text) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
