// A platform to send to in tests, as a channel: what arrived, in which order, and when; it can refuse, be slow or hang.
import type { ChannelKind, ClaimedDelivery } from '@quartermaster/db'
import type { Channel } from '../channels/channel.ts'
import { presentNothing } from '../channels/present-nothing.ts'

export interface Arrival {
  deliveryId: string
  conversationId: string
  number: number
  at: number
}

export interface TestPlatform {
  channel: Channel
  arrivals: Arrival[]
  /** Looks for a delivery that may have been sent before. */
  looks: number
  /** Calls of `deliver`, refused ones included. */
  calls: { deliveryId: string; at: number }[]
  mostAtOnce: number
}

export interface PlatformBehaviour {
  kind?: ChannelKind
  /** Before it takes the message; what it throws is the platform's refusal. */
  before?(delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> | void
  /** After it took the message and before it answers. */
  after?(delivery: ClaimedDelivery, signal: AbortSignal): Promise<void> | void
}

export function createTestPlatform(behaviour: PlatformBehaviour = {}): TestPlatform {
  let atOnce = 0
  const platform: TestPlatform = { channel: {} as Channel, arrivals: [], looks: 0, calls: [], mostAtOnce: 0 }
  async function deliver(delivery: ClaimedDelivery, signal: AbortSignal): Promise<string> {
    const { deliveryId, conversationId, number, takenOver } = delivery
    platform.calls.push({ deliveryId, at: Date.now() })
    if (takenOver) {
      platform.looks++
      if (platform.arrivals.some((arrival) => arrival.deliveryId === deliveryId)) return `found-${deliveryId}`
    }
    await behaviour.before?.(delivery, signal)
    platform.arrivals.push({ deliveryId, conversationId, number, at: Date.now() })
    await behaviour.after?.(delivery, signal)
    return `sent-${deliveryId}`
  }
  platform.channel = {
    kind: behaviour.kind ?? 'web',
    limits: {
      ...{ messageLength: 4_000, buttons: 5, buttonText: 30, menuOptions: 100 },
      ...{ canEdit: true, canStream: true, fileBytes: 1_000 },
    },
    async deliver(delivery, signal) {
      platform.mostAtOnce = Math.max(platform.mostAtOnce, ++atOnce)
      try {
        return await deliver(delivery, signal)
      } finally {
        atOnce--
      }
    },
    present: () => presentNothing,
  }
  return platform
}
