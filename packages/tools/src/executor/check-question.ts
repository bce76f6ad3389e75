// Whether a person must decide first. An approval counts for one digest only: the tool's version, the arguments and the
// folder that the person saw.
import type { AnyTool } from '../contract.ts'
import type { Decision } from '../policy/decision.ts'
import { leaseScopeOf } from './lease-scope.ts'
import type { Asking, CallRequest } from './outcome.ts'
import type { PendingCall } from './pending-call.ts'
import { Refusal } from './refusal.ts'
import { summarizeCall } from './summarize-call.ts'

/** Null: go ahead. */
export function checkQuestion(
  request: CallRequest,
  call: PendingCall,
  tool: AnyTool,
  decision: Decision,
): Asking | Refusal | null {
  if (decision.verdict === 'deny') return new Refusal('refused_by_policy', describeDenial(tool, decision))
  if (request.denial) {
    const reason = request.denial.reason ? `: ${request.denial.reason}` : ''
    return new Refusal('denied', `Tool execution cancelled by user${reason}`)
  }
  // Also where nobody needs to be asked any more: what was approved is not what would run.
  if (request.approval && request.approval.digest !== call.digest) {
    return new Refusal(
      'changed_after_approval',
      `Tool '${tool.name}' was not run: the tool, its arguments or the folder changed after it was approved.`,
    )
  }
  if (decision.verdict === 'allow' || request.approval) return null
  return {
    kind: 'ask',
    tool: tool.name,
    effect: call.effect,
    arguments: call.arguments,
    digest: call.digest,
    summary: summarizeCall(tool, call.arguments),
    decision,
    leaseScope: leaseScopeOf(tool, call.arguments, decision.approval),
  }
}

function describeDenial(tool: AnyTool, { trail }: Decision): string {
  const reason = trail.findLast((entry) => entry.verdict === 'deny')?.reason
  return `Tool '${tool.name}' is not allowed by tool policy${reason ? `: ${reason}` : ''}`
}
