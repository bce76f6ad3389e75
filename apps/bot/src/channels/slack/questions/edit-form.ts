// The form behind "Edit…", made from the tool's input schema: a field for each argument. What a form cannot hold stays as
// it was, and the form says so; what is submitted is checked by the tool's schema and the policy like any call.
import type { QuestionCard } from '@quartermaster/db'
import type { InputBlock, KnownBlock, ModalView } from '@slack/types'
import { limits } from '../limits.ts'
import { clip } from '../render/clip.ts'
import { grouped, label, optionsFor } from '../render/render-controls.ts'
import { bold, lines, oneLine, words } from '../render/rich-text.ts'
import { type FormContext, modal, valueActionId } from './forms.ts'
import type { FieldValue } from './read-values.ts'

/** How an argument is shown, and how what is written is read. `kept`: it is too long for a field. */
export interface EditField {
  name: string
  kind: 'text' | 'number' | 'integer' | 'choice' | 'boolean' | 'json' | 'kept'
  required: boolean
  description: string
  choices: readonly unknown[]
}

type Values = Readonly<Record<string, unknown>>

/** Beside these a view holds its head; the arguments of hardly any tool are more. */
const mostFields = 60
/** Where the whole of the arguments is one field. */
const allArguments = '\0all'

export function editFields(card: Pick<QuestionCard, 'inputSchema' | 'arguments'>): EditField[] {
  const schema = asObject(card.inputSchema)
  const properties = asObject(schema?.properties)
  const values = asObject(card.arguments)
  if (!properties || !values) return [field(allArguments, {}, false, card.arguments, true)]
  const required = Array.isArray(schema?.required) ? schema.required : []
  return Object.entries(properties)
    .slice(0, mostFields)
    .map(([name, property]) =>
      field(
        name,
        asObject(property) ?? {},
        required.includes(name),
        Object.hasOwn(values, name) ? values[name] : undefined,
      ),
    )
}

function field(name: string, schema: Values, required: boolean, value: unknown, whole = false): EditField {
  const choices = Array.isArray(schema.enum) ? schema.enum : []
  const description = typeof schema.description === 'string' ? schema.description : ''
  const about = { name, required: required || whole, description, choices }
  const kind = kindOf(schema, value, choices)
  const length = writtenOf(kind, value)?.length ?? 0
  return { ...about, kind: length > limits.plainTextInput ? 'kept' : kind }
}

/** A value that does not have the kind of its schema is shown as JSON: it must not change by being shown. */
function kindOf({ type }: Values, value: unknown, choices: readonly unknown[]): EditField['kind'] {
  const isOf = (kind: string) => value === undefined || typeof value === kind
  if (choices.length && choices.length <= limits.selectOptions)
    return value === undefined || choices.includes(value) ? 'choice' : 'json'
  // Slack trims nothing, but shows no carriage return; such a text is shown as JSON as well.
  if (type === 'string' && isOf('string')) return typeof value === 'string' && value.includes('\r') ? 'json' : 'text'
  if ((type === 'number' || type === 'integer') && isOf('number')) return type
  if (type === 'boolean' && isOf('boolean')) return 'boolean'
  return 'json'
}

function writtenOf(kind: EditField['kind'], value: unknown): string | undefined {
  if (value === undefined) return undefined
  return kind === 'text' ? String(value) : kind === 'json' ? JSON.stringify(value, null, 2) : undefined
}

export function editForm(card: QuestionCard, context: FormContext): ModalView {
  const values = asObject(card.arguments) ?? {}
  const blocks: KnownBlock[] = [
    lines([
      [bold(oneLine(card.title, 1_000))],
      [words('What you write is checked like a call of the agent, and runs instead of its own.')],
    ]),
    ...editFields(card).map((each, index) =>
      fieldBlock(each, index, each.name === allArguments ? card.arguments : own(values, each.name)),
    ),
  ]
  return modal('edit', 'Edit and approve', blocks, 'Approve as edited', context)
}

export const editBlockId = (index: number): string => `arg:${index}`

const titleOf = ({ name }: EditField) => (name === allArguments ? 'Arguments (JSON)' : oneLine(name, 200))

function fieldBlock(each: EditField, index: number, value: unknown): KnownBlock {
  if (each.kind === 'kept')
    return lines([[bold(titleOf(each)), words(' is too long to be edited here, and stays as it is.')]])
  const hint = [each.description, each.kind === 'json' ? 'As JSON.' : ''].filter(Boolean).join(' ')
  return {
    type: 'input',
    block_id: editBlockId(index),
    label: label(titleOf(each), limits.inputLabel),
    optional: !each.required || each.kind === 'text',
    ...(hint ? { hint: label(oneLine(hint, 300), limits.inputHint) } : {}),
    element: elementOf(each, value),
  }
}

