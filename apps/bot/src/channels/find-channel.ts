import type { ChannelKind } from '@quartermaster/db'
import { type Channel, type ChannelLimits, DeliveryFailure } from './channel.ts'
import { presentNothing } from './present-nothing.ts'

/** What every platform can do: an answer that was split for it can be sent once the channel is connected. */
const leastLimits: ChannelLimits = {
  messageLength: 4_000,
  buttons: 5,
  buttonText: 30,
  menuOptions: 100,
  canEdit: false,
  canStream: false,
  fileBytes: 10 * 1024 * 1024,
}

/** A platform that this process is not connected to: a run goes on, and its deliveries wait for somebody who is. */
const unconnected = (kind: ChannelKind): Channel => ({
  kind,
  limits: leastLimits,
  async deliver() {
    throw new DeliveryFailure(`This process is not connected to ${kind}.`, 60_000)
  },
  present: () => presentNothing,
})

/** The channel of a kind. There is always one; see `unconnected`. */
export function findChannel(channels: readonly Channel[], kind: ChannelKind): Channel {
  return channels.find((channel) => channel.kind === kind) ?? unconnected(kind)
}
