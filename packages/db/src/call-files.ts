// Files that a tool call puts into the chat: each is one delivery of the kind `media`, whose key is the call and the
// file. The key is what makes it one: however often a call is replayed after a crash, a run sends each file once.
import { createHash } from 'node:crypto'
import type { Claim } from './claim.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { announceDelivery } from './deliveries.ts'
import { newId } from './ids.ts'
import { prepared } from './prepared.ts'
import { storableJson } from './storable.ts'
import { finishToolCall } from './tool-calls.ts'

export interface CallFile {
  filename: string
  mimeType: string
  /** Base64. */
  data: string
  caption?: string
}

/** What of a result people are sent: a file, or a sentence of ours in its place. */
export type CallDelivery = { kind: 'media'; file: CallFile } | { kind: 'notice'; text: string }

/** The most files of one call that are read back. The executor leaves out what goes beyond. */
const mostFiles = 20

const resultKey = (toolUseId: string, index: number) => `${toolUseId}/${index}`

/**
 * running → succeeded or failed, and what of the result people are sent, together or not at all. `conversationId` is
 * where they read, which for a child run is its first ancestor's. False as for finishToolCall; then nothing is sent.
 */
export async function finishToolCallWithFiles(
  db: Database,
  claim: Claim,
  end: Parameters<typeof finishToolCall>[2] & { toolUseId: string },
  sent: { conversationId: string; deliveries: readonly CallDelivery[] },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    // The conversation's row comes before the run's (see runs.ts on locks).
    await tx.query('SELECT 1 FROM conversations WHERE id = $1 FOR NO KEY UPDATE', [sent.conversationId])
    if (!(await finishToolCall({ ...db, pool: tx } as unknown as Database, claim, end))) return false
    for (const [index, delivery] of sent.deliveries.entries()) {
      const key = resultKey(end.toolUseId, index)
      await enqueueOnce(tx, { conversationId: sent.conversationId, runId: claim.runId, key, delivery })
    }
    return true
  })
}

/** The files that came with a call's result, for a run that goes on from the rows. */
export async function readCallFiles(db: Database, runId: string, toolUseId: string): Promise<CallFile[]> {
  const keys = Array.from({ length: mostFiles }, (_, index) => resultKey(toolUseId, index))
  const { rows } = await prepared(
    db.pool,
    `SELECT payload FROM deliveries WHERE run_id = $1 AND key = ANY($2) AND kind = 'media' ORDER BY number`,
    [runId, keys],
  )
  return rows.map(({ payload: { filename, mimeType, data } }) => ({ filename, mimeType, data }))
}

/**
 * A file that a call sends while it runs. False: the call does not run any more, so nobody would know that it did this;
 * or its conversation was deleted.
 */
export async function sendCallFile(
  db: Database,
  call: { conversationId: string; runId: string; toolUseId: string },
  file: CallFile,
): Promise<boolean> {
  const { conversationId, runId, toolUseId } = call
  const digest = createHash('sha256').update(`${file.filename}\0${file.mimeType}\0${file.data}`).digest('hex')
  return inTransaction(db, async (tx) => {
    const { rowCount: found } = await tx.query(
      'SELECT 1 FROM conversations WHERE id = $1 AND deleted_at IS NULL FOR NO KEY UPDATE',
      [conversationId],
    )
    const { rowCount: running } = await tx.query(
      `SELECT 1 FROM tool_calls WHERE run_id = $1 AND tool_use_id = $2 AND status = 'running' FOR SHARE`,
      [runId, toolUseId],
    )
    if (!found || !running) return false
    const key = `${toolUseId}/${digest}`
    await enqueueOnce(tx, { conversationId, runId, key, delivery: { kind: 'media', file } })
    return true
  })
}

/** Under the conversation's lock: whoever comes second finds it there. */
async function enqueueOnce(
  tx: Queryable,
  {
    conversationId,
    runId,
    key,
    delivery,
  }: { conversationId: string; runId: string; key: string; delivery: CallDelivery },
): Promise<void> {
  const payload =
    delivery.kind === 'media' ? { kind: 'media', ...delivery.file } : { kind: 'notice', text: delivery.text }
  await tx.query(
    `WITH numbered AS (
       UPDATE conversations c SET next_delivery = c.next_delivery + 1
       WHERE c.id = $1 AND NOT EXISTS (SELECT 1 FROM deliveries WHERE run_id = $2 AND key = $3)
       RETURNING c.id, c.workspace_id, c.channel_id, c.next_delivery - 1 AS number
     )
     INSERT INTO deliveries (id, workspace_id, conversation_id, channel_id, number, kind, payload, run_id, key)
     SELECT $4, workspace_id, id, channel_id, number, $5, $6::jsonb, $2, $3 FROM numbered
     RETURNING ${announceDelivery('deliveries')}`,
    [conversationId, runId, key, newId('dlv'), delivery.kind, storableJson(payload)],
  )
}
