// A card as one message: what will happen, first and in words; then what it changes; then why, who and until when; the
// buttons below. It always fits into a message, so that it can be changed as often as the question does.
import type { InlineKeyboardButton, InlineKeyboardMarkup } from '@grammyjs/types'
import { describeLease, type QuestionCard } from '@quartermaster/db'
import { renderDiff } from '../../../reply/render-diff.ts'
import { channelLimits, telegramLimits } from '../limits.ts'
import { escapeHtml, shorten } from '../render/escape-html.ts'
import { chosenAt, type DraftValues, optionsAt } from './answer-draft.ts'
import { button, formatClick } from './callback-data.ts'

export interface RenderedCard {
  /** Telegram's HTML. */
  text: string
  keyboard: InlineKeyboardMarkup | null
}

/** How far somebody has come on a card of several pages. */
export interface CardView {
  page: number
  values: DraftValues
}

const firstView: CardView = { page: 0, values: [] }

/** More options than this are turned over like pages. */
const optionsOnPage = 10

const parts = {
  title: 300,
  body: 1_200,
  fact: 200,
  facts: 12,
  diff: 1_000,
  why: 400,
  who: 300,
  option: 60,
  answer: 300,
}

export function renderCard(card: QuestionCard, view: CardView = firstView): RenderedCard {
  const isOpen = card.status === 'open'
  const paragraphs = [
    `${isOpen ? (isDecision(card) ? '🔐' : '❓') : signOf(card)} <b>${escapeHtml(shorten(card.title, parts.title))}</b>`,
    ...(card.body ? [escapeHtml(shorten(card.body, parts.body))] : []),
    factsOf(card),
    ...(card.diff ? [diffOf(card.diff)] : []),
    ...(isOpen ? [pageOf(card, view), aboutOpen(card)] : [aboutClosed(card)]),
  ].filter((part) => part !== '')
  const keyboard = isOpen ? keyboardOf(card, view) : []
  return { text: fit(paragraphs), keyboard: keyboard.length ? { inline_keyboard: keyboard } : null }
}

const isDecision = ({ kind }: QuestionCard) => kind === 'confirmation' || kind === 'plan'

function signOf({ closed }: QuestionCard): string {
  if (closed?.status !== 'answered') return '⌛'
  return closed.verdict === 'deny' ? '⛔' : '✅'
}

/** Telegram counts without the tags, so this is on the safe side. The first and the last matter most. */
function fit(paragraphs: string[]): string {
  const shown = [...paragraphs]
  while (shown.length > 2 && shown.join('\n\n').length > telegramLimits.text) shown.splice(shown.length - 2, 1)
  return shown.join('\n\n')
}

function factsOf({ recipients, facts }: QuestionCard): string {
  const rows = [
    ...(recipients.length ? [{ label: 'To', value: recipients.join(', ') }] : []),
    ...facts.filter(({ value }) => value.trim() !== ''),
  ]
  const lines = rows
    .slice(0, parts.facts)
    .map(({ label, value }) => `<b>${escapeHtml(shorten(label, 40))}:</b> ${escapeHtml(shorten(value, parts.fact))}`)
  if (rows.length > parts.facts) lines.push(`and ${rows.length - parts.facts} more`)
  return lines.join('\n')
}

const diffOf = (diff: NonNullable<QuestionCard['diff']>) =>
  `<b>Changes</b> ${escapeHtml(shorten(diff.path, parts.fact))}\n<pre>${escapeHtml(shorten(renderDiff(diff), parts.diff))}</pre>`

/** Of a form: the page that is open, or what was answered so far. */
function pageOf(card: QuestionCard, { page, values }: CardView): string {
  if (card.kind === 'text') return '✍️ Reply to this message with your answer.'
  if (card.kind !== 'form') return ''
  const tab = card.tabs[page]
  if (tab) {
    const written = !tab.options && chosenAt(values, page)[0]
    return [
      `<b>${page + 1} of ${card.tabs.length} · ${escapeHtml(shorten(tab.title, 60))}</b>`,
      escapeHtml(shorten(tab.question, parts.body)),
      ...(written ? [`✍️ ${escapeHtml(shorten(written, parts.answer))}`] : []),
    ].join('\n')
  }
  const answers = card.tabs.map(({ title }, index) => {
    const answer = chosenAt(values, index).join(', ')
    return `<b>${escapeHtml(shorten(title, 60))}:</b> ${answer ? escapeHtml(shorten(answer, 150)) : '<i>not answered yet</i>'}`
  })
  return ['<b>Your answers</b>', ...answers].join('\n')
}

