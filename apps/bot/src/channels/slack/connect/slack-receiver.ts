// Where Bolt gets its events from, whichever way they came. Bolt acknowledges an event before anybody has looked at it;
// we promise that nothing is lost after the acknowledgement. So Bolt's word is kept back until its listeners are done,
// and where one fails Slack hears nothing and sends the event again.
import type { App, Receiver } from '@slack/bolt'
import { connectLimits } from './connect-limits.ts'

export interface Incoming {
  body: Record<string, unknown>
  /** Tells Slack that it has arrived, with what Slack is to show for it. */
  ack(response?: unknown): Promise<void>
  retryNum?: number
  retryReason?: string
}

export interface SlackReceiver extends Receiver {
  /** Resolves when Slack was told, or has to send it again. Throws what a listener threw. */
  take(incoming: Incoming): Promise<void>
  /** Resolves when nothing is in hand. */
  idle(): Promise<void>
}

export function createSlackReceiver(): SlackReceiver {
  let app: App | null = null
  const inHand = new Set<Promise<void>>()

  async function work({ body, ack, retryNum, retryReason }: Incoming): Promise<void> {
    const isEvent = body.type === 'event_callback'
    let acknowledged: Promise<void> | null = null
    await app?.processEvent({
      body,
      ...(retryNum === undefined ? {} : { retryNum }),
      ...(retryReason === undefined ? {} : { retryReason }),
      // Clicks, commands and forms are acknowledged by whoever handles them, with what Slack is to show.
      ack: async (response) => {
        if (isEvent) return
        acknowledged ??= ack(response)
        await acknowledged
      },
    })
    await (acknowledged ?? ack())
  }

  return {
    init(created) {
      app = created
    },
    start: async () => {},
    stop: async () => {},
    async take(incoming) {
      const late = Promise.withResolvers<never>()
      let isLate = false
      let isTold = false
      const timer = setTimeout(() => {
        if (isTold) return
        // Slack sends it again now; what goes on here is recognized as the same then.
        isLate = true
        late.reject(new Error('it was not taken in within the time that Slack gives'))
      }, connectLimits.ackMs)
      const ack: Incoming['ack'] = async (response) => {
        if (isLate) return
        isTold = true
        await incoming.ack(response)
      }
      const working = work({ ...incoming, ack })
      inHand.add(working)
      try {
        await Promise.race([working, late.promise])
      } finally {
        clearTimeout(timer)
        void working.catch(() => {}).finally(() => inHand.delete(working))
      }
    },
    async idle() {
      await Promise.allSettled(inHand)
    },
  }
}
