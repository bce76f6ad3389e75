// What is shown of runs by this process, and how it gives way to what is delivered. A draft or a progress message and
// the answer must not stand beside each other: before a delivery is sent, what this process shows of it ends; after it
// was sent, progress messages go, also those of a process that is gone.
import type { ClaimedDelivery } from '@quartermaster/db'
import type { Channel, DeliveryPayload, Presenter } from '../../channel.ts'
import { presentNothing } from '../../present-nothing.ts'
import type { TelegramConnection } from '../connect/telegram-connection.ts'
import { isPrivate, parseConversationKey } from '../conversation-key.ts'
import { draftSurface } from './draft-surface.ts'
import { messageSurface, removeMessage } from './message-surface.ts'
import { presentWork, type ShownWork } from './present-work.ts'
import { createProgressNotes } from './progress-notes.ts'

export interface Presenting {
  present: Channel['present']
  /** Before something of a run is sent. */
  settle(delivery: ClaimedDelivery, payload: DeliveryPayload): Promise<void>
  /** After it was sent. */
  remove(delivery: ClaimedDelivery, payload: DeliveryPayload): Promise<void>
}

export function createPresenting(telegram: TelegramConnection): Presenting {
  const notes = createProgressNotes(telegram.chat.db)
  const runs = new Map<string, ShownWork>()

  return {
    present(place): Presenter {
      const where = parseConversationKey(place.conversationKey)
      const self = telegram.knownSelf()
      if (!where || (self && self.channelId !== place.channelId)) return presentNothing
      const { runId } = place
      if (isPrivate(where)) return keep(presentWork(draftSurface(telegram, where, runId)), runId)
      const surface = messageSurface(telegram, where, place, notes)
      return keep(presentWork(surface), runId, () => surface.remove())
    },
    async settle({ runId }, payload) {
      const shown = runId ? runs.get(runId) : undefined
      // A question is the last that is seen until somebody answers. A file or a notice ends nothing.
      if (payload.kind === 'text') await shown?.settle(payload.step)
      if (payload.kind === 'question') await shown?.settle(null)
    },
    async remove({ conversationId, conversationKey, runId }, payload) {
      const step = payload.kind === 'text' ? payload.step : null
      const where = parseConversationKey(conversationKey)
      if (!where || isPrivate(where) || !runId) return
      // While the run is shown here, its own message is this process's to remove, unless the answer is there.
      if (step === null && runs.has(runId)) return
      try {
        for (const { chatId, messageId } of await notes.take(conversationId, step))
          await removeMessage(telegram.api, chatId, messageId)
      } catch (error) {
        telegram.log.debug({ error }, 'a progress message was not removed')
      }
    },
  }

  function keep(work: ShownWork, runId: string, onEnd: () => Promise<void> = async () => {}): Presenter {
    runs.set(runId, work)
    return {
      ...work,
      async end() {
        await work.end()
        await onEnd()
        if (runs.get(runId) === work) runs.delete(runId)
      },
    }
  }
}
