import type { Received } from './deliveries.ts'

/** What came of something that a person did. */
export interface Outcome {
  /** Slack told the app; it does not when a person thinks better of it or has left something out. */
  sent: boolean
  acked: boolean
  /** What the app acknowledged with. */
  response: unknown
  /** What the person is told to mend, by block. */
  errors: Record<string, string>
}

/** Slack told nobody. */
export const nothing: Outcome = { sent: false, acked: false, response: undefined, errors: {} }

export function outcome(received: Received): Outcome {
  return { sent: true, acked: received.acked, response: received.acked ? received.response : undefined, errors: {} }
}
