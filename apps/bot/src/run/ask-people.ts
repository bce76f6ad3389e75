import { type Database, enqueueDelivery, inTransaction } from '@quartermaster/db'
import type { Asking, Suspended } from '@quartermaster/tools'
import { askForTool } from '../questions/ask-for-tool.ts'
import { askAboutCall } from '../tools/ask-about-call.ts'
import type { RunInHand, RunServices } from './run-services.ts'

/**
 * Asks, and sends the card, in one transaction: a question that nobody is shown would be waited for in vain. Where it is
 * asked already (the process died after that), nothing is done.
 */
export async function askPeople(
  services: RunServices,
  { run, context }: RunInHand,
  toolCallId: string,
  outcome: Asking | Suspended,
): Promise<void> {
  const { conversationId } = context.place
  await inTransaction(services.db, async (tx) => {
    // The conversation's row comes before the run's (see runs.ts on locks).
    await tx.query('SELECT 1 FROM conversations WHERE id = $1 FOR NO KEY UPDATE', [conversationId])
    const db = { ...services.db, pool: tx } as unknown as Database
    const questionId =
      outcome.kind === 'ask'
        ? await askAboutCall(db, run, toolCallId, outcome)
        : await askForTool(db, run, toolCallId, outcome)
    if (questionId)
      await enqueueDelivery(db, {
        conversationId,
        kind: 'question',
        payload: { kind: 'question', questionId },
        questionId,
      })
  })
  services.atPoint('question-asked')
}
