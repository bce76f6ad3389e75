// A question in words: who may answer it, why it is asked, what became of it. Every surface says it alike. Names and
// what people wrote are not escaped here: markup is the business of whoever renders for a platform.
import type { Approvers } from './approvers.ts'
import type { ClosedQuestion } from './found-question.ts'
import type { LeaseOffer } from './question-prompt.ts'
import type { Role } from './roles.ts'

const roleWords: Readonly<Record<Role, string>> = {
  owner: 'owners',
  admin: 'admins and owners',
  approver: 'approvers, admins and owners',
  member: 'all members',
  viewer: 'everybody in the workspace',
}

export interface ApproverNames {
  /** Who started the run; null where nobody did. */
  requester: string | null
  /** Names of the members whom the rule names, by id. */
  members: ReadonlyMap<string, string>
}

/** "Ada, who asked, or approvers, admins and owners". */
export function describeApprovers(rule: Approvers, names: ApproverNames, required = 1): string {
  const who: string[] = []
  if (rule.requester) who.push(names.requester === null ? 'whoever asked' : `${names.requester}, who asked`)
  for (const id of rule.memberIds ?? []) who.push(names.members.get(id) ?? 'somebody who is not here any more')
  const roles = rule.roles ?? (rule.memberIds || rule.requester ? [] : (['approver'] as const))
  for (const role of roles) who.push(roleWords[role])
  const parts = [who.join(', or ') || 'nobody']
  if (rule.notRequester) parts.push('but nobody who asked for it')
  for (const other of rule.allOf ?? []) parts.push(`who must also be one of: ${describeApprovers(other, names)}`)
  if (required > 1) parts.push(`${required} of them`)
  return parts.join('; ')
}

/** The policy's reasons to ask, as sentences. A tool's own question has none: the tool asks. */
export function describeReasons(reasons: unknown): string[] {
  if (!Array.isArray(reasons)) return []
  return reasons.flatMap((entry: unknown) => {
    if (typeof entry === 'string') return [entry]
    if (typeof entry !== 'object' || entry === null || !('reason' in entry) || typeof entry.reason !== 'string')
      return []
    // What allowed the tool is no reason to ask about it.
    return 'verdict' in entry && entry.verdict !== 'ask' ? [] : [asSentence(entry.reason)]
  })
}

export interface TrailLine {
  /** Which part of the policy said it: `profile`, `rule`, `taint` … */
  layer: string | null
  verdict: 'allow' | 'ask' | 'deny' | null
  sentence: string
  /** The pattern or the rule's name behind it. */
  source: string | null
}

/** All of a decision's trail in words, in the order in which it was found, what allowed the call included. */
export function describeTrail(trail: unknown): TrailLine[] {
  if (!Array.isArray(trail)) return []
  return trail.flatMap((entry: unknown): TrailLine[] => {
    if (typeof entry === 'string') return [{ layer: null, verdict: null, sentence: asSentence(entry), source: null }]
    const { layer, verdict, reason, source } = (entry ?? {}) as Record<string, unknown>
    if (typeof reason !== 'string') return []
    return [
      {
        layer: typeof layer === 'string' ? layer : null,
        verdict: verdict === 'allow' || verdict === 'ask' || verdict === 'deny' ? verdict : null,
        sentence: asSentence(reason),
        source: typeof source === 'string' ? source : null,
      },
    ]
  })
}

/** The trail has parts of sentences. A name at the beginning (`file.write`) stays what it is. */
function asSentence(reason: string): string {
  const begun = /^[a-z]+ /.test(reason) ? `${reason[0]?.toUpperCase()}${reason.slice(1)}` : reason
  return /[.!?…)]$/.test(begun) ? begun : `${begun}.`
}

/** What stands where the buttons were, and what stale ones say. The time is in `closed.at`, for the surface to format. */
export function describeClosed({ kind, status, verdict, by, value, reason }: Omit<ClosedQuestion, 'at'>): string {
  const because = reason ? `: ${reason}` : ''
  if (status === 'expired') return 'Nobody answered in time'
  if (status === 'withdrawn') return `Withdrawn${because}`
  const who = by ? ` by ${by.name}` : ''
  const isDecision = kind === 'confirmation' || kind === 'plan'
  if (verdict === 'deny') return `${isDecision ? 'Denied' : 'Not answered'}${who}${because}`
  if (isDecision) return `Approved${who}`
  const words = describeValue(value)
  return `Answered${who}${words && `: ${words}`}`
}

/** An option, several, a text, or the answers of a form in their order. */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(describeValue).join(value.some(Array.isArray) ? '; ' : ', ')
  return JSON.stringify(value)
}

/** What "Approve for this thread" spares: "the next 20 calls of `npm test …` in this folder, for 1 hour". */
export function describeLease({ maxUses, durationMs, scope }: LeaseOffer): string {
  const calls = maxUses === 1 ? 'the next call' : `the next ${maxUses} calls`
  const minutes = Math.max(Math.round(durationMs / 60_000), 1)
  const [count, unit] =
    minutes % 1_440 === 0 ? [minutes / 1_440, 'day'] : minutes % 60 === 0 ? [minutes / 60, 'hour'] : [minutes, 'minute']
  return `${calls} of ${scope.words}, for ${count} ${unit}${count === 1 ? '' : 's'}`
}
