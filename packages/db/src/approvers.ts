// Who may answer a question. The rule stands in an agent's version, in a policy rule and, as it was when it was asked,
// in the question itself.
import { z } from 'zod'
import { atLeast, type Role, roles } from './roles.ts'

export interface Approvers {
  /** The person whose message started the run. A run that nobody asked for has none. */
  requester?: boolean | undefined
  /** Members with one of these roles, or a higher one. */
  roles?: readonly Role[] | undefined
  /** And these members, whatever their role. */
  memberIds?: readonly string[] | undefined
  /** Four eyes: nobody who asked the agent for something in this run, even if the rest of the rule names them. */
  notRequester?: boolean | undefined
  /** Each of these must let the member answer too: so several rules about one call are one. */
  allOf?: readonly Approvers[] | undefined
}

export const approversShape: z.ZodType<Approvers> = z.strictObject({
  requester: z.boolean().optional(),
  roles: z.array(z.enum(roles)).optional(),
  memberIds: z.array(z.string()).optional(),
  notRequester: z.boolean().optional(),
  allOf: z.array(z.lazy(() => approversShape)).optional(),
})

/** Of a rule that names nobody: approvers, admins and owners. */
const defaultRole: Role = 'approver'

/**
 * `requesterIds` are all who asked for something in the run, and `requesterId` is the one who started it: four eyes
 * exclude everybody who wrote into the run, while writing into somebody else's run entitles nobody.
 */
export function mayAnswer(
  rule: Approvers,
  member: { id: string; role: Role; disabled: boolean },
  requesterIds: readonly string[],
  requesterId: string | null = null,
): boolean {
  if (member.disabled) return false
  if (rule.allOf?.some((other) => !mayAnswer(other, member, requesterIds, requesterId))) return false
  if (rule.notRequester && (requesterIds.includes(member.id) || requesterId === member.id)) return false
  if (rule.requester && requesterId === member.id) return true
  if (rule.memberIds?.includes(member.id)) return true
  const needed = rule.roles ?? (rule.memberIds || rule.requester ? [] : [defaultRole])
  return needed.some((role) => atLeast(member.role, role))
}
