// One delivery, from its claim to what is written down about it:
//
//   sent ───────────────────────────────▶ confirmDelivery   of a card: after copies for those who are not there
//   DeliveryFailure, never ─────────────▶ failDelivery
//   DeliveryFailure, after some time ───▶ retryDelivery   the platform's time counts, and it is not held against it
//   anything else, or no answer in time ▶ retryDelivery   with backoff, as one that may have been sent
import { setTimeout as sleep } from 'node:timers/promises'
import { type ClaimedDelivery, confirmDelivery, type Database, failDelivery, retryDelivery } from '@quartermaster/db'
import { type Channel, DeliveryFailure } from '../channels/channel.ts'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'
import { sendCopies } from './send-copies.ts'

export interface Sending {
  db: Database
  channel: Channel
  /** All of this process: a card's copies go to people on any of them. */
  channels: readonly Channel[]
  log: Log
  /** Aborts when this process has no more time. */
  cut: AbortSignal
}

/** Resolves with the time after which the conversation has something to send again, or null. Never throws. */
export async function sendDelivery(sending: Sending, delivery: ClaimedDelivery): Promise<number | null> {
  const { db, log } = sending
  const about = { deliveryId: delivery.deliveryId, conversationId: delivery.conversationId, attempt: delivery.attempt }
  const outcome = await attempt(sending, delivery)
  try {
    if (outcome.kind === 'sent') {
      const { questionId } = delivery
      // Before it is confirmed: a process that dies here leaves the card to be looked for, and the copies to be made.
      if (questionId) await report(() => sendCopies(sending, questionId))
      if (!(await report(() => confirmDelivery(db, delivery, outcome.externalId))))
        log.warn(about, 'a delivery was sent, but another process had taken it over')
      return null
    }
    const { error, retry } = outcome
    if (retry === null) {
      log.warn({ ...about, error }, 'a delivery failed for good')
      await report(() => failDelivery(db, delivery, describe(error)))
      return null
    }
    log.info({ ...about, error, ...retry }, 'a delivery is tried again later')
    const status = await report(() => retryDelivery(db, delivery, { ...retry, error: describe(error) }))
    return status === 'pending' ? retry.afterMs : null
  } catch (error) {
    // The claim ends by itself; then somebody takes it over and looks on the platform first.
    log.error({ ...about, error }, 'what became of a delivery could not be written down')
    return null
  }
}

type Outcome =
  | { kind: 'sent'; externalId: string | null }
  | { kind: 'not-sent'; error: unknown; retry: { afterMs: number; wait: boolean; maybeSent: boolean } | null }

async function attempt({ channel, cut }: Sending, delivery: ClaimedDelivery): Promise<Outcome> {
  const end = new AbortController()
  const { promise: ended, reject } = Promise.withResolvers<never>()
  const abort = (reason: Error) => {
    end.abort(reason)
    reject(reason)
  }
  const onCut = () => abort(new Error('The process that sent this was stopped.'))
  const timer = setTimeout(
    () => abort(new Error(`Sending took longer than ${limits.deliverySendMs} ms.`)),
    limits.deliverySendMs,
  )
  cut.addEventListener('abort', onCut)
  if (cut.aborted) onCut()
  ended.catch(() => {}) // Heard below, unless it comes after everything is over.
  try {
    // A channel that does not listen to its signal is not waited for either.
    const externalId = await Promise.race([ended, channel.deliver(delivery, end.signal)])
    return { kind: 'sent', externalId }
  } catch (error) {
    if (error instanceof DeliveryFailure)
      return { kind: 'not-sent', error, retry: error.retryAfterMs === null ? null : afterWait(error.retryAfterMs) }
    const afterMs = cut.aborted ? 0 : resolveBackoff(delivery.attempt)
    return { kind: 'not-sent', error, retry: { afterMs, wait: false, maybeSent: true } }
  } finally {
    clearTimeout(timer)
    cut.removeEventListener('abort', onCut)
  }
}

/**
 * Never sooner than the platform said: the database rounds times to milliseconds and gives a millisecond of grace. A
 * little later, so that not all who were put off come back at the same moment.
 */
const afterWait = (retryAfterMs: number) => ({
  afterMs: Math.ceil(Math.max(0, retryAfterMs) * (1 + Math.random() * 0.1)) + 2,
  wait: true,
  maybeSent: false,
})

/** Half of it is chance, so that what failed together does not come back together. */
export function resolveBackoff(attempt: number, random: () => number = Math.random): number {
  const most = Math.min(limits.deliveryBackoffMaxMs, limits.deliveryBackoffMs * 2 ** Math.min(attempt - 1, 30))
  return Math.round(most * (0.5 + random() * 0.5))
}

/** Writes it down, again and again while the database is away: it is known now, and later nobody knows. */
async function report<T>(write: () => Promise<T>): Promise<T> {
  const until = Date.now() + limits.deliveryReportMs
  for (;;) {
    try {
      return await write()
    } catch (error) {
      if (Date.now() > until) throw error
      await sleep(250)
    }
  }
}

/** For the row, which the console shows. */
const describe = (error: unknown) => (error instanceof Error ? error.message : String(error)).slice(0, 500)
