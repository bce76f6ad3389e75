import type { Decision, TrailEntry, Verdict } from '@quartermaster/tools'

const rank: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 }

/** Why a draft decides otherwise: what newly stands in the way, or what stands there no longer. */
export function because(was: Decision, would: Decision): string {
  if (was.verdict === would.verdict) return 'other people are asked, or on other terms'
  const [before, after] = [decisive(was), decisive(would)]
  if (rank[would.verdict] > rank[was.verdict]) return after?.reason ?? ''
  // What lowered it is there to be named where a rule or an `allow` did; else something was taken away.
  const isNew = after && !was.trail.some(({ reason }) => reason === after.reason)
  if (isNew && (after.layer === 'rule' || (after.source && after.layer !== 'profile' && after.layer !== 'hook')))
    return after.reason
  return before ? `no longer ${before.reason}` : (after?.reason ?? '')
}

/** The last reason that says what was decided. */
const decisive = ({ trail, verdict }: Decision): TrailEntry | undefined =>
  trail.findLast((entry) => entry.verdict === verdict)
