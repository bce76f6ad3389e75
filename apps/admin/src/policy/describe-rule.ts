// A rule, a layer, a condition in a line, as an owner would write it down.
import type { Approval, Condition, DraftRule } from '@quartermaster/db'

const quote = (value: unknown) => JSON.stringify(value)

/** `command matches "git push*"`. */
export function describeCondition(condition: Condition): string {
  const { path } = condition
  if ('not' in condition) return `not (${describeCondition(condition.not)})`
  if ('equals' in condition) return `${path} is ${quote(condition.equals)}`
  if ('oneOf' in condition) return `${path} is one of ${condition.oneOf.map(quote).join(', ')}`
  if ('glob' in condition) return `${path} matches ${quote(condition.glob)}`
  if ('command' in condition) return `${path} runs ${quote(condition.command)}`
  if ('host' in condition) return `${path} is at ${condition.host.join(', ')}`
  if ('under' in condition) return `${path} is under ${condition.under.join(', ')}`
  if ('max' in condition) return `${path} is at most ${condition.max}`
  return condition.present ? `${path} is given` : `${path} is not given`
}

export const describeConditions = (conditions: readonly Condition[]): string =>
  conditions.length ? ` where ${conditions.map(describeCondition).join(' and ')}` : ''

/** `ask: shell.exec where command runs "git push*"`. */
export const describeRule = (rule: Pick<DraftRule, 'decision' | 'pattern' | 'conditions'>): string =>
  `${rule.decision}: ${rule.pattern}${describeConditions(rule.conditions)}`

/** What differs from the usual, a phrase each. */
export function describeApproval(approval: Approval): string[] {
  const { approvers, required, expiresInMs, onExpiry, escalateTo, lease, mayEdit } = approval
  return [
    approvers && `answered by ${describeWho(approvers)}`,
    required && required > 1 && `${required} must approve`,
    expiresInMs && `expires after ${describeMs(expiresInMs)}`,
    onExpiry === 'escalate' && escalateTo && `then ${describeWho(escalateTo)} are asked`,
    onExpiry === 'deny' && 'silence denies',
    lease === false && 'never for a whole thread',
    lease && `for a thread at most ${lease.maxUses} times in ${describeMs(lease.durationMs)}`,
    mayEdit === false && 'not to be edited',
  ].filter((phrase) => typeof phrase === 'string')
}

function describeWho(who: NonNullable<Approval['approvers']>): string {
  const named = [
    ...(who.roles ?? []).map((role) => `${role}s`),
    ...(who.memberIds?.length
      ? [`${who.memberIds.length} named ${who.memberIds.length === 1 ? 'person' : 'people'}`]
      : []),
    ...(who.requester ? ['the requester'] : []),
  ]
  const all = (who.allOf ?? []).map(describeWho)
  const who1 = named.join(' or ') || (all.length ? '' : 'approvers')
  return [[who1, ...all].filter(Boolean).join(' and also '), who.notRequester && 'but not the requester']
    .filter(Boolean)
    .join(', ')
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1_000],
] as const

export function describeMs(ms: number): string {
  const [name, size] = units.find(([, length]) => ms >= length && ms % length === 0) ?? (['second', 1_000] as const)
  const count = Math.round(ms / size)
  return `${count} ${name}${count === 1 ? '' : 's'}`
}
