// What the policy says about one call, with everything a card needs.
import type { Approval, Verdict } from './policy-config.ts'

export interface Decision {
  verdict: Verdict
  /** Whether an allowed call is marked in the log (hook `log`, or it was asked about). */
  log: boolean
  /** The reasons in the order in which they were found; the last that changed the verdict decides. */
  trail: readonly TrailEntry[]
  /** Filled in where the verdict is `ask`. */
  approval: ResolvedApproval | null
}

export type ResolvedApproval = Required<Omit<Approval, 'escalateTo' | 'expiresInMs'>> &
  Pick<Approval, 'escalateTo' | 'expiresInMs'>

export type TrailLayer =
  | 'tool'
  | 'attachment'
  | 'profile'
  | 'global'
  | 'agent'
  | 'provider'
  | 'skill'
  | 'rule'
  | 'hook'
  | 'autonomy'
  | 'taint'

export interface TrailEntry {
  layer: TrailLayer
  verdict: Verdict
  /** A sentence a person reads: `denied by the workspace: browser.*`. */
  reason: string
  /** The pattern or the rule's name behind it. */
  source?: string
}
