// What a platform is to the rest of the bot. Everything before rendering is shared; what differs is here, and what can
// be said as data is data (`limits`).
import type { ActivityState, ChannelKind, ClaimedDelivery, PartHealth } from '@quartermaster/db'
import type { Hono } from 'hono'
import type { ChatReference } from '../chat/chat-services.ts'

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
  /** What a reference in a message stands for. Throws a Problem in words for people where it cannot be had. */
  fetch?(reference: ChatReference, where: { channelId: string }, signal: AbortSignal): Promise<Fetched>
  /** The key of the conversation in which somebody is told something alone: a direct message. */
  directKey?(identityExternalId: string): string
  /** What the platform sends over HTTP, where it is set up to: mounted on the gateway before it listens. */
  mount?(gateway: Hono): void
  /** For the health of this process; asked every few seconds, answered from what is known. */
  health?(): PartHealth
}

export type Fetched =
  | { kind: 'file'; name: string; mimeType: string; content: Buffer }
  | { kind: 'thread'; messages: { name: string; text: string; at: Date }[] }

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
  /** `last`: the run has ended with it, so it may be judged. */
  | { kind: 'text'; markdown: string; step: number; footer?: string; last?: true }
  /** The card of a question; its state is read when it is sent. */
  | { kind: 'question'; questionId: string }
  /** A copy of a card that was sent before is shown as the question stands now; `copyId` is the delivery that sent it. */
  | { kind: 'card-update'; questionId: string; copyId: string }
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
