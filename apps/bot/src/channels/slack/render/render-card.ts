// The card of a question, from top to bottom as a tired approver reads it on a phone: what will happen, who or what is
// reached, what changes; then why, who may answer and until when; then the buttons, or what was decided.
import type { QuestionCard } from '@quartermaster/db'
import type { KnownBlock } from '@slack/types'
import { limits } from '../limits.ts'
import { clip } from './clip.ts'
import { disarm, escapeMrkdwn, plain, when } from './mrkdwn.ts'
import { contextOf, type RenderedMessage } from './render-answer.ts'
import { cardControls, hasLongOptions } from './render-controls.ts'
import { renderDiff } from './render-diff.ts'
import { bold, code, lines, oneLine, words } from './rich-text.ts'

export interface CardSurroundings {
  /** Where it is asked, for a copy that is shown elsewhere: Slack's markup. */
  origin?: string | null
  /** A thread in which a reply answers it. */
  inThread: boolean
}

const facts = 12

export function renderCard(card: QuestionCard, { origin, inThread }: CardSurroundings): RenderedMessage {
  const isOpen = card.status === 'open'
  const blocks: KnownBlock[] = [
    ...(origin ? [contextOf(origin)] : []),
    lines([[bold(oneLine(card.title, 1_000))]]),
    ...(card.body ? [{ type: 'markdown' as const, text: disarm(clip(card.body, limits.cardBody)) }] : []),
    ...factsOf(card),
    ...diffOf(card),
    ...tabsOf(card),
    ...(isOpen && hasLongOptions(card) ? [numberedOptions(card)] : []),
    contextOf(isOpen ? aboutOpen(card) : aboutClosed(card)),
    ...(isOpen ? cardControls(card, { inThread }) : []),
  ]
  const title = escapeMrkdwn(oneLine(card.title, limits.fallbackText))
  const state = isOpen ? (isDecision(card) ? 'Needs your decision' : 'A question') : (card.closed?.sentence ?? 'Closed')
  return { text: `${escapeMrkdwn(clip(state, limits.fallbackText))}: ${title}`, blocks: blocks.slice(0, limits.blocks) }
}

const isDecision = ({ kind }: QuestionCard) => kind === 'confirmation' || kind === 'plan'

function factsOf({ recipients, facts: all }: QuestionCard): KnownBlock[] {
  const rows = [
    ...(recipients.length ? [{ label: 'To', value: recipients.join(', ') }] : []),
    ...all.filter(({ label, value }) => label.trim() && value.trim()),
  ]
  if (!rows.length) return []
  const shown = rows
    .slice(0, facts)
    .map(({ label, value }) => [bold(`${oneLine(label, 40)}: `), words(oneLine(value, limits.cardValue))])
  const more = rows.length - shown.length
  return [lines(more > 0 ? [...shown, [words(`and ${more} more`)]] : shown)]
}

function diffOf({ diff }: QuestionCard): KnownBlock[] {
  if (!diff) return []
  return [lines([[bold('Changes '), words(oneLine(diff.path, 200))]]), code(renderDiff(diff), limits.cardDiff)]
}

/** What a form will ask, so that nobody has to open it to know. */
function tabsOf({ tabs, status }: QuestionCard): KnownBlock[] {
  if (!tabs.length || status !== 'open') return []
  return [
    lines(tabs.slice(0, facts).map((tab) => [bold(`${oneLine(tab.title, 60)}: `), words(oneLine(tab.question, 200))])),
  ]
}

function numberedOptions({ options }: QuestionCard): KnownBlock {
  return lines(options.slice(0, 50).map((option, index) => [bold(`${index + 1}. `), words(oneLine(option, 300))]))
}

function aboutOpen(card: QuestionCard): string {
  const { approvals, why, whoMayAnswer, expiresAt, escalatedAt } = card
  const approved = card.answers.filter(({ verdict }) => verdict === 'approve').map(({ name }) => plain(name, 60))
  const parts = [
    ...(approvals.required > 1
      ? [`*${approvals.given} of ${approvals.required} approved*${approved.length ? ` (${approved.join(', ')})` : ''}`]
      : []),
    ...(why.length ? [`*Why:* ${why.map((reason) => plain(reason, 200)).join(' · ')}`] : []),
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

/** A context's text has the length of a section's; the first parts matter most. */
function fit(parts: readonly string[]): string {
  let text = ''
  for (const part of parts) {
    const longer = text ? `${text}\n${part}` : part
    if (longer.length > limits.sectionText) break
    text = longer
  }
  return text
}
