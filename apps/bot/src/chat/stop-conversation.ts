import { type Database, findAdmitted, findStoppableRun, requestStop } from '@quartermaster/db'
import type { ChatPerson } from './chat-services.ts'

/**
 * Stops the unfinished run of a conversation for somebody who takes part in it, or for an approver. False: there is none,
 * or they may not.
 */
export async function stopConversation(
  db: Database,
  where: { channelId: string; conversationKey: string; person: ChatPerson },
): Promise<boolean> {
  const who = await findAdmitted(db, where)
  if (!who) return false
  const { workspaceId, memberId } = who
  const runId = await findStoppableRun(db, { ...where, memberId })
  if (!runId) return false
  const outcome = await requestStop(db, { workspaceId, runId, actor: { kind: 'member', id: memberId } })
  return outcome === 'stopped' || outcome === 'stopping'
}
