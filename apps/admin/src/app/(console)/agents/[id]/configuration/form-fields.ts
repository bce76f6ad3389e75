// The configuration as the fields of a form: texts as they are typed, and back. Only fields that the person touched are
// sent, so two people who change different things do not undo each other's.
import type { AgentConfiguration } from '@quartermaster/db'

export interface FormFields {
  model: string
  provider: string
  instructions: string
  profile: string
  autonomy: AgentConfiguration['autonomy']
  toolsAllow: string
  toolsDeny: string
  approvers: AgentConfiguration['approvers']
  approvalsRequired: string
  perRunUsd: string
  perDayUsd: string
  perPersonDayUsd: string
  maxSteps: string
  perRunTokens: string
  perDayTokens: string
  perPersonDayTokens: string
}

const budgetFields = [
  ...(['perRunUsd', 'perDayUsd', 'perPersonDayUsd', 'maxSteps'] as const),
  ...(['perRunTokens', 'perDayTokens', 'perPersonDayTokens'] as const),
] as const
export type BudgetField = (typeof budgetFields)[number]

export function toFields(configuration: AgentConfiguration): FormFields {
  const { model, provider, instructions, profile, autonomy, approvers, approvalsRequired, budgets } = configuration
  const budget = (name: BudgetField) => budgets[name]?.toString() ?? ''
  return {
    ...{ model, provider, instructions, profile, autonomy, approvers },
    toolsAllow: configuration.toolsAllow.join('\n'),
    toolsDeny: configuration.toolsDeny.join('\n'),
    approvalsRequired: approvalsRequired?.toString() ?? '',
    perRunUsd: budget('perRunUsd'),
    perDayUsd: budget('perDayUsd'),
    perPersonDayUsd: budget('perPersonDayUsd'),
    maxSteps: budget('maxSteps'),
    perRunTokens: budget('perRunTokens'),
    perDayTokens: budget('perDayTokens'),
    perPersonDayTokens: budget('perPersonDayTokens'),
  }
}

/** `edits`: what was touched; `fields`: all of them with it. What is no number is sent as it is, for the server to refuse. */
export function toChange(edits: Partial<FormFields>, fields: FormFields): Partial<AgentConfiguration> {
  const change: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(edits)) {
    if (name === 'toolsAllow' || name === 'toolsDeny') change[name] = toPatterns(value as string)
    else if (name === 'approvalsRequired') change[name] = value === '' ? null : toNumber(value as string)
    else if ((budgetFields as readonly string[]).includes(name))
      change.budgets = Object.fromEntries(
        budgetFields.flatMap((budget) => (fields[budget].trim() ? [[budget, toNumber(fields[budget])]] : [])),
      )
    else change[name] = typeof value === 'string' && name !== 'instructions' ? value.trim() : value
  }
  return change
}

/** One a line, or with commas or spaces between them. */
export const toPatterns = (text: string): string[] => [...new Set(text.split(/[\s,]+/).filter(Boolean))]

function toNumber(text: string): number | string {
  // "2,000,000" as people write it.
  const number = Number(
    text
      .trim()
      .replace(/^\$/, '')
      .replace(/(?<=\d),(?=\d{3}(?!\d))/g, ''),
  )
  return text.trim() === '' || Number.isNaN(number) ? text : number
}

export const isSameValue = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other)
