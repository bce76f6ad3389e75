/** What stands in a field: a text, or the places of what was chosen in the list that was offered. */
export interface FieldValue {
  text: string | null
  indexes: number[]
}

interface SlackState {
  value?: string | null
  selected_option?: { value?: string } | null
  selected_options?: { value?: string }[] | null
}

/** Of one element, as Slack sends it. */
export function readValue(state: SlackState | undefined): FieldValue {
  const chosen = state?.selected_options ?? (state?.selected_option ? [state.selected_option] : [])
  const indexes = chosen.map(({ value }) => Number(value)).filter((index) => Number.isInteger(index) && index >= 0)
  return { text: state?.value ?? null, indexes }
}

/** Of a block that has one element. */
export function valueIn(values: Record<string, Record<string, unknown>> | undefined, blockId: string): FieldValue {
  const elements = values && Object.hasOwn(values, blockId) ? values[blockId] : undefined
  return readValue(Object.values(elements ?? {})[0] as SlackState | undefined)
}