function aboutOpen(card: QuestionCard): string {
  const { approvals, why, whoMayAnswer, expiresAt, escalatedAt, lease } = card
  const approved = card.answers.filter(({ verdict }) => verdict === 'approve').map(({ name }) => name)
  const asker = card.requester
    ? `Asked by ${card.requester.name} through ${card.agent.name}`
    : `Asked by ${card.agent.name}`
  return [
    shorten(asker, 150),
    ...(approvals.required > 1
      ? [`${approvals.given} of ${approvals.required} approved${approved.length ? ` (${approved.join(', ')})` : ''}`]
      : []),
    ...(why.length ? [`Why: ${shorten(why.join(' · '), parts.why)}`] : []),
    `May answer: ${shorten(whoMayAnswer, parts.who)}`,
    ...(lease ? [`"For this thread" means ${describeLease(lease)}`] : []),
    ...(escalatedAt ? ['Nobody answered at first: it was passed on'] : []),
    `Until ${when(expiresAt)}`,
  ]
    .map((line) => `<i>${escapeHtml(line)}</i>`)
    .join('\n')
}

function aboutClosed({ closed, answers }: QuestionCard): string {
  if (!closed) return '<b>Closed.</b>'
  const others = answers
    .filter(({ memberId, verdict }) => verdict === 'approve' && memberId !== closed.by?.memberId)
    .map(({ name }) => name)
  const also =
    closed.verdict === 'approve' && others.length ? `\n<i>Also approved by ${escapeHtml(others.join(', '))}</i>` : ''
  return `<b>${escapeHtml(shorten(closed.sentence, 600))}</b>${also}\n<i>${when(closed.at)}</i>`
}

/** "18 Nov 2026, 17:20 UTC": everybody of a group reads the same card, wherever they are. */
const when = (at: Date): string =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' }).format(at)} UTC`

function keyboardOf(card: QuestionCard, view: CardView): InlineKeyboardButton[][] {
  const press = (label: string, verb: Parameters<typeof formatClick>[1], style?: 'danger' | 'success' | 'primary') =>
    button(label, formatClick(card.id, verb), style)
  const has = (name: QuestionCard['buttons'][number]) => card.buttons.includes(name)
  const decline = has('decline') ? [[press('Do not answer', 'decline')]] : []
  if (has('form')) return [...formRows(card, view), ...decline]
  if (has('options') || has('menu')) return [...optionRows(card, view, 'option'), ...decline]
  if (has('multi-select')) return [...optionRows(card, view, 'toggle'), [press('Send', 'send', 'success')], ...decline]
  if (has('reply')) return decline
  return [
    [
      ...(has('approve') ? [press('✅ Approve', 'approve', 'success')] : []),
      ...(has('deny') ? [press('⛔ Deny', 'deny', 'danger')] : []),
    ],
    has('approve-for-thread') ? [press('Approve for this thread', 'lease')] : [],
    [
      ...(has('edit') ? [press('Edit…', 'edit')] : []),
      ...(has('deny-with-reason') ? [press('Deny with reason…', 'reason')] : []),
    ],
    card.arguments === null ? [] : [press('Show all', 'all')],
  ].filter((row) => row.length > 0)
}

/** One option a row: a phone shows about forty characters of it. */
function optionRows(
  card: QuestionCard,
  { page, values }: CardView,
  verb: 'option' | 'toggle',
): InlineKeyboardButton[][] {
  const { options } = card
  const pages = options.length > optionsOnPage + 2 ? Math.ceil(options.length / optionsOnPage) : 1
  const current = Math.min(page, pages - 1)
  const from = pages === 1 ? 0 : current * optionsOnPage
  const shown = pages === 1 ? options : options.slice(from, from + optionsOnPage)
  const chosen = chosenAt(values, 0)
  const rows = shown.map((option, index) => {
    const mark = verb === 'toggle' ? (chosen.includes(option) ? '☑ ' : '☐ ') : ''
    const click = formatClick(card.id, verb, from + index)
    return [button(mark + shorten(option, channelLimits.buttonText), click, verb === 'option' ? 'primary' : undefined)]
  })
  return pages === 1 ? rows : [...rows, turnRow(card, current, pages)]
}

function turnRow(card: QuestionCard, page: number, pages: number): InlineKeyboardButton[] {
  return [
    ...(page > 0 ? [button('◀', formatClick(card.id, 'page', page - 1))] : []),
    ...(page < pages - 1 ? [button('▶', formatClick(card.id, 'page', page + 1))] : []),
  ]
}

/** A page a tab, and at the end a summary with the button that sends it. */
function formRows(card: QuestionCard, { page, values }: CardView): InlineKeyboardButton[][] {
  const turn = turnRow(card, page, card.tabs.length + 1)
  const tab = card.tabs[page]
  if (!tab) return [[button('Send', formatClick(card.id, 'send'), 'success')], turn]
  const { options, multiple } = optionsAt(card, page)
  if (!tab.options) return [[button('✍️ Write…', formatClick(card.id, 'write', page), 'primary')], turn]
  const chosen = chosenAt(values, page)
  const marks = multiple ? ['☐ ', '☑ '] : ['○ ', '● ']
  const rows = options
    .slice(0, channelLimits.menuOptions)
    .map((option, index) => [
      button(
        (chosen.includes(option) ? marks[1] : marks[0]) + shorten(option, channelLimits.buttonText),
        formatClick(card.id, 'toggle', page, index),
      ),
    ])
  return [...rows, turn]
}
