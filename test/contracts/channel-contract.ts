// What every channel promises, whatever its platform (apps/bot/src/channels/channel.ts). A platform's test sets it up
// against its emulator and calls this; what only that platform does is tested beside it.
import {
  type ClaimedDelivery,
  claimDelivery,
  confirmDelivery,
  type Database,
  enqueueDelivery,
  failDelivery,
  inTransaction,
} from '@quartermaster/db'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { type Channel, DeliveryFailure, type DeliveryPayload, type Place } from '../../apps/bot/src/channels/channel.ts'

export interface ChannelUnderTest {
  db: Database
  channel: Channel
  /** A run in a new conversation that the platform has as well. */
  place: Place
  /** A question of that run, for its card. */
  questionId: string
  /**
   * Denies the question, as somebody who may, and resolves with words that its card shows from then on. Left out where
   * no card is ever sent: the console reads the question itself.
   */
  answer?(): Promise<string>
  /** The messages that a person sees in the conversation, in order: some words of each are enough. */
  seen(): Promise<string[]>
  /** The text of a step as a person sees it while it is written; empty where the platform shows none. */
  shownText(step: number): string
  /** What a person sees of tool calls: the last state of each by its title. */
  shownActivities(): Record<string, string>
  /** From now on the platform does not answer, until the function that this returns is called. */
  stall(): () => void
  /** The platform refuses the next message: for a while, or for good. Left out where it cannot. */
  refuseNext?(retryAfterMs: number | null): void
  close(): Promise<void>
}

const never = new AbortController().signal

