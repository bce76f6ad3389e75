// Which calls "Approve for this thread" speaks for. A lease is for one tool; this is the rest of what must be the same.
import { hash } from 'node:crypto'
import type { AnyTool, LeaseScope } from '../contract.ts'
import { escapeForDisplay } from '../guard/display.ts'
import type { ResolvedApproval } from '../policy/decision.ts'
import { canonicalJson } from './digest.ts'

/**
 * Null: the call is asked about each time, whatever was approved before. So it is where the decision offers no lease (a
 * run that has read what strangers wrote), and where several must approve. Who may answer is part of the key: what the
 * requester approved does not speak for a call that a rule puts to the owners.
 */
export function leaseScopeOf(tool: AnyTool, args: unknown, approval: ResolvedApproval | null): LeaseScope | null {
  if (!approval?.lease || approval.required > 1) return null
  const scope = scopeByTool(tool, args)
  if (scope === null) return null
  return {
    key: hash('sha256', canonicalJson([scope.key, approval.approvers]), 'hex'),
    words: escapeForDisplay(scope.words),
  }
}

function scopeByTool(tool: AnyTool, args: unknown): LeaseScope | null {
  if (!tool.leaseOf) return { key: '', words: 'this tool' }
  try {
    return tool.leaseOf(args)
  } catch {
    // What nobody can tell apart is asked about.
    return null
  }
}
