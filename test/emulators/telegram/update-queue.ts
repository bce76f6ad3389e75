import type { Update } from 'grammy/types'
import { type Clock, systemClock } from './clock.ts'
import { limits } from './limits.ts'
import { badRequest, conflict } from './refusal.ts'

export type UpdateContent = Omit<Update, 'update_id'>
export type UpdateKind = keyof UpdateContent

interface Kept {
  update: Update
  at: number
  /** Delivered although it was confirmed: the duplicate that a test asked for. It goes out once. */
  again?: true
}

export const updateKinds = [
  'message',
  'edited_message',
  'channel_post',
  'edited_channel_post',
  'business_connection',
  'business_message',
  'edited_business_message',
  'deleted_business_messages',
  'guest_message',
  'stopped_message_generation',
  'message_reaction',
  'message_reaction_count',
  'inline_query',
  'chosen_inline_result',
  'callback_query',
  'shipping_query',
  'pre_checkout_query',
  'purchased_paid_media',
  'poll',
  'poll_answer',
  'my_chat_member',
  'chat_member',
  'chat_join_request',
  'chat_boost',
  'removed_chat_boost',
  'managed_bot',
  'subscription',
] as const satisfies readonly UpdateKind[]
const onlyWhenAskedFor: readonly string[] = ['chat_member', 'message_reaction', 'message_reaction_count']
/** An offset so far beyond the newest update cannot come from this queue, and the real one ignores it too. */
const mostAhead = 10
const mostRemembered = 5000

/** What waits for the bot, whether it fetches or has a webhook. */
export class UpdateQueue {
  readonly #clock: Clock
  #kept: Kept[] = []
  readonly #history: Update[] = []
  #nextId = 500_000_001
  #allowed: readonly string[] = []
  #poller: { wake: () => void; terminate: (why: string) => void } | null = null
  readonly #listeners = new Set<() => void>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get allowed(): readonly string[] {
    return this.#allowed
  }

  allow(kinds: readonly string[] | undefined): void {
    const unknown = kinds?.find((kind) => !(updateKinds as readonly string[]).includes(kind))
    if (unknown) throw badRequest(`the emulator knows no update "${unknown}"`)
    if (kinds) this.#allowed = kinds
  }

  onPush(listener: () => void): void {
    this.#listeners.add(listener)
  }

  push(content: UpdateContent): Update | null {
    const kind = Object.keys(content)[0] as string
    const isWanted = this.#allowed.length ? this.#allowed.includes(kind) : !onlyWhenAskedFor.includes(kind)
    if (!isWanted) return null
    // A copy: what the person edits later must not change what was sent before.
    const update = structuredClone({ update_id: this.#nextId++, ...content }) as Update
    this.#history.push(update)
    if (this.#history.length > mostRemembered) this.#history.shift()
    this.#keep({ update, at: this.#clock.now() })
    return update
  }

  /** Sends an update once more, as Telegram does when it did not hear that the first was taken. */
  redeliver(updateId?: number): Update {
    const update =
      updateId === undefined ? this.#history.at(-1) : this.#history.find((one) => one.update_id === updateId)
    if (!update) throw new Error(`there was no update ${updateId ?? ''}`)
    this.#keep({ update, at: this.#clock.now(), again: true })
    return update
  }

  /** After a quiet week Telegram goes on from a random number, which may be a smaller one. */
  restartIds(next = 1 + Math.floor(Math.random() * 400_000_000)): void {
    this.#nextId = next
  }

  #keep(kept: Kept): void {
    this.#kept.push(kept)
    this.#poller?.wake()
    for (const listener of this.#listeners) listener()
  }

  pending(): Update[] {
    const oldest = this.#clock.now() - limits.updateMilliseconds
    this.#kept = this.#kept.filter(({ at }) => at > oldest)
    return this.#kept.map(({ update }) => update)
  }

  sent(): readonly Update[] {
    return this.#history
  }

  confirm(update: Update): void {
    this.#kept = this.#kept.filter((kept) => kept.update !== update)
  }

  dropPending(): void {
    this.#kept = []
  }

  endPolling(why: string): void {
    this.#poller?.terminate(why)
  }

  async poll(offset: number | undefined, limit: number, timeoutSeconds: number, gone: AbortSignal): Promise<Update[]> {
    // Only one may ask: whoever asks last is heard, and the one before is told so.
    this.endPolling('terminated by other getUpdates request; make sure that only one bot instance is running')
    this.#confirmBefore(offset)
    const ready = this.#take(limit)
    if (ready.length || timeoutSeconds === 0) return ready
    const ended = new AbortController()
    const poller = { wake: () => ended.abort(), terminate: (why: string) => ended.abort(conflict(why)) }
    this.#poller = poller
    // Connections live in real time, whatever the injected clock says.
    await systemClock.wait(timeoutSeconds * 1000, AbortSignal.any([ended.signal, gone]))
    if (this.#poller === poller) this.#poller = null
    if (ended.signal.reason instanceof Error && 'code' in ended.signal.reason && ended.signal.reason.code === 409)
      throw ended.signal.reason
    return gone.aborted ? [] : this.#take(limit)
  }

  #confirmBefore(offset: number | undefined): void {
    this.pending()
    if (offset === undefined || offset === 0) return
    if (offset < 0) {
      this.#kept = this.#kept.slice(offset)
      return
    }
    if (offset > this.#nextId + mostAhead) return
    this.#kept = this.#kept.filter(({ update, again }) => again || update.update_id >= offset)
  }

  #take(limit: number): Update[] {
    this.pending()
    const taken = this.#kept.slice(0, limit)
    this.#kept = this.#kept.filter((kept) => !(kept.again && taken.includes(kept)))
    return taken.map(({ update }) => update)
  }
}
