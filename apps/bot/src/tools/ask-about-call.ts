import { askQuestion, type Claim, type Database } from '@quartermaster/db'
import type { Asking } from '@quartermaster/tools'

/**
 * Puts a call that the policy asks about to people: who may answer, how many must, how long they have and who is asked
 * next are the decision's. `toolCallId` is the id of the call's row. Null: it is asked about already, was decided
 * meanwhile, or the claim is lost.
 */
export function askAboutCall(db: Database, claim: Claim, toolCallId: string, asking: Asking): Promise<string | null> {
  const { trail, approval } = asking.decision
  return askQuestion(db, claim, {
    toolCallId,
    kind: 'confirmation',
    prompt: {
      ...asking.summary,
      tool: asking.tool,
      effect: asking.effect,
      ...(asking.leaseScope ? { lease: approval?.lease ?? false, leaseScope: asking.leaseScope } : { lease: false }),
      mayEdit: approval?.mayEdit ?? false,
    },
    reasons: [...trail],
    // A decision that asks and does not say whom is answered by the approvers.
    approvers: approval?.approvers ?? {},
    requiredAnswers: approval?.required ?? 1,
    ...(approval?.expiresInMs === undefined ? {} : { expiresInMs: approval.expiresInMs }),
    ...(approval?.escalateTo ? { escalateTo: approval.escalateTo } : {}),
  })
}
