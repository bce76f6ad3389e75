import { createHash } from 'node:crypto'
import { asSignal, type TelegramConnection } from '../connect/telegram-connection.ts'
import { type ChatPlace, target } from '../conversation-key.ts'
import { isMisunderstood } from '../deliver/to-failure.ts'
import { telegramLimits } from '../limits.ts'
import { type Block, markdownToBlocks } from '../render/markdown-to-blocks.ts'
import type { Surface } from './present-work.ts'
import { describeActivities, tailOf, type WorkView } from './work-view.ts'

/** In a private chat a draft is shown, with a button that stops it. It goes when a message comes, or by itself. */
export function draftSurface({ api }: TelegramConnection, place: ChatPlace, runId: string): Surface {
  /** Drafts of one number are one that changes; each step has its own. */
  const number = createHash('sha256').update(runId).digest().readUInt32BE() % 1_000_000_000
  let hasShown = false
  let isRefused = false
  return {
    everyMs: () => telegramLimits.draftEveryMs,
    lastsMs: telegramLimits.draftLastsMs,
    patienceMs: 300,
    showsEnds: true,
    async show(view, signal) {
      if (isRefused) return
      const common = { ...target(place), draft_id: number + 1 + view.step, can_stop: true }
      try {
        await api.raw.sendRichMessageDraft({ ...common, rich_message: { blocks: render(view) } }, asSignal(signal))
      } catch (error) {
        if (!isMisunderstood(error)) throw error
        // Half a sentence may be more than Telegram can show as one; as plain text it is still a sentence.
        const text = view.text.slice(-telegramLimits.shownCharacters)
        await api.raw.sendMessageDraft({ ...common, text }, asSignal(signal)).catch(() => {
          isRefused = true
        })
      }
      hasShown = true
    },
    async typing(signal) {
      // A draft shows by itself that it is being written.
      if (!hasShown) await api.raw.sendChatAction({ ...target(place), action: 'typing' }, asSignal(signal))
    },
  }
}

function render({ text, activities, status }: WorkView): Block[] {
  const lines = describeActivities(activities)
  const done: Block[] = lines.length
    ? [{ type: 'blockquote', blocks: lines.map((line) => ({ type: 'paragraph', text: line })) }]
    : []
  const written = text.trim() ? markdownToBlocks(tailOf(text)) : []
  return [...done, ...(written.length ? written : [{ type: 'thinking' as const, text: status || 'Working…' }])]
}
