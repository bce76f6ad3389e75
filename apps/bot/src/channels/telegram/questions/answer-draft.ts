import { type QuestionCard, readAnswerDraft, saveAnswerDraft } from '@quartermaster/db'
import type { ChatServices } from '../../../chat/chat-services.ts'

/** What a member has chosen on a card so far: one entry a tab of a form; a list of options is a single one. */
export type DraftValues = (string | string[] | null)[]

type DraftOf = { questionId: string; memberId: string }

export async function readDraft({ db }: ChatServices, of: DraftOf): Promise<DraftValues> {
  const value = await readAnswerDraft(db, of)
  return Array.isArray(value) ? value.map(readEntry) : []
}

export const saveDraft = ({ db }: ChatServices, of: DraftOf, value: DraftValues) =>
  saveAnswerDraft(db, { ...of, value })

function readEntry(entry: unknown): string | string[] | null {
  if (typeof entry === 'string') return entry
  return Array.isArray(entry) ? entry.filter((one) => typeof one === 'string') : null
}

/** The options at `tab` (of a plain list: its options), and whether several may be chosen. */
export function optionsAt(card: QuestionCard, tab: number): { options: readonly string[]; multiple: boolean } {
  if (card.kind !== 'form') return { options: card.options, multiple: card.kind === 'multi_choice' }
  const { options, multiple } = card.tabs[tab] ?? {}
  return { options: options ?? [], multiple: multiple ?? false }
}

/** The draft after an option was pressed: chosen, or not any more where several may be. */
export function toggled(card: QuestionCard, values: DraftValues, tab: number, index: number): DraftValues {
  const { options, multiple } = optionsAt(card, tab)
  const option = options[index]
  if (option === undefined) return values
  const next = [...values]
  while (next.length <= tab) next.push(null)
  if (!multiple) next[tab] = option
  else {
    const chosen = chosenAt(values, tab)
    // In the order in which they are offered, whatever the order of the clicks.
    next[tab] = options.filter((each) => (each === option ? !chosen.includes(each) : chosen.includes(each)))
  }
  return next
}

export function chosenAt(values: DraftValues, tab: number): readonly string[] {
  const entry = values[tab] ?? null
  return entry === null ? [] : typeof entry === 'string' ? [entry] : entry
}

/** The answer that a draft amounts to, as the question wants it. */
export function answerOf(card: QuestionCard, values: DraftValues): unknown {
  if (card.kind === 'form') return card.tabs.map((_, tab) => values[tab] ?? null)
  return chosenAt(values, 0)
}
