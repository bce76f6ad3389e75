// Sends what was enqueued: a conversation's deliveries one after the other, conversations side by side. The order, and
// that no two processes send the same, are the database's doing (claimDelivery); here it is only decided where to look
// next. A notice names the conversation to look at; what no notice told of (what was due again, what a lost sender
// left, what came while we did not listen) is found by looking for any, from time to time.
import { claimDelivery, type Database, deliveryChannel, listen } from '@quartermaster/db'
import type { Channel } from '../channels/channel.ts'
import { findChannel } from '../channels/find-channel.ts'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'
import { sendDelivery } from './send-delivery.ts'

export interface Delivering {
  /** Takes nothing new, lets what is being sent end for a while, and gives back the rest. */
  stop(): Promise<void>
}

export interface DeliveringOptions {
  db: Database
  /** Those that this process is connected to; what goes to others is left to others. */
  channels: readonly Channel[]
  log: Log
  processId: string
  pollMs?: number
  drainMs?: number
}

/** A retry that is due later than this is left to the poll: no timer is kept for it. */
const longestTimerMs = 60_000

export async function startDelivering(options: DeliveringOptions): Promise<Delivering> {
  const { db, channels, log, processId, pollMs = limits.deliveryPollMs, drainMs = limits.deliveryDrainMs } = options
  const kinds = channels.map((channel) => channel.kind)
  const stopping = new AbortController()
  const cut = new AbortController()
  /** Where to look, in the order in which it was asked for; null: anywhere. */
  const waiting = new Set<string | null>()
  /** Conversations that this process is at work on: it looks at them again when that is over. */
  const busy = new Set<string>()
  const timers = new Map<string, NodeJS.Timeout>()
  const working = new Set<Promise<void>>()

  function look(conversationId: string | null): void {
    if (stopping.signal.aborted) return
    waiting.add(waiting.size < limits.deliveryQueue ? conversationId : null)
    begin()
  }

  function lookLater(conversationId: string, afterMs: number): void {
    if (stopping.signal.aborted || afterMs > longestTimerMs || timers.size >= limits.deliveryQueue) return
    clearTimeout(timers.get(conversationId))
    const due = () => {
      timers.delete(conversationId)
      look(conversationId)
    }
    // It is due by the database's clock, a moment before ours says so.
    timers.set(conversationId, setTimeout(due, afterMs + 5))
  }

  function findNext(): string | null | undefined {
    for (const each of waiting) if (each === null || !busy.has(each)) return each
  }

  function begin(): void {
    while (working.size < limits.deliveryConcurrency) {
      const next = findNext()
      if (next === undefined) return
      waiting.delete(next)
      if (next) busy.add(next)
      const work = sendNext(next)
        .catch((error: unknown) => log.warn({ error }, 'looking for deliveries failed'))
        .finally(() => {
          working.delete(work)
          if (next) busy.delete(next)
          begin()
        })
      working.add(work)
    }
  }

  async function sendNext(where: string | null): Promise<void> {
    const delivery = await claimDelivery(db, { processId, kinds, ...(where ? { conversationId: where } : {}) })
    if (!delivery) return
    const { conversationId } = delivery
    if (where === null) {
      look(null) // Where there was one there may be more, and others have their hands free.
      busy.add(conversationId)
    }
    const channel = findChannel(channels, delivery.channelKind)
    const againAfterMs = await sendDelivery({ db, channel, channels, log, cut: cut.signal }, delivery)
    if (where === null) {
      busy.delete(conversationId)
      // A notice that came before we knew which conversation it would be found it taken, and is forgotten.
      if (againAfterMs === null) look(conversationId)
    }
    // After a delivery that is over there is a notice where more waits, like for everybody else.
    if (againAfterMs !== null) lookLater(conversationId, againAfterMs)
  }

  await listen(
    db.url,
    [deliveryChannel],
    (notice) => look(notice.kind === 'notice' ? conversationOf(notice.payload) : null),
    { signal: stopping.signal, name: 'qm-bot-deliveries' },
  )
  look(null)
  const poll = setInterval(() => look(null), pollMs)

  return {
    async stop() {
      stopping.abort()
      clearInterval(poll)
      for (const timer of timers.values()) clearTimeout(timer)
      waiting.clear()
      const drained = setTimeout(() => cut.abort(), drainMs)
      while (working.size) await Promise.all(working)
      clearTimeout(drained)
    },
  }
}

/** Null, which is anywhere, for a notice that is not one of ours. */
function conversationOf(payload: string): string | null {
  try {
    const { conversationId } = JSON.parse(payload) as { conversationId?: unknown }
    return typeof conversationId === 'string' && conversationId ? conversationId : null
  } catch {
    return null
  }
}
