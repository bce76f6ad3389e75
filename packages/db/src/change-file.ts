// People who change what agents wrote, from the console: virtual files as they were seen, and the record of a change
// that somebody else makes on the disk.
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction } from './client.ts'
import { limits } from './limits.ts'
import { Problem } from './problem.ts'
import { storableText } from './storable.ts'

interface SeenFile {
  workspaceId: string
  fileId: string
  /** `updatedAt` of what the person saw: a newer content is never overwritten or deleted unseen. */
  seen: Date
  actor: Actor
}

export type FileChange = 'done' | 'changed' | 'not_found'

export async function editVirtualFile(db: Database, input: SeenFile & { content: Uint8Array }): Promise<FileChange> {
  if (input.content.byteLength > limits.virtualFileBytes)
    throw new Problem(
      `The file is too large: ${input.content.byteLength} bytes, and ${limits.virtualFileBytes} are the most.`,
      'Make it smaller.',
    )
  return await changeVirtualFile(db, input, 'file.edit', [
    `UPDATE virtual_files SET content = $4, size = octet_length($4::bytea),
       updated_at = greatest(clock_timestamp(), updated_at + interval '1 millisecond')
     WHERE id = $1 AND workspace_id = $2 AND updated_at = $3 RETURNING path, conversation_id, agent_id`,
    Buffer.from(input.content),
  ])
}

export const deleteVirtualFile = (db: Database, input: SeenFile): Promise<FileChange> =>
  changeVirtualFile(db, input, 'file.delete', [
    `DELETE FROM virtual_files WHERE id = $1 AND workspace_id = $2 AND updated_at = $3
     RETURNING path, conversation_id, agent_id`,
  ])

async function changeVirtualFile(
  db: Database,
  { workspaceId, fileId, seen, actor }: SeenFile,
  action: string,
  [statement, ...values]: [statement: string, ...values: unknown[]],
): Promise<FileChange> {
  return inTransaction(db, async (tx): Promise<FileChange> => {
    const id = storableText(fileId)
    const { rows } = await tx.query(statement, [id, workspaceId, seen, ...values])
    const changed = rows[0]
    if (!changed) {
      const there = await tx.query('SELECT 1 FROM virtual_files WHERE id = $1 AND workspace_id = $2', [id, workspaceId])
      return there.rowCount ? 'changed' : 'not_found'
    }
    await recordAudit(tx, {
      workspaceId,
      actor,
      action,
      subject: { kind: 'virtual-file', id },
      data: { path: changed.path, conversationId: changed.conversation_id, agentId: changed.agent_id },
    })
    return 'done'
  })
}

/** Before a file of the work folder is changed by a person: no record, no change. */
export async function recordFileChange(
  db: Database,
  {
    workspaceId,
    actor,
    action,
    path,
  }: { workspaceId: string; actor: Actor; action: 'file.edit' | 'file.delete'; path: string },
): Promise<void> {
  await inTransaction(db, (tx) =>
    recordAudit(tx, { workspaceId, actor, action, subject: { kind: 'work-file', id: storableText(path) } }),
  )
}