export function describeChannel(name: string, setup: () => Promise<ChannelUnderTest>): void {
  describe(`the ${name} channel`, () => {
    let under: ChannelUnderTest

    beforeEach(async () => {
      under = await setup()
    })
    afterEach(() => under.close())

    async function claim(payload: DeliveryPayload | { kind: string }): Promise<ClaimedDelivery> {
      const { conversationId } = under.place
      const questionId = 'questionId' in payload ? { questionId: payload.questionId } : {}
      await enqueueDelivery(under.db, { conversationId, kind: payload.kind, payload, ...questionId })
      const claimed = await claimDelivery(under.db, { processId: 'contract', conversationId })
      if (!claimed) throw new Error('expected a delivery')
      return claimed
    }

    /** As if the sender had died: its claim is over, and the next one has the delivery. */
    async function takeOver(lost: ClaimedDelivery): Promise<ClaimedDelivery> {
      await inTransaction(under.db, (tx) =>
        tx.query(`UPDATE deliveries SET claim_until = now() - interval '1 s' WHERE id = $1`, [lost.deliveryId]),
      )
      const claimed = await claimDelivery(under.db, { processId: 'next', conversationId: lost.conversationId })
      if (!claimed?.takenOver) throw new Error('expected the delivery to be taken over')
      return claimed
    }

    /** What the change of a question enqueued by itself is sent here by hand. */
    async function dropPending(): Promise<void> {
      await under.db.pool.query(`DELETE FROM deliveries WHERE conversation_id = $1 AND status = 'pending'`, [
        under.place.conversationId,
      ])
    }

    async function send(payload: DeliveryPayload): Promise<string | null> {
      const delivery = await claim(payload)
      const externalId = await under.channel.deliver(delivery, never)
      expect(await confirmDelivery(under.db, delivery, externalId)).toBe(true)
      return externalId
    }

    const failureOf = async (delivery: ClaimedDelivery, signal = never): Promise<unknown> => {
      try {
        await under.channel.deliver(delivery, signal)
      } catch (error) {
        return error
      }
      throw new Error('expected it to fail')
    }

    test('says its limits as numbers that can be worked with', () => {
      const { messageLength, buttons, buttonText, menuOptions, fileBytes } = under.channel.limits
      for (const limit of [buttons, buttonText, menuOptions, fileBytes]) {
        expect(Number.isInteger(limit)).toBe(true)
        expect(limit).toBeGreaterThan(1)
      }
      expect(messageLength).toBeGreaterThanOrEqual(300)
    })

    test('delivers every kind of payload, in the order in which it is given them', async () => {
      await send({ kind: 'text', markdown: 'an **answer**', step: 1, footer: 'a footer' })
      await send({ kind: 'question', questionId: under.questionId })
      await send({ kind: 'notice', text: 'a notice' })
      const data = Buffer.from('the file').toString('base64')
      await send({ kind: 'media', filename: 'a.txt', mimeType: 'text/plain', data })
      const seen = await under.seen()
      expect(seen).toHaveLength(4)
      expect(seen[0]).toContain('answer')
      expect(seen[2]).toContain('a notice')
      expect(seen[3]).toContain('a.txt')
    })

    test('shows a card that was sent before as its question stands now, and as no message of its own', async () => {
      // The console sends no card: it reads the question itself.
      if (!under.answer) return expect(under.channel.kind).toBe('web')
      const copy = await claim({ kind: 'question', questionId: under.questionId })
      await confirmDelivery(under.db, copy, await under.channel.deliver(copy, never))
      const before = await under.seen()
      const sentence = await under.answer()
      await dropPending()
      for (let time = 0; time < 2; time++)
        await send({ kind: 'card-update', questionId: under.questionId, copyId: copy.deliveryId })
      const seen = await under.seen()
      expect(seen).toHaveLength(before.length)
      expect(seen.at(-1)).toContain(sentence)
      expect(before.at(-1)).not.toContain(sentence)
    })

    test('leaves a card alone that was never sent', async () => {
      const copy = await claim({ kind: 'question', questionId: under.questionId })
      await failDelivery(under.db, copy, 'It was never sent.')
      await send({ kind: 'card-update', questionId: under.questionId, copyId: copy.deliveryId })
      await send({ kind: 'card-update', questionId: under.questionId, copyId: 'dlv_of_nobody' })
      expect(await under.seen()).toEqual([])
    })

    test('sends a message of the full length, and refuses a longer one for good', async () => {
      const { messageLength } = under.channel.limits
      const words = (length: number) =>
        'word '
          .repeat(messageLength)
          .slice(0, length - 1)
          .concat('.')
      await send({ kind: 'text', markdown: words(messageLength), step: 1 })
      expect(await under.seen()).toHaveLength(1)
      const failure = await failureOf(await claim({ kind: 'text', markdown: words(messageLength + 1), step: 1 }))
      expect(failure).toBeInstanceOf(DeliveryFailure)
      expect(failure).toMatchObject({ retryAfterMs: null })
    })

    test('refuses a file above its limit, and a payload that it does not know, for good', async () => {
      const data = Buffer.alloc(under.channel.limits.fileBytes + 1).toString('base64')
      const large = await claim({ kind: 'media', filename: 'a.bin', mimeType: 'application/octet-stream', data })
      expect(await failureOf(large)).toMatchObject({ retryAfterMs: null })
      await confirmDelivery(under.db, large, null) // Out of the way of the next one.
      const unknown = await failureOf(await claim({ kind: 'hologram' }))
      expect(unknown).toBeInstanceOf(DeliveryFailure)
      expect(unknown).toMatchObject({ retryAfterMs: null })
    })

    test('shows a delivery once, however many senders were lost after they had sent it', async () => {
      let delivery = await claim({ kind: 'text', markdown: 'only once', step: 1 })
      await under.channel.deliver(delivery, never)
      for (let lost = 0; lost < 3; lost++) {
        delivery = await takeOver(delivery)
        await under.channel.deliver(delivery, never)
      }
      await confirmDelivery(under.db, delivery, null)
      expect(await under.seen()).toHaveLength(1)
    })

    test('sends a delivery that was taken over before anybody had sent it', async () => {
      const delivery = await takeOver(await claim({ kind: 'text', markdown: 'late', step: 1 }))
      await confirmDelivery(under.db, delivery, await under.channel.deliver(delivery, never))
      expect(await under.seen()).toHaveLength(1)
    })

    test('does not send what was aborted before it began, and does not call it failed for good', async () => {
      const delivery = await claim({ kind: 'notice', text: 'too late' })
      const failure = await failureOf(delivery, AbortSignal.abort())
      expect(failure instanceof DeliveryFailure && failure.retryAfterMs === null).toBe(false)
      await confirmDelivery(under.db, await takeOver(delivery), null)
    })

    test('passes on how long the platform wants to be left alone, and what it will never take', async () => {
      if (!under.refuseNext) return
      for (const retryAfterMs of [3_000, null]) {
        const delivery = await claim({ kind: 'notice', text: 'refused' })
        under.refuseNext(retryAfterMs)
        const failure = await failureOf(delivery)
        expect(failure).toBeInstanceOf(DeliveryFailure)
        expect(failure).toMatchObject({ retryAfterMs })
        await confirmDelivery(under.db, delivery, null)
      }
      await send({ kind: 'notice', text: 'taken again' })
      expect((await under.seen()).at(-1)).toContain('taken again')
    })

    test('shows text as it is written, begun anew where the answer was, and all of it at the end', async () => {
      const presenter = under.channel.present(under.place)
      presenter.status('The model is busy.')
      for (const word of ['Once ', 'upon ', 'a tomb']) presenter.text(1, word)
      presenter.restart(1, 'Once upon a t'.length)
      presenter.text(1, 'ime')
      presenter.stepEnd(1)
      presenter.text(2, 'Then 😀')
      await presenter.end()
      if (!under.channel.limits.canStream) return
      await vi.waitFor(() => expect(under.shownText(2)).toBe('Then 😀'), { timeout: 5_000 })
      expect(under.shownText(1)).toBe('Once upon a time')
    })

    test('shows tool calls as they go', async () => {
      const presenter = under.channel.present(under.place)
      const call = { toolUseId: 'use_1', tool: 'file.read', title: 'Reads a file' }
      presenter.activity({ ...call, state: 'running' })
      presenter.activity({ ...call, state: 'done', line: '12 lines' })
      presenter.activity({ ...call, toolUseId: 'use_2', title: 'Writes a file', state: 'waiting' })
      await presenter.end()
      if (!under.channel.limits.canStream) return
      await vi.waitFor(
        () => expect(under.shownActivities()).toEqual({ 'Reads a file': 'done', 'Writes a file': 'waiting' }),
        { timeout: 5_000 },
      )
    })

    test('never throws at what it is to show, however odd, and shows nothing after the end', async () => {
      const presenter = under.channel.present(under.place)
      presenter.text(1, '')
      presenter.text(0, '\0\ud800')
      presenter.text(7, 'x'.repeat(500_000))
      presenter.restart(99, -1)
      presenter.stepEnd(-1)
      presenter.status('😀'.repeat(10_000))
      const long = 'long '.repeat(5_000)
      presenter.activity({ toolUseId: long, tool: long, title: long, state: 'failed', line: long })
      await presenter.end()
      presenter.text(8, 'after the end')
      presenter.stepEnd(8)
      await presenter.end()
      expect(under.shownText(8)).toBe('')
    })

    test('waits for nobody: a platform that does not answer holds up neither the run nor its end', async () => {
      const goOn = under.stall()
      try {
        const presenter = under.channel.present(under.place)
        const started = performance.now()
        for (let count = 0; count < 20_000; count++) presenter.text(1, 'some more words of the answer ')
        presenter.status('still here')
        expect(performance.now() - started).toBeLessThan(1_000)
        await presenter.end()
        expect(performance.now() - started).toBeLessThan(5_000)
      } finally {
        goOn()
      }
    })
  })
}
