import { type Database, deleteMessage, requestStop } from '@quartermaster/db'

/** Takes somebody's words out of the transcript; a run that has nothing else to read is not begun. */
export async function takeBack(
  db: Database,
  message: { channelId: string; conversationKey: string; messageId: string },
): Promise<boolean> {
  const deleted = await deleteMessage(db, message)
  if (!deleted) return false
  const { workspaceId, emptyRunId } = deleted
  if (emptyRunId) await requestStop(db, { workspaceId, runId: emptyRunId, actor: { kind: 'system', id: 'taken back' } })
  return true
}
