// The card of a question, from top to bottom as a tired approver reads it on a phone: what will happen, who or what is
// reached, what changes; then why, who may answer and until when; then the buttons, or what was decided.
import type { QuestionCard } from '@quartermaster/db'
import type { KnownBlock } from '@slack/types'
import { renderDiff } from '../../../reply/render-diff.ts'
import { limits } from '../limits.ts'
import { clip } from './clip.ts'
import { disarm, escapeMrkdwn, plain, when } from './mrkdwn.ts'
import { contextOf, type RenderedMessage } from './render-answer.ts'
import { cardControls, hasLongOptions } from './render-controls.ts'
import { bold, code, lines, oneLine, words } from './rich-text.ts'

export interface CardSurroundings {
  /** Where it is asked, for a copy that is shown elsewhere: Slack's markup. */
  origin?: string | null
  /** A thread in which a reply answers it. */
  inThread: boolean
}

/** How much of each part is shown; the first that fits into a message is. */
const scales = [1, 0.5, 0.25, 0.1, 0.05]

export function renderCard(card: QuestionCard, surroundings: CardSurroundings): RenderedMessage {
  const isOpen = card.status === 'open'
  const title = escapeMrkdwn(oneLine(card.title, limits.fallbackText))
  const state = isOpen ? (isDecision(card) ? 'Needs your decision' : 'A question') : (card.closed?.sentence ?? 'Closed')
  const text = `${escapeMrkdwn(clip(state, limits.fallbackText))}: ${title}`
  let blocks: KnownBlock[] = []
  for (const scale of scales) {
    blocks = cardBlocks(card, surroundings, scale)
    if (textLength(blocks) <= limits.cardText) break
  }
  return { text, blocks: blocks.slice(0, limits.blocks) }
}

function cardBlocks(card: QuestionCard, { origin, inThread }: CardSurroundings, scale: number): KnownBlock[] {
  const isOpen = card.status === 'open'
  return [
    ...(origin ? [contextOf(origin)] : []),
    lines([[bold(oneLine(card.title, 1_000 * scale) || 'Something needs an answer')]]),
    ...(card.body?.trim()
      ? [{ type: 'markdown' as const, text: disarm(clip(card.body, limits.cardBody * scale)) }]
      : []),
    ...factsOf(card, scale),
    ...diffOf(card, scale),
    ...tabsOf(card, scale),
    ...(isOpen && hasLongOptions(card) ? [numberedOptions(card, scale)] : []),
    contextOf(isOpen ? aboutOpen(card) : aboutClosed(card)),
    ...(isOpen ? cardControls(card, { inThread }) : []),
  ]
}

/** What can be read in blocks, in characters. */
function textLength(value: unknown): number {
  if (Array.isArray(value)) return value.reduce((sum: number, each) => sum + textLength(each), 0)
  if (typeof value !== 'object' || value === null) return 0
  return Object.entries(value).reduce(
    (sum, [key, each]) => sum + (key === 'text' && typeof each === 'string' ? each.length : textLength(each)),
    0,
  )
}

const mostRows = 12

const isDecision = ({ kind }: QuestionCard) => kind === 'confirmation' || kind === 'plan'

function factsOf({ recipients, facts: all }: QuestionCard, scale: number): KnownBlock[] {
  const rows = [
    ...(recipients.length ? [{ label: 'To', value: recipients.join(', ') }] : []),
    ...all.filter(({ label, value }) => label.trim() && value.trim()),
  ]
  if (!rows.length) return []
  const shown = rows
    .slice(0, mostRows)
    .map(({ label, value }) => [bold(`${oneLine(label, 40)}: `), words(oneLine(value, limits.cardValue * scale))])
  const more = rows.length - shown.length
  return [lines(more > 0 ? [...shown, [words(`and ${more} more`)]] : shown)]
}

function diffOf({ diff }: QuestionCard, scale: number): KnownBlock[] {
  if (!diff) return []
  return [lines([[bold('Changes '), words(oneLine(diff.path, 200))]]), code(renderDiff(diff), limits.cardDiff * scale)]
}

/** What a form will ask, so that nobody has to open it to know. */
function tabsOf({ tabs, status }: QuestionCard, scale: number): KnownBlock[] {
  if (!tabs.length || status !== 'open') return []
  return [
    lines(
      tabs
        .slice(0, mostRows)
        .map((tab) => [bold(`${oneLine(tab.title, 60)}: `), words(oneLine(tab.question, 200 * scale))]),
    ),
  ]
}

function numberedOptions({ options }: QuestionCard, scale: number): KnownBlock {
  return lines(
    options.slice(0, 20).map((option, index) => [bold(`${index + 1}. `), words(oneLine(option, 300 * scale))]),
  )
}

function aboutOpen(card: QuestionCard): string {
  const { approvals, why, whoMayAnswer, expiresAt, escalatedAt } = card
  const approved = card.answers.filter(({ verdict }) => verdict === 'approve').map(({ name }) => plain(name, 60))
  const parts = [
    ...(approvals.required > 1
      ? [`*${approvals.given} of ${approvals.required} approved*${approved.length ? ` (${approved.join(', ')})` : ''}`]
      : []),
    ...(why.length
      ? [
          `*Why:* ${why
            .slice(0, 3)
            .map((reason) => plain(reason, 150))
            .join(' · ')}`,
        ]
      : []),
    `*May answer:* ${plain(whoMayAnswer, 300)}`,
    `*Until* ${when(expiresAt)}`,
    ...(escalatedAt ? ['Nobody answered at first: it was passed on'] : []),
  ]
  return fit(parts)
}

function aboutClosed(card: QuestionCard): string {
  const { closed } = card
  if (!closed) return 'Closed.'
  const sign = closed.status !== 'answered' ? '⌛' : closed.verdict === 'deny' ? '⛔' : '✅'
  const others = card.answers
    .filter(({ memberId, verdict }) => verdict === 'approve' && memberId !== closed.by?.memberId)
    .map(({ name }) => plain(name, 60))
  return fit([
    `${sign} *${plain(closed.sentence, 500)}*`,
    when(closed.at),
    ...(others.length && closed.verdict === 'approve' ? [`also approved by ${others.join(', ')}`] : []),
  ])
}

/** A line that is too long beside the others is left out. */
function fit(parts: readonly string[]): string {
  let text = ''
  for (const part of parts) {
    const longer = text ? `${text}\n${part}` : part
    if (longer.length > limits.contextText) continue
    text = longer
  }
  return text
}
