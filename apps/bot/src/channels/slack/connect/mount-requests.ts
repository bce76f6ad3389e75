// Slack's requests over HTTP, for installations without Socket Mode. Each is signed with the app's signing secret over
// its time and its very bytes; what is forged, old or played again never reaches Bolt.
import { verifySlackRequest } from '@slack/bolt'
import type { Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { Log } from '../../../log.ts'
import { connectLimits } from './connect-limits.ts'
import { slackLog } from './slack-log.ts'
import type { Incoming } from './slack-receiver.ts'

export interface MountedRequests {
  signingSecret: string
  log: Log
  take(incoming: Incoming): Promise<void>
}

/** Events, clicks, forms and commands all come to this one path. */
export const requestPath = '/slack/events'

export function mountRequests(gateway: Hono, { signingSecret, log, take }: MountedRequests): void {
  /** Signatures of what was taken, the oldest first. Slack signs a retry anew. */
  const taken = new Map<string, number>()

  function isReplay(signature: string): boolean {
    const now = Date.now()
    for (const [oldest, at] of taken) {
      if (now - at < connectLimits.replayMs && taken.size < connectLimits.replays) break
      taken.delete(oldest)
    }
    return taken.has(signature)
  }

  gateway.post(requestPath, bodyLimit({ maxSize: connectLimits.requestBytes }), async (context) => {
    const text = await context.req.text()
    const signature = context.req.header('x-slack-signature') ?? ''
    const timestamp = Number(context.req.header('x-slack-request-timestamp') ?? Number.NaN)
    try {
      const headers = { 'x-slack-signature': signature, 'x-slack-request-timestamp': timestamp }
      verifySlackRequest({ signingSecret, body: text, headers, logger: slackLog(log) })
    } catch {
      log.warn('a request that is not signed by Slack, or is old, was refused')
      return context.json({ error: 'This request is not signed by Slack, or is too old.' }, 401)
    }
    const body = parseRequest(text, context.req.header('content-type') ?? '')
    if (!body) return context.json({ error: 'This is no request of Slack.' }, 400)
    if (body.type === 'url_verification') return context.json({ challenge: body.challenge })
    // It was answered before; doing it again is all that a replay could want.
    if (isReplay(signature)) return context.body(null, 200)
    taken.set(signature, Date.now())

    let answer: unknown
    const told = Promise.withResolvers<void>()
    const retry = context.req.header('x-slack-retry-num')
    const working = take({
      body,
      ack: async (response) => {
        answer = response
        told.resolve()
      },
      ...(retry ? { retryNum: Number(retry), retryReason: context.req.header('x-slack-retry-reason') ?? '' } : {}),
    })
    try {
      // A listener may go on after the acknowledgement; Slack is not kept waiting for that.
      await Promise.race([working, told.promise])
    } catch (error) {
      taken.delete(signature)
      log.warn({ error }, 'a request of Slack was not taken in')
      return context.json({ error: 'It could not be taken in; please send it again.' }, 503)
    }
    working.catch((error: Error) => log.warn({ error }, 'what followed a request of Slack failed'))
    if (answer === undefined || answer === '') return context.body(null, 200)
    return typeof answer === 'string' ? context.text(answer) : context.json(answer as Record<string, unknown>)
  })
}

/** JSON for events; a form with a JSON field for clicks and forms; a plain form for commands. */
function parseRequest(text: string, contentType: string): Record<string, unknown> | null {
  try {
    if (contentType.startsWith('application/json')) return object(JSON.parse(text))
    const form = new URLSearchParams(text)
    const payload = form.get('payload')
    return payload === null ? Object.fromEntries(form) : object(JSON.parse(payload))
  } catch {
    return null
  }
}

const object = (value: unknown) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : null
