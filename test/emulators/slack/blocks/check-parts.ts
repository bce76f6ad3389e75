// The composition objects: texts, options, confirmation dialogs.
import type { Json } from '../model.ts'
import type { Problems } from './problems.ts'

export type TextType = 'plain_text' | 'mrkdwn'

export function checkText(
  problems: Problems,
  at: string,
  value: unknown,
  { max = 3000, types = ['plain_text'] as readonly TextType[], required = false } = {},
): void {
  const text = problems.object(at, value, required)
  if (!text) return
  if (!types.includes(text.type as TextType)) problems.add(`${at}/type`, `unsupported type: ${text.type}`)
  problems.string(`${at}/text`, text.text, { min: 1, max, required: true })
}

export const anyText: readonly TextType[] = ['plain_text', 'mrkdwn']

export function checkConfirm(problems: Problems, at: string, value: unknown): void {
  const confirm = problems.object(at, value)
  if (!confirm) return
  checkText(problems, `${at}/title`, confirm.title, { max: 100, required: true })
  checkText(problems, `${at}/text`, confirm.text, { max: 300, types: anyText, required: true })
  checkText(problems, `${at}/confirm`, confirm.confirm, { max: 30, required: true })
  checkText(problems, `${at}/deny`, confirm.deny, { max: 30, required: true })
  problems.oneOf(`${at}/style`, confirm.style, ['primary', 'danger'])
}

function checkOption(problems: Problems, at: string, value: unknown, types: readonly TextType[]): void {
  const option = problems.object(at, value, true)
  if (!option) return
  checkText(problems, `${at}/text`, option.text, { max: 75, types, required: true })
  problems.string(`${at}/value`, option.value, { min: 1, max: 75, required: true })
  if (option.description !== undefined) checkText(problems, `${at}/description`, option.description, { max: 75, types })
}

export interface OptionLimits {
  max: number
  min?: number
  types?: readonly TextType[]
  required?: boolean
}

export function checkOptions(
  problems: Problems,
  at: string,
  value: unknown,
  { max, min = 1, types = ['plain_text'], required = true }: OptionLimits,
): void {
  const options = problems.list(at, value, { min, max, required })
  options.forEach((option, index) => {
    checkOption(problems, `${at}/${index}`, option, types)
  })
}

/** What is chosen at first must be one of the options, to the letter. */
export function checkInitial(problems: Problems, at: string, initial: unknown, options: readonly unknown[]): void {
  if (initial === undefined) return
  if (typeof initial !== 'object' || initial === null) return void problems.add(at, 'must provide an object')
  const same = (option: unknown) => JSON.stringify(sorted(option)) === JSON.stringify(sorted(initial))
  if (!options.some(same)) problems.add(at, 'must match one of the options')
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value as Json)
      .filter(([key]) => key !== 'emoji' && key !== 'verbatim')
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
