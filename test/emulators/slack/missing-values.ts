import type { Block, Json, OpenView } from './model.ts'

/** What Slack's client itself does not let people send. */
export function missingValues(view: OpenView): Record<string, string> {
  const errors: Record<string, string> = {}
  for (const block of view.view.blocks as Block[]) {
    if (block.type !== 'input') continue
    const id = String(block.block_id)
    const element = block.element as Json
    const { type: _, ...state } = view.values[id]?.[String(element.action_id)] ?? {}
    const [value] = Object.values(state)
    const empty = value === undefined || value === null || value === '' || (Array.isArray(value) && !value.length)
    if (empty && !block.optional) errors[id] = 'Please complete this required field.'
    if (empty || typeof value !== 'string') continue
    if (value.length < Number(element.min_length ?? 0))
      errors[id] = `Must be at least ${element.min_length} characters.`
    if (value.length > Number(element.max_length ?? 3000))
      errors[id] = `Must be at most ${element.max_length ?? 3000} characters.`
    if (element.type !== 'number_input') continue
    const number = Number(value)
    if (Number.isNaN(number) || (!element.is_decimal_allowed && !Number.isInteger(number)))
      errors[id] = 'Please enter a number.'
    if (number < Number(element.min_value ?? -Infinity) || number > Number(element.max_value ?? Infinity))
      errors[id] = 'This number is out of range.'
  }
  return errors
}
