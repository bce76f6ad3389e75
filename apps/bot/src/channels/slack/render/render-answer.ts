import type { ContextBlock, KnownBlock } from '@slack/types'
import { limits } from '../limits.ts'
import type { WorkTask } from '../present/stream-note.ts'
import { feedbackActionId } from '../questions/action-ids.ts'
import { clip } from './clip.ts'
import { disarm, escapeMrkdwn, plain } from './mrkdwn.ts'

export interface RenderedMessage {
  text: string
  blocks: KnownBlock[]
}

export interface Answer {
  markdown: string
  footer?: string
  /** What was done for it, as far as anybody noted it. */
  tasks?: readonly WorkTask[]
  /** The run that ended with it, which can be judged. */
  judged?: string | null
}

/** A piece of an answer as Slack renders it: Markdown is its own business. */
export function renderAnswer({ markdown, footer, tasks = [], judged }: Answer): RenderedMessage {
  const work = workLine(tasks)
  return {
    text: fallbackOf(markdown),
    blocks: [
      { type: 'markdown', text: disarm(markdown) },
      ...(work ? [contextOf(work)] : []),
      ...(footer ? [contextOf(plain(footer, limits.footer))] : []),
      ...(judged ? [feedbackOf(judged)] : []),
    ],
  }
}

/** For a message whose blocks Slack would not take: the words, without any formatting. */
export const plainAnswer = ({ markdown, footer }: Answer): string =>
  escapeMrkdwn(footer ? `${markdown}\n\n${footer}` : markdown)

export const contextOf = (text: string): ContextBlock => ({ type: 'context', elements: [{ type: 'mrkdwn', text }] })

/** The beginning of it, for a notification. */
export function fallbackOf(markdown: string): string {
  const words = markdown
    .slice(0, limits.fallbackText * 2)
    .replace(/[*_`#>|~]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  return escapeMrkdwn(clip(words, limits.fallbackText)) || '…'
}

const signs = { running: '⏳', waiting: '✋', done: '✓', failed: '✗' } as const

/** What tools did, in one line; of many, how many more there were. */
export function workLine(tasks: readonly WorkTask[]): string {
  const words = tasks.map(({ title, state }) => `${signs[state]} ${plain(title, 60)}`)
  let line = ''
  for (const [index, word] of words.entries()) {
    const longer = line ? `${line} · ${word}` : word
    if (longer.length > limits.workLine) return `${line} · and ${words.length - index} more`
    line = longer
  }
  return line
}

function feedbackOf(runId: string): KnownBlock {
  const button = (text: string, value: string, label: string) => ({
    text: { type: 'plain_text' as const, text },
    accessibility_label: label,
    value: `${runId}:${value}`,
  })
  return {
    type: 'context_actions',
    elements: [
      {
        type: 'feedback_buttons',
        action_id: feedbackActionId,
        positive_button: button('Good answer', 'good', 'This answer was good'),
        negative_button: button('Bad answer', 'bad', 'This answer was not good'),
      },
    ],
  }
}
