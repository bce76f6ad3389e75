import { isMessageGone, isNotModified } from '../connect/describe-refusal.ts'
import { asSignal, type TelegramConnection, within } from '../connect/telegram-connection.ts'
import { type ChatPlace, target } from '../conversation-key.ts'
import { findReplyTarget } from '../deliver/reply-target.ts'
import { isMisunderstood } from '../deliver/to-failure.ts'
import { telegramLimits } from '../limits.ts'
import { button, stopData } from '../questions/callback-data.ts'
import { escapeHtml } from '../render/escape-html.ts'
import { markdownToHtml } from '../render/markdown-to-html.ts'
import type { Surface } from './present-work.ts'
import type { ProgressNotes } from './progress-notes.ts'
import { describeActivities, tailOf, type WorkView } from './work-view.ts'

export interface MessageSurface extends Surface {
  /** Takes away what was shown. Never throws. */
  remove(): Promise<void>
}

/** Before this nothing is shown in a group: what is answered at once needs no message that says that it will be. */
const patienceMs = 1_500

/**
 * In a group one message is edited while the agent works, and taken away when it has answered. It never becomes the
 * answer: an edit that is still on its way could write over it. Which message it is, is written down, so that whoever
 * delivers the answer can take it away when this process is gone.
 */
export function messageSurface(
  { api, chat, log }: TelegramConnection,
  place: ChatPlace,
  run: { conversationId: string; runId: string },
  notes: ProgressNotes,
): MessageSurface {
  let shown: { messageId: number; step: number } | null = null
  let edits = 0
  /** Somebody deleted it: then it is not wanted while this step goes on. */
  let unwantedStep = -1
  const stop = { inline_keyboard: [[button('⏹ Stop', stopData, 'danger')]] }

  async function begin(view: WorkView, text: string, signal: AbortSignal): Promise<void> {
    const replyTo = await findReplyTarget(chat.db, run)
    const { message_id } = await api.raw.sendMessage(
      {
        ...target(place),
        text,
        parse_mode: 'HTML',
        disable_notification: true,
        reply_markup: stop,
        ...(replyTo === null ? {} : { reply_parameters: { message_id: replyTo, allow_sending_without_reply: true } }),
      },
      asSignal(signal),
    )
    shown = { messageId: message_id, step: view.step }
    await notes.add(run.conversationId, { ...place, messageId: message_id, step: view.step })
  }

  async function edit(messageId: number, text: string, signal: AbortSignal): Promise<void> {
    edits++
    await api.raw.editMessageText(
      { chat_id: place.chatId, message_id: messageId, text, parse_mode: 'HTML', reply_markup: stop },
      asSignal(signal),
    )
  }

  return {
    everyMs: () => (edits < telegramLimits.editsFast ? telegramLimits.editEveryMs : telegramLimits.editSlowlyEveryMs),
    lastsMs: null,
    patienceMs,
    showsEnds: false,
    async show(view, signal) {
      if (view.step === unwantedStep) return
      const put = (text: string) => (shown ? edit(shown.messageId, text, signal) : begin(view, text, signal))
      try {
        await put(render(view))
      } catch (error) {
        if (isNotModified(error)) return
        if (isMessageGone(error)) {
          shown = null
          unwantedStep = view.step
          return
        }
        if (!isMisunderstood(error)) throw error
        await put(escapeHtml(view.text.slice(-telegramLimits.shownCharacters)) || 'Working…')
      }
    },
    typing: async (signal) =>
      void (await api.raw.sendChatAction({ ...target(place), action: 'typing' }, asSignal(signal))),
    async remove() {
      if (!shown) return
      const { messageId } = shown
      shown = null
      await removeMessage(api, place.chatId, messageId).catch((error: unknown) =>
        log.debug({ error }, 'a progress message was not removed'),
      )
    },
  }
}

/** One that is gone already is fine. */
export async function removeMessage(api: TelegramConnection['api'], chatId: number, messageId: number): Promise<void> {
  try {
    await api.deleteMessage(chatId, messageId, within(telegramLimits.callMs))
  } catch (error) {
    if (!isMessageGone(error)) throw error
  }
}

function render({ text, activities, status }: WorkView): string {
  const lines = describeActivities(activities).map(escapeHtml)
  const written = text.trim() ? markdownToHtml(tailOf(text)) : ''
  return [...lines, written ? `\n${written}` : `<i>${escapeHtml(status || 'Working…')}</i>`].join('\n').trim()
}
