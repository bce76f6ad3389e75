// What can be done on an open card. Rendered from `card.buttons` alone: whatever else would be refused.
import { describeLease, type QuestionCard } from '@quartermaster/db'
import type { Button, ContextBlock, KnownBlock, PlainTextElement, PlainTextOption } from '@slack/types'
import { limits } from '../limits.ts'
import { actionIdOf, buttonValue, type CardAction } from '../questions/action-ids.ts'
import { clip } from './clip.ts'
import { contextOf } from './render-answer.ts'
import { oneLine } from './rich-text.ts'

export const label = (text: string, length: number = limits.buttonText): PlainTextElement => ({
  type: 'plain_text',
  text: clip(text, length),
  emoji: false,
})

/** Where one of the options is longer than a phone shows on a button, all are written out and the buttons are numbers. */
export const hasLongOptions = ({ buttons, options }: QuestionCard): boolean =>
  (buttons.includes('options') && options.some((option) => option.length > limits.shownButtonText)) ||
  (!buttons.includes('options') && options.length <= 20 && options.some((option) => option.length > limits.optionText))

/** Menus count towards the length of a message; what is longer than this is chosen from in a form. */
const isLongMenu = ({ options }: QuestionCard): boolean =>
  options.reduce((sum, option) => sum + Math.min(option.length, limits.optionText), 0) > limits.menuText

export function cardControls(card: QuestionCard, { inThread }: { inThread: boolean }): KnownBlock[] {
  const { buttons } = card
  const has = (button: QuestionCard['buttons'][number]) => buttons.includes(button)
  const rows: KnownBlock[] = []
  const actions: Button[] = []
  // The most important first: on a phone they are below each other.
  if (has('approve')) actions.push(button(card, 'approve', 'Approve', { style: 'primary' }))
  if (has('deny')) actions.push(button(card, 'deny', 'Deny', { style: 'danger' }))
  if (has('approve-for-thread') && card.lease) actions.push(leaseButton(card))
  if (has('edit')) actions.push(button(card, 'edit', 'Edit…'))
  if (has('deny-with-reason')) actions.push(button(card, 'deny-with-reason', 'Deny with reason…'))
  if (has('options')) actions.push(...optionButtons(card))
  if ((has('menu') || has('multi-select')) && isLongMenu(card)) {
    actions.push(button(card, 'open-choice', 'Choose…', { style: 'primary' }))
  } else if (has('menu') || has('multi-select')) {
    rows.push(chooser(card, has('multi-select')))
    actions.push(
      button(card, 'submit-choice', has('multi-select') ? 'Answer with these' : 'Answer', { style: 'primary' }),
    )
  }
  if (has('reply')) {
    if (inThread) rows.push(hint('Reply in this thread to answer.'))
    actions.push(button(card, 'write', 'Write an answer…'))
  }
  if (has('form')) actions.push(button(card, 'fill-in', 'Fill in…', { style: 'primary' }))
  if (has('decline')) actions.push(button(card, 'decline', 'I would rather not'))
  if (card.arguments !== null && card.arguments !== undefined) actions.push(button(card, 'show-all', 'Show all'))
  if (actions.length) rows.push({ type: 'actions', block_id: `qm:${card.id}:actions`, elements: actions })
  return rows
}

const hint = (text: string): ContextBlock => contextOf(`💬 ${text}`)

function button(card: QuestionCard, action: CardAction, text: string, extra: Partial<Button> = {}): Button {
  return {
    type: 'button',
    action_id: actionIdOf(action),
    text: label(text),
    value: buttonValue({ questionId: card.id, digest: card.argumentsDigest }),
    ...extra,
  }
}

/** It approves more than one can see, so it says how much before it counts. */
function leaseButton(card: QuestionCard): Button {
  const spared = card.lease ? describeLease(card.lease) : ''
  return button(card, 'approve-for-thread', 'Approve for this thread', {
    confirm: {
      title: label('Approve for this thread?', 100),
      text: label(`This call runs, and ${spared} will not be asked about in this conversation.`, limits.confirmText),
      confirm: label('Approve them', 30),
      deny: label('Back', 30),
    },
  })
}

function optionButtons(card: QuestionCard): Button[] {
  const numbered = hasLongOptions(card)
  return card.options.map((option, index) => {
    const words = oneLine(option, limits.buttonText)
    return {
      type: 'button',
      action_id: actionIdOf('option', index),
      text: label(numbered ? `${index + 1}. ${clip(words, limits.shownButtonText - 3)}` : words || `${index + 1}`),
      accessibility_label: clip(words, 75) || `Option ${index + 1}`,
      value: buttonValue({ questionId: card.id, index }),
    }
  })
}

/** The menu or the boxes; nothing happens until the button below is pressed, for a thumb slips. */
function chooser(card: QuestionCard, several: boolean): KnownBlock {
  const action_id = actionIdOf('choose')
  const block_id = chooserBlockId(card.id)
  const options = optionsFor(card.options)
  if (several && options.length <= limits.checkboxOptions)
    return { type: 'actions', block_id, elements: [{ type: 'checkboxes', action_id, options }] }
  const type = several ? 'multi_static_select' : 'static_select'
  const placeholder = label(several ? 'Choose some' : 'Choose one', limits.placeholder)
  const element = { type, action_id, placeholder, ...grouped(options) } as const
  if (!several) return { type: 'actions', block_id, elements: [element as typeof element & { type: 'static_select' }] }
  // An actions block takes no menu for several; beside a section it stands well.
  return {
    type: 'section',
    block_id,
    text: label('Choose one or more:', limits.sectionText),
    accessory: element as typeof element & { type: 'multi_static_select' },
  }
}

export const chooserBlockId = (questionId: string): string => `qm:${questionId}:choose`

/** The value is the place in the list; what stands there is read when it is chosen. */
export const optionsFor = (options: readonly string[]): PlainTextOption[] =>
  options.map((option, index) => ({
    text: label(oneLine(option, limits.optionText) || `${index + 1}`, limits.optionText),
    value: String(index),
  }))

/** Slack takes 100 options in a menu, and 100 groups of them. */
export function grouped(
  options: PlainTextOption[],
): { options: PlainTextOption[] } | { option_groups: { label: PlainTextElement; options: PlainTextOption[] }[] } {
  if (options.length <= limits.selectOptions) return { options }
  const groups: { label: PlainTextElement; options: PlainTextOption[] }[] = []
  for (let start = 0; start < options.length && groups.length < limits.optionGroups; start += limits.selectOptions) {
    const part = options.slice(start, start + limits.selectOptions)
    groups.push({ label: label(`${start + 1}–${start + part.length}`, limits.optionText), options: part })
  }
  return { option_groups: groups }
}
