// Who answers a question, how many must, and what silence means.
//
// Each field comes from the rule that asks, else from the agent, else from the workspace, else from here. Where several
// ask rules match, each is filled in so, and then all of them must be satisfied at once:
//   approvers    whoever answers must be entitled by every one of them (`allOf`)
//   required     the highest number
//   expiry       the soonest; silence denies if it denies by any of them; whoever is asked next, by every one of them
//   lease        none if any offers none, else the fewest uses and the shortest time
//   mayEdit      only if all of them let the arguments be edited
import type { ResolvedApproval } from './decision.ts'
import type { Approval, ApproverRule, Role } from './policy-config.ts'

const roles: readonly Role[] = ['viewer', 'member', 'approver', 'admin', 'owner']

const fallback: ResolvedApproval = {
  approvers: {},
  required: 1,
  onExpiry: 'deny',
  lease: { maxUses: 20, durationMs: 60 * 60 * 1000 },
  mayEdit: true,
}

/** `asking`: the approvals of the rules that ask; none where a hook, autonomy or taint does. The last layer wins least. */
export function resolveApproval(
  asking: readonly (Approval | undefined)[],
  ...layers: readonly (Approval | undefined)[]
): ResolvedApproval {
  const filled = (asking.length > 0 ? asking : [undefined]).map((approval) => fill([approval, ...layers]))
  return filled.reduce(strictest)
}

function fill(layers: readonly (Approval | undefined)[]): ResolvedApproval {
  const filled: Record<string, unknown> = { ...fallback }
  for (const layer of layers.toReversed())
    for (const [key, value] of Object.entries(layer ?? {})) if (value !== undefined) filled[key] = value
  return filled as unknown as ResolvedApproval
}

function strictest(a: ResolvedApproval, b: ResolvedApproval): ResolvedApproval {
  const expiries = [a.expiresInMs, b.expiresInMs].filter((ms) => ms !== undefined)
  const escalates = a.onExpiry === 'escalate' && b.onExpiry === 'escalate'
  const escalateTo = [a.escalateTo, b.escalateTo].filter((rule) => rule !== undefined)
  return {
    approvers: both(a.approvers, b.approvers),
    required: Math.max(a.required, b.required),
    ...(expiries.length > 0 && { expiresInMs: Math.min(...expiries) }),
    onExpiry: escalates ? 'escalate' : 'deny',
    ...(escalates && escalateTo.length > 0 && { escalateTo: escalateTo.reduce(both) }),
    lease:
      a.lease && b.lease
        ? {
            maxUses: Math.min(a.lease.maxUses, b.lease.maxUses),
            durationMs: Math.min(a.lease.durationMs, b.lease.durationMs),
          }
        : false,
    mayEdit: a.mayEdit && b.mayEdit,
  }
}

function both(a: ApproverRule, b: ApproverRule): ApproverRule {
  if (JSON.stringify(a) === JSON.stringify(b)) return a
  return { ...a, allOf: [...(a.allOf ?? []), b] }
}

export interface Person {
  memberId: string
  role: Role
  /** They asked the agent for what it wants to do. */
  requester: boolean
}

/** Whether this person may answer. The one place that reads an approver rule. */
export function mayAnswer(rule: ApproverRule, person: Person): boolean {
  if (rule.notRequester && person.requester) return false
  if (rule.allOf && !rule.allOf.every((other) => mayAnswer(other, person))) return false
  const named = rule.requester || rule.roles !== undefined || rule.memberIds !== undefined
  if (!named) return rank(person.role) >= rank('approver')
  if (rule.requester && person.requester) return true
  if (rule.memberIds?.includes(person.memberId)) return true
  return rule.roles?.some((role) => rank(person.role) >= rank(role)) ?? false
}

const rank = (role: Role): number => roles.indexOf(role)
