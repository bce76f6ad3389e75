// What is known of a run while it goes on, as people are shown it.
import type { ActivityState } from '@quartermaster/db'
import { telegramLimits } from '../limits.ts'
import { shorten } from '../render/escape-html.ts'

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

/** A line each, as plain text; of many, the newest. */
export function describeActivities(activities: readonly Activity[]): string[] {
  const hidden = activities.length - telegramLimits.shownActivities
  const lines = activities.slice(-telegramLimits.shownActivities).map(({ title, state, line }) => {
    const more = line ? ` — ${shorten(clean(line), 80)}` : ''
    return `${marks[state]} ${shorten(clean(title), 80)}${more}`
  })
  return hidden > 0 ? [`… ${hidden} before`, ...lines] : lines
}

/** The end of a text that is still being written: that is where people read. */
export function tailOf(text: string): string {
  const shown = text.length > telegramLimits.shownCharacters ? `… ${text.slice(-telegramLimits.shownCharacters)}` : text
  return clean(shown, '\n')
}

/** A model may begin with half a character, and a tool may print anything. */
const clean = (text: string, keep = '') =>
  [...text.toWellFormed()].filter((each) => each >= ' ' || each === keep || each === '\t').join('')
