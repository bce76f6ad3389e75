import { askQuestion, type Claim, type Database } from '@quartermaster/db'
import type { Suspended } from '@quartermaster/tools'

/**
 * Puts a tool's own question (`ask_user`, a plan) to people, and lets its call wait. The one who asked the agent may
 * answer, and every member of the workspace: it is a question about what is wanted, and no approval of an effect.
 * `toolCallId` is the id of the call's row. Null: it is asked already, or the claim is lost.
 *
 * Answered, the call is `approved` again, to be executed with `answer`. Declined, expired or withdrawn it is `denied`, and
 * its `error` says so in words for the model.
 */
export function askForTool(
  db: Database,
  claim: Claim,
  toolCallId: string,
  suspended: Suspended,
): Promise<string | null> {
  const { question, tool, effect, decision } = suspended
  return askQuestion(db, claim, {
    toolCallId,
    kind: question.kind,
    prompt: { ...question, tool, effect, lease: false, mayEdit: false },
    reasons: [...decision.trail],
    approvers: { requester: true, roles: ['member'] },
  })
}
