// What a version changes, as it is read: a heading for each thing that differs, and under it what goes and what comes.
import type { AgentChange } from '@quartermaster/db'
import { compareLines, type DiffLine, shortenLines } from '../components/compare-lines.ts'

export interface ChangeBlock {
  head: string
  lines: DiffLine[]
}

const heads: Record<string, string> = {
  model: 'Model',
  provider: 'Provider',
  instructions: 'Instructions',
  profile: 'Profile',
  autonomy: 'Autonomy',
  approvers: 'Who may approve',
  approvalsRequired: 'How many must approve',
  budgets: 'Budgets',
  toolsAllow: 'Allowed patterns',
  toolsDeny: 'Denied patterns',
}

/** `nameOf`: how a tool is called whose id a version has. `memberOf`: the name of a member. */
export function describeChanges(
  changes: readonly AgentChange[],
  names: { nameOf(toolId: string): string; memberOf(memberId: string): string },
): ChangeBlock[] {
  return changes.map((change) => {
    if (change.kind === 'list')
      return {
        head: heads[change.field] ?? change.field,
        lines: [
          ...change.removed.map((text) => ({ sign: '-' as const, text })),
          ...change.added.map((text) => ({ sign: '+' as const, text })),
        ],
      }
    if (change.kind === 'tool') {
      const verb = !change.before ? 'Attached' : !change.after ? 'Detached' : 'Configuration of'
      return { head: `${verb} ${names.nameOf(change.toolId)}`, lines: toolLines(change, names.nameOf(change.toolId)) }
    }
    const lines = (value: unknown) => describeValue(change.field, value, names.memberOf)
    const both = compareLines(lines(change.before), lines(change.after))
    return {
      head: heads[change.field] ?? change.field,
      lines: change.field === 'instructions' ? shortenLines(both) : both,
    }
  })
}

function toolLines({ before, after }: Extract<AgentChange, { kind: 'tool' }>, name: string): ChangeBlock['lines'] {
  const lines = (attachment: typeof before) =>
    attachment
      ? [name, ...Object.entries(attachment.config ?? {}).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`)]
      : []
  return compareLines(lines(before), lines(after))
}

function describeValue(field: string, value: unknown, memberOf: (id: string) => string): string[] {
  if (field === 'instructions') return value === '' ? [] : String(value).split('\n')
  if (field === 'budgets') return describeBudgets(value as Record<string, number>)
  if (field === 'approvers') return describeApprovers(value as ApproverRule, memberOf)
  if (field === 'approvalsRequired') return [value === null ? 'as the workspace says' : `${value}`]
  return [String(value)]
}

const budgetWords: Record<string, (amount: number) => string> = {
  perRunUsd: (amount) => `$${amount} a run`,
  perDayUsd: (amount) => `$${amount} a day`,
  perPersonDayUsd: (amount) => `$${amount} a person and day`,
  maxSteps: (amount) => `${amount} steps a run`,
  perRunTokens: (amount) => `${amount.toLocaleString('en-US')} tokens a run`,
  perDayTokens: (amount) => `${amount.toLocaleString('en-US')} tokens a day`,
  perPersonDayTokens: (amount) => `${amount.toLocaleString('en-US')} tokens a person and day`,
}
const describeBudgets = (budgets: Record<string, number>) =>
  Object.entries(budgetWords).flatMap(([name, say]) => (budgets[name] === undefined ? [] : [say(budgets[name])]))

interface ApproverRule {
  requester?: boolean
  notRequester?: boolean
  roles?: readonly string[]
  memberIds?: readonly string[]
  allOf?: readonly ApproverRule[]
}

/** A line for each thing that an approver rule says. */
export function describeApprovers(rule: ApproverRule, memberOf: (id: string) => string): string[] {
  if (!Object.keys(rule).length) return ['as the workspace says']
  return [
    ...(rule.requester ? ['whoever asked for it'] : []),
    ...(rule.roles ?? []).map((role) => `role ${role} or higher`),
    ...(rule.memberIds ?? []).map((id) => memberOf(id)),
    ...(rule.notRequester ? ['never the person who asked'] : []),
    ...(rule.allOf ?? []).map((other) => `and also: ${describeApprovers(other, memberOf).join(', ')}`),
  ]
}
