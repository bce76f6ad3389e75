// What a question's card shows and offers, as it stands in questions.prompt. Whoever asks writes it (the bot's
// ask-about-call.ts and ask-for-tool.ts); this is the reading side, which must cope with whatever is there: what cannot be
// read is not shown, and what is not plainly offered is not offered.
import { z } from 'zod'

export interface LeaseOffer {
  maxUses: number
  durationMs: number
  /** Which calls it speaks for: a key that they share, and what they are calls of in words. */
  scope: LeaseScope
}

export interface LeaseScope {
  key: string
  words: string
}

/** Where nobody said: a key that no call of a tool with scopes has. */
const wholeTool: LeaseScope = { key: '', words: 'this tool' }

export interface QuestionTab {
  title: string
  question: string
  options?: string[] | undefined
  multiple?: boolean | undefined
}

export interface QuestionPrompt {
  title: string
  body: string | null
  facts: { label: string; value: string }[]
  diff: { path: string; before: string; after: string } | null
  /** The people, addresses or hosts that are reached. */
  recipients: string[]
  options: string[]
  tabs: QuestionTab[]
  tool: string | null
  effect: string | null
  /** "Approve for this thread". */
  lease: LeaseOffer | null
  /** "Edit…". */
  mayEdit: boolean
  /** What a plan is made of. */
  data?: unknown
}

const text = z.string()
const tab = z.object({
  title: text,
  question: text,
  options: z.array(text).optional(),
  multiple: z.boolean().optional(),
})
const shape = z.object({
  title: text.catch('Something needs an answer'),
  body: text.nullable().catch(null),
  facts: z.array(z.object({ label: text, value: text })).catch([]),
  diff: z.object({ path: text, before: text, after: text }).nullable().catch(null),
  recipients: z.array(text).catch([]),
  options: z.array(text).catch([]),
  tabs: z.array(tab).catch([]),
  tool: text.nullable().catch(null),
  effect: text.nullable().catch(null),
  lease: z
    .object({ maxUses: z.int().min(1), durationMs: z.int().min(1) })
    .nullable()
    .catch(null),
  leaseScope: z.object({ key: text, words: text }).catch(wholeTool),
  mayEdit: z.boolean().catch(false),
  data: z.unknown().optional(),
})

export function parsePrompt(json: unknown): QuestionPrompt {
  const isObject = typeof json === 'object' && json !== null && !Array.isArray(json)
  const { leaseScope, lease, ...prompt } = shape.parse(isObject ? json : {})
  return { ...prompt, lease: lease && { ...lease, scope: leaseScope } }
}

/** The answers to a question about a budget, where it does not name others: the first one of money. */
export const budgetAnswers = ['+$2', 'Finish up', 'Stop'] as const
/** The first one where it is a budget of tokens. */
export const moreTokens = '+1M tokens'

/** What can be chosen from; empty where the answer is written, or is a yes or no. */
export function optionsOf(kind: string, prompt: QuestionPrompt): readonly string[] {
  if (kind === 'budget' && prompt.options.length === 0) return budgetAnswers
  return kind === 'choice' || kind === 'multi_choice' || kind === 'budget' ? prompt.options : []
}
