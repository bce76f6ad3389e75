// Slack's own markup, where a block takes no Markdown. What comes from people, tools and the model is text in it, never
// markup: it cannot mention anybody, link anywhere or end the formatting that it stands in.
import { escapeForDisplay } from '@quartermaster/tools'
import { clip } from './clip.ts'

/** The three characters that Slack's markup is made of. */
export const escapeMrkdwn = (text: string): string =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;')

/**
 * One line of foreign text. Formatting marks lose their meaning by an invisible character beside them: Slack has no
 * escape for them, and without it a file named `*a*` would be shown as another one. It is clipped before it is escaped,
 * so that no entity is cut in two; `length` bounds what is seen, and what is sent may be several times as long.
 */
export function plain(text: string, length = 300): string {
  const line = escapeForDisplay(text.replace(/\s*\n\s*/g, ' '))
  return escapeMrkdwn(clip(line, length)).replace(/[*_~`]/g, '\u200b$&\u200b')
}

/** In bold; bold marks inside would end it. */
export const bold = (text: string, length?: number): string => `*${plain(text, length)}*`

/** A moment in the reader's own time zone. */
export function when(date: Date): string {
  const fallback = `${date.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  return `<!date^${Math.floor(date.getTime() / 1000)}^{date_short_pretty} {time}|${fallback}>`
}

/**
 * Markdown of the model for a markdown block, which Slack itself renders. Only what would call everybody is disarmed:
 * an answer must not be able to do that.
 */
export const disarm = (markdown: string): string => markdown.replace(/<!/g, '<\u200b!').toWellFormed()
