// What is known of a run while it goes on, as people are shown it.
import type { ActivityState } from '@quartermaster/db'
import { telegramLimits } from '../limits.ts'
import { escapeHtml, shorten } from '../render/escape-html.ts'
import { type Dialect, markdownToHtml } from '../render/markdown-to-html.ts'

export interface Activity {
  title: string
  state: ActivityState
  line?: string
}

export interface WorkView {
  step: number
  text: string
  activities: readonly Activity[]
  status: string
}

const marks: Record<ActivityState, string> = { running: '⏳', done: '✅', failed: '❌', waiting: '⏸' }

export function renderActivities(activities: readonly Activity[]): string[] {
  const hidden = activities.length - telegramLimits.shownActivities
  const lines = activities.slice(-telegramLimits.shownActivities).map(({ title, state, line }) => {
    const more = line ? ` — <i>${escapeHtml(shorten(clean(line), 80))}</i>` : ''
    return `${marks[state]} ${escapeHtml(shorten(clean(title), 80))}${more}`
  })
  return hidden > 0 ? [`… ${hidden} before`, ...lines] : lines
}

/** The end of a text that is still being written: that is where people read. */
export function renderTail(text: string, dialect: Dialect): string {
  const shown = text.length > telegramLimits.shownCharacters ? `… ${text.slice(-telegramLimits.shownCharacters)}` : text
  return markdownToHtml(clean(shown, '\n'), dialect)
}

/** A model may begin with half a character, and a tool may print anything. */
const clean = (text: string, keep = '') =>
  [...text.toWellFormed()].filter((each) => each >= ' ' || each === keep || each === '\t').join('')