function elementOf(each: EditField, value: unknown): InputBlock['element'] {
  const action_id = valueActionId
  switch (each.kind) {
    case 'choice':
    case 'boolean': {
      const options = optionsFor(choicesOf(each).map(shownChoice))
      const chosen = options[choicesOf(each).indexOf(value)]
      const initial = chosen ? { initial_option: chosen } : {}
      return { type: 'static_select', action_id, ...grouped(options), ...initial }
    }
    case 'number':
    case 'integer': {
      const initial = value === undefined ? {} : { initial_value: String(value) }
      return { type: 'number_input', action_id, is_decimal_allowed: each.kind === 'number', ...initial }
    }
    default: {
      const written = writtenOf(each.kind, value)
      return {
        type: 'plain_text_input',
        action_id,
        multiline: each.kind === 'json' || (written ?? '').length > 60 || (written ?? '').includes('\n'),
        max_length: limits.plainTextInput,
        ...(written ? { initial_value: written } : {}),
      }
    }
  }
}

const choicesOf = ({ kind, choices }: EditField): readonly unknown[] => (kind === 'boolean' ? [true, false] : choices)

const shownChoice = (choice: unknown) =>
  choice === true ? 'yes' : choice === false ? 'no' : typeof choice === 'string' ? choice : JSON.stringify(choice)

export type EditedArguments = { ok: true; arguments: unknown } | { ok: false; errors: Record<string, string> }

/** What was written as arguments; errors by the block that they belong to. */
export function readEdited(
  card: Pick<QuestionCard, 'inputSchema' | 'arguments'>,
  written: (blockId: string) => FieldValue,
): EditedArguments {
  const errors: Record<string, string> = {}
  const edited = new Map(Object.entries(asObject(card.arguments) ?? {}))
  let whole: unknown
  for (const [index, each] of editFields(card).entries()) {
    if (each.kind === 'kept') {
      if (each.name === allArguments) whole = card.arguments
      continue
    }
    const read = readField(each, written(editBlockId(index)))
    if ('error' in read) errors[editBlockId(index)] = read.error
    else if (each.name === allArguments) whole = read.value
    else if (read.value === undefined) edited.delete(each.name)
    else edited.set(each.name, read.value)
  }
  if (Object.keys(errors).length) return { ok: false, errors }
  return { ok: true, arguments: whole === undefined ? Object.fromEntries(edited) : whole }
}

function readField(each: EditField, written: FieldValue): { value: unknown } | { error: string } {
  if (each.kind === 'choice' || each.kind === 'boolean')
    return { value: written.indexes.length ? choicesOf(each)[written.indexes[0] as number] : undefined }
  const text = written.text
  if (each.kind === 'text') return { value: text ?? (each.required ? '' : undefined) }
  if (text === null || text.trim() === '') return { value: undefined }
  if (each.kind === 'json') {
    try {
      return { value: JSON.parse(text) }
    } catch (error) {
      return { error: clip(`This is not JSON: ${(error as Error).message}`, 150) }
    }
  }
  const number = Number(text)
  if (!Number.isFinite(number) || (each.kind === 'integer' && !Number.isInteger(number)))
    return { error: each.kind === 'integer' ? 'Write a whole number.' : 'Write a number.' }
  return { value: number }
}

/** The problems that the tool's schema or the policy found, each beside the field that it names; else the first. */
export function problemsByField(
  card: Pick<QuestionCard, 'inputSchema' | 'arguments'>,
  problems: readonly string[],
): Record<string, string> {
  const shown = editFields(card)
    .map((each, index) => ({ ...each, blockId: editBlockId(index) }))
    .filter(({ kind }) => kind !== 'kept')
  const errors: Record<string, string> = {}
  for (const problem of problems) {
    const named = shown.filter(({ name }) => new RegExp(`(^|[^\\w])${escapeRegExp(name)}([^\\w]|$)`).test(problem))
    const blockId = (named[0] ?? shown[0])?.blockId
    if (blockId) errors[blockId] = clip(errors[blockId] ? `${errors[blockId]} ${problem}` : problem, 1_000)
  }
  return errors
}

const escapeRegExp = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

const own = (values: Values, name: string) => (Object.hasOwn(values, name) ? values[name] : undefined)

const asObject = (value: unknown): Values | null =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Values) : null
