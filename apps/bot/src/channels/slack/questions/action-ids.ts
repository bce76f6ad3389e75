// What our buttons, menus and forms are called, so that a click can be told apart from others. The value of a button is
// the question's id and, where there are options, an index; what it means is read from the database when it is clicked.

const prefix = 'qm'

export const feedbackActionId = `${prefix}:feedback`

/** What can be done on a card, as the part of an action id behind the prefix. */
export const cardActions = [
  'approve',
  'approve-for-thread',
  'deny',
  'deny-with-reason',
  'edit',
  'show-all',
  'option',
  'choose',
  'submit-choice',
  'open-choice',
  'write',
  'fill-in',
  'decline',
] as const

export type CardAction = (typeof cardActions)[number]

/** Several of one kind in a block need ids of their own: `index` makes them different. */
export const actionIdOf = (action: CardAction, index?: number): string =>
  index === undefined ? `${prefix}:card:${action}` : `${prefix}:card:${action}:${index}`

/** Null: none of ours. */
export function parseActionId(actionId: string): CardAction | null {
  const [start, card, action] = actionId.split(':')
  if (start !== prefix || card !== 'card') return null
  return cardActions.find((one) => one === action) ?? null
}

/** Forms, by what is submitted with them. */
export const formKinds = ['edit', 'deny', 'write', 'choice', 'fill-in', 'notice'] as const

export type FormKind = (typeof formKinds)[number]

export const callbackIdOf = (kind: FormKind): string => `${prefix}:form:${kind}`

export function parseCallbackId(callbackId: string): FormKind | null {
  const [start, form, kind] = callbackId.split(':')
  if (start !== prefix || form !== 'form') return null
  return formKinds.find((one) => one === kind) ?? null
}

/** What a button stands for. The digest says which arguments its card showed: others cannot be approved by it. */
export interface ButtonValue {
  questionId: string
  index: number | null
  digest: string | null
}

export const buttonValue = ({ questionId, index, digest }: Partial<ButtonValue> & { questionId: string }): string =>
  `${questionId} ${index ?? '-'} ${digest ?? '-'}`

/** Null: none of ours. */
export function parseButtonValue(value: string | undefined): ButtonValue | null {
  const [questionId, index, digest] = (value ?? '').split(' ')
  if (!questionId || !index || !digest) return null
  const number = index === '-' ? null : Number(index)
  if (number !== null && (!Number.isInteger(number) || number < 0)) return null
  return { questionId, index: number, digest: digest === '-' ? null : digest }
}
