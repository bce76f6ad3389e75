// What a platform is to the rest of the bot. Everything before rendering is shared; what differs is here, and what can
// be said as data is data (`limits`).
import type { ActivityState, ChannelKind, ClaimedDelivery } from '@quartermaster/db'

export interface Channel {
  readonly kind: ChannelKind
  readonly limits: ChannelLimits
  /** Begins to receive, until the signal aborts. Only on processes with the role `ingress`. */
  start?(signal: AbortSignal): Promise<void>
  /**
   * Sends one delivery and resolves with the platform's id of it (null where it has none). Where it may have been sent
   * before (`takenOver`), it first looks whether the platform has it. A DeliveryFailure says that it was certainly not
   * sent; after anything else that is thrown, and after an abort, it is tried again as one that may have been.
   */
  deliver(delivery: ClaimedDelivery, signal: AbortSignal): Promise<string | null>
  /** Shows work in progress. What it shows may be lost, so nothing may depend on it. */
  present(place: Place): Presenter
}

export interface ChannelLimits {
  /** Characters of one message; longer text is split at paragraph borders, code fences closed and reopened. */
  messageLength: number
  buttons: number
  buttonText: number
  /** Options of a menu, where there are more than buttons. */
  menuOptions: number
  canEdit: boolean
  canStream: boolean
  fileBytes: number
}

export interface Place {
  workspaceId: string
  conversationId: string
  channelId: string
  conversationKey: string
  runId: string
}

/** Never throws and never waits: what cannot be shown is not shown. */
export interface Presenter {
  text(step: number, text: string): void
  restart(step: number, keep: number): void
  activity(activity: { toolUseId: string; tool: string; title: string; state: ActivityState; line?: string }): void
  status(sentence: string): void
  stepEnd(step: number): void
  /** The run has ended or parked: nothing more comes. Resolves when what was shown has been flushed. */
  end(): Promise<void>
}

/** What a delivery carries; `kind` is the delivery's kind in the database. */
export type DeliveryPayload =
  | { kind: 'text'; markdown: string; step: number; footer?: string }
  /** The card of a question; its state is read when it is sent. */
  | { kind: 'question'; questionId: string }
  /** A sentence of ours: stopped, failed, budget, interrupted call. */
  | { kind: 'notice'; text: string }
  /** `data` is base64. */
  | { kind: 'media'; filename: string; mimeType: string; data: string; caption?: string }

/** The platform did not take it. */
export class DeliveryFailure extends Error {
  /** Milliseconds until it may be tried again, never sooner; null: never, it has failed for good. */
  readonly retryAfterMs: number | null
  constructor(message: string, retryAfterMs: number | null) {
    super(message)
    this.retryAfterMs = retryAfterMs
  }
}
