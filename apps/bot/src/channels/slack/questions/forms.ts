// The forms behind a card's buttons. What a form is about stands in its private_metadata: ids only, for what counts is
// read again when it is submitted.
import type { QuestionCard, QuestionTab } from '@quartermaster/db'
import type { InputBlock, KnownBlock, ModalView } from '@slack/types'
import { limits } from '../limits.ts'
import { clip } from '../render/clip.ts'
import { grouped, label, optionsFor } from '../render/render-controls.ts'
import { bold, code, lines, oneLine, words } from '../render/rich-text.ts'
import { callbackIdOf, type FormKind } from './action-ids.ts'

/** Where the form was opened from, to tell the person something there. */
export interface FormContext {
  questionId: string
  digest: string | null
  channel: string | null
  threadTs: string | null
}

export const valueActionId = 'value'

const view = (
  kind: FormKind,
  title: string,
  blocks: KnownBlock[],
  submit: string | null,
  context?: FormContext,
): ModalView => ({
  type: 'modal',
  callback_id: callbackIdOf(kind),
  title: label(title, limits.viewTitle),
  close: label(submit ? 'Back' : 'Close', limits.viewTitle),
  ...(submit ? { submit: label(submit, limits.viewTitle) } : {}),
  ...(context ? { private_metadata: JSON.stringify(context) } : {}),
  blocks,
})

export const modal = view

/** What a form says of its question, so that it can be answered without going back. */
const about = (card: QuestionCard): KnownBlock => lines([[bold(oneLine(card.title, 1_000))]])

export function denyForm(card: QuestionCard, context: FormContext): ModalView {
  const reason: InputBlock = {
    type: 'input',
    block_id: 'reason',
    label: label('Why not? The agent reads it.', limits.inputLabel),
    element: { type: 'plain_text_input', action_id: valueActionId, multiline: true, max_length: 2_000 },
  }
  return view('deny', 'Deny with reason', [about(card), reason], 'Deny', context)
}

export function writeForm(card: QuestionCard, context: FormContext): ModalView {
  const answer: InputBlock = {
    type: 'input',
    block_id: 'answer',
    label: label('Your answer', limits.inputLabel),
    element: {
      type: 'plain_text_input',
      action_id: valueActionId,
      multiline: true,
      max_length: limits.plainTextInput,
    },
  }
  return view('write', 'Your answer', [about(card), answer], 'Answer', context)
}

/** For options that a message has no room for. */
export function choiceForm(card: QuestionCard, context: FormContext): ModalView {
  const several = card.kind === 'multi_choice'
  const choice: InputBlock = {
    type: 'input',
    block_id: 'choice',
    label: label(several ? 'Choose one or more' : 'Choose one', limits.inputLabel),
    element: chooserField(card.options, several),
  }
  return view('choice', 'Choose', [about(card), choice], 'Answer', context)
}

/** One field a tab. */
export function fillInForm(card: QuestionCard, context: FormContext): ModalView {
  const fields = card.tabs.slice(0, limits.viewBlocks - 1).map(tabField)
  return view('fill-in', 'Answer', [about(card), ...fields], 'Answer', context)
}

export const tabBlockId = (index: number): string => `tab:${index}`

function tabField({ title, question, options, multiple }: QuestionTab, index: number): InputBlock {
  return {
    type: 'input',
    block_id: tabBlockId(index),
    label: label(oneLine(title, 200) || `Question ${index + 1}`, limits.inputLabel),
    ...(question.trim() ? { hint: label(oneLine(question, limits.inputHint), limits.inputHint) } : {}),
    element: options
      ? chooserField(options, multiple ?? false)
      : { type: 'plain_text_input', action_id: valueActionId, multiline: true, max_length: limits.plainTextInput },
  }
}

function chooserField(choices: readonly string[], several: boolean): InputBlock['element'] {
  const action_id = valueActionId
  const options = optionsFor(choices)
  if (options.length <= limits.checkboxOptions)
    return { type: several ? 'checkboxes' : 'radio_buttons', action_id, options }
  return several
    ? { type: 'multi_static_select', action_id, ...grouped(options) }
    : { type: 'static_select', action_id, ...grouped(options) }
}

/** The arguments in full, exactly as they would be used. */
export function showAllView(card: QuestionCard, consoleUrl: string | null): ModalView {
  const json = JSON.stringify(card.arguments, null, 2) ?? 'null'
  const shown = json.slice(0, limits.shownArguments)
  const blocks: KnownBlock[] = [lines([[bold(oneLine(card.tool ?? 'The tool', 200)), words(' with these arguments:')]])]
  for (const part of cut(shown, limits.sectionText)) blocks.push(code(part, limits.sectionText * 8))
  if (shown.length < json.length) {
    const where = consoleUrl
      ? `The rest is in the console: ${consoleUrl}/approvals/${card.id}`
      : 'The rest is in the console.'
    blocks.push(lines([[words(`Only the first ${shown.length} of ${json.length} characters. ${where}`)]]))
  }
  const trace = consoleUrl ? [lines([[words(`All that led here: ${consoleUrl}/runs/${card.runId}`)]])] : []
  return view('notice', 'All arguments', [...blocks.slice(0, limits.viewBlocks - 1), ...trace], null)
}

/** A sentence for the person alone, where no message can be shown to them. */
export const noticeView = (sentence: string): ModalView =>
  view('notice', 'Quartermaster', [lines([[words(clip(sentence, limits.sectionText))]])], null)

/** At line breaks where there are any. */
function cut(text: string, length: number): string[] {
  const parts: string[] = []
  for (let rest = text; rest; ) {
    const end = rest.length <= length ? rest.length : rest.lastIndexOf('\n', length) + 1 || length
    parts.push(rest.slice(0, end).replace(/\n$/, ''))
    rest = rest.slice(end)
  }
  return parts
}
