import type { Decision, TrailEntry, Verdict } from '@quartermaster/tools'

const rank: Record<Verdict, number> = { allow: 0, ask: 1, deny: 2 }

/** Layers that decide how a call runs, once it is clear that its tool is there. */
const howItRuns: readonly TrailEntry['layer'][] = ['rule', 'hook', 'autonomy', 'taint']

/** Why a draft decides otherwise, in few words: what newly stands in the way, or what stands there no longer. */
export function because(was: Decision, would: Decision): string {
  if (was.verdict === would.verdict) return 'other people are asked, or on other terms'
  const [before, after] = [decisive(was), decisive(would)]
  if (rank[would.verdict] > rank[was.verdict]) return after ? inWords(after) : ''
  // What lowers it is named where it is something that somebody wrote, and new; else something was taken away.
  const isNew = after?.source && !was.trail.some(({ reason }) => reason === after.reason)
  const sameStage = after && before && howItRuns.includes(after.layer) === howItRuns.includes(before.layer)
  if (isNew && sameStage) return inWords(after)
  if (!before) return after ? inWords(after) : ''
  // Whether it is the list that names the group no more, or the group that lost the tool, both policies know and we do not.
  if (before.source?.startsWith('group:')) return `no longer: ${inWords(before)}`
  return before.source && before.layer !== 'taint' ? `${inWords(before)} removed` : `no longer: ${before.reason}`
}

function inWords({ layer, verdict, reason, source }: TrailEntry): string {
  if (layer === 'rule' && source) return `rule: ${source}`
  if (layer === 'hook' && source) return `hook of ${source}`
  if (verdict === 'deny' && source && layer === 'global') return `deny ${source}`
  return reason
}

/** The last reason that says what was decided. */
const decisive = ({ trail, verdict }: Decision): TrailEntry | undefined =>
  trail.findLast((entry) => entry.verdict === verdict)
