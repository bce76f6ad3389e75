// Who answers a question, how many must, and what silence means.
//
// Each field comes from the rule that asks, else from the agent, else from the workspace, else from here. Where several
// ask rules match, each is filled in so, and then all of them must be satisfied at once:
//   approvers    whoever answers must be entitled by every one of them
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
  const first = <K extends keyof Approval>(key: K): Approval[K] =>
    layers.find((layer) => layer?.[key] !== undefined)?.[key]
  const expiresInMs = first('expiresInMs')
  // What silence means and who is asked next belong together, and come from the same place.
  const silence = layers.find((layer) => layer?.onExpiry !== undefined)
  const escalateTo = silence?.onExpiry === 'escalate' ? silence.escalateTo : undefined
  return {
    approvers: first('approvers') ?? fallback.approvers,
    required: first('required') ?? fallback.required,
    ...(expiresInMs !== undefined && { expiresInMs }),
    onExpiry: escalateTo ? 'escalate' : 'deny',
    ...(escalateTo && { escalateTo }),
    lease: first('lease') ?? fallback.lease,
    mayEdit: first('mayEdit') ?? fallback.mayEdit,
  }
}

function strictest(a: ResolvedApproval, b: ResolvedApproval): ResolvedApproval {
  const expiries = [a.expiresInMs, b.expiresInMs].filter((ms) => ms !== undefined)
  const escalateTo = a.escalateTo && b.escalateTo ? bothOf(a.escalateTo, b.escalateTo) : undefined
  return {
    approvers: bothOf(a.approvers, b.approvers),
    required: Math.max(a.required, b.required),
    ...(expiries.length > 0 && { expiresInMs: Math.min(...expiries) }),
    onExpiry: escalateTo ? 'escalate' : 'deny',
    ...(escalateTo && { escalateTo }),
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

/**
 * Entitles exactly those whom both entitle. Where one plain rule says that, it is one (roles from admin on, and roles
 * from approver on: from admin on); otherwise one rule with the other in `allOf`.
 */
export function bothOf(a: ApproverRule, b: ApproverRule): ApproverRule {
  const notRequester = a.notRequester || b.notRequester ? { notRequester: true } : {}
  const [one, other] = [termsOf(a), termsOf(b)]
  if (!a.allOf && !b.allOf && absorbs(one, other) && absorbs(other, one)) {
    const from = Math.max(one.from, other.from)
    const memberIds = one.memberIds.filter((id) => other.memberIds.includes(id))
    const requester = one.requester && other.requester
    const rule = {
      ...(requester && { requester }),
      ...(from < nobody && { roles: [roles[from]!] }),
      ...(memberIds.length > 0 && { memberIds }),
    }
    // A rule that names nobody would mean the approvers.
    if (Object.keys(rule).length > 0) return { ...rule, ...notRequester }
  }
  const { allOf = [], ...rest } = a
  return { ...rest, allOf: [...allOf, b] }
}

const nobody = roles.length

/** An approver rule is: the requester, or whoever has this rank, or one of these. */
function termsOf(rule: ApproverRule): { requester: boolean; from: number; memberIds: readonly string[] } {
  const named = rule.requester || rule.roles !== undefined || rule.memberIds !== undefined
  const needed = rule.roles ?? (named ? [] : (['approver'] as const))
  return {
    requester: rule.requester === true,
    from: Math.min(nobody, ...needed.map((role) => roles.indexOf(role))),
    memberIds: rule.memberIds ?? [],
  }
}

type Terms = ReturnType<typeof termsOf>

/** Whether nobody is entitled by one term of `a` and another kind of term of `b` alone. */
function absorbs(a: Terms, b: Terms): boolean {
  const roleSettles = a.from <= b.from
  const requesterAndRole = !a.requester || b.from === nobody || b.requester || roleSettles
  const memberAndRole = b.from === nobody || roleSettles || a.memberIds.every((id) => b.memberIds.includes(id))
  const requesterAndMember = !a.requester || b.requester || b.memberIds.every((id) => a.memberIds.includes(id))
  return requesterAndRole && memberAndRole && requesterAndMember
}
