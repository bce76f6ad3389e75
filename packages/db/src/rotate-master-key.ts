import { recordAudit } from './audit.ts'
import { type Database, inTransaction } from './client.ts'
import { rewrapInstallations } from './installations.ts'
import { checkMasterKey, type MasterKey, type MasterKeys, masterKeyFact, wrongMasterKey } from './master-key.ts'
import { Problem } from './problem.ts'
import { rewrapDataKey } from './secrets.ts'

/**
 * Re-wraps every data key, of secrets and of installations, from the previous master key to the current one. It can be killed at any line and started
 * again: each row says which key wraps it, so what is left is exactly the rows that name the previous one. First the
 * database is given over to the current key, after waiting for everybody who is just storing a secret; from then on
 * a process that knows only the previous key is refused, and no row of that key can be added behind our back.
 */
export async function rotateMasterKey(
  db: Database,
  keys: MasterKeys,
  options: { batchRows?: number } = {},
): Promise<{ rewrapped: number }> {
  // How many data keys are re-wrapped in one transaction; a kill loses the work of one.
  const batchRows = options.batchRows ?? 200
  const { current, previous } = keys
  if (!previous)
    throw new Problem(
      'There is no previous master key to rotate from.',
      'Give the old key as QM_MASTER_KEY_PREVIOUS and the new one as QM_MASTER_KEY, or use "npm run secrets:rotate -- --new-file".',
    )
  await checkMasterKey(db, keys)
  await handOver(db, previous, current)

  let rewrapped = 0
  const damaged: string[] = []
  for (let after: Place | null = { secretId: '', version: 0 }; after; ) {
    const batch = await rewrapBatch(db, keys, previous, after, batchRows)
    rewrapped += batch.rewrapped
    damaged.push(...batch.damaged)
    after = batch.last
  }
  for (let after: string | null = ''; after !== null; ) {
    const batch = await rewrapInstallations(db, keys, previous, { after, rows: batchRows })
    rewrapped += batch.rewrapped
    damaged.push(...batch.damaged)
    after = batch.last
  }
  if (damaged.length)
    throw new Problem(
      `${damaged.length === 1 ? 'A secret does' : `${damaged.length} secrets do`} not open and could not be re-wrapped: ${damaged.join(', ')}. Every other one belongs to the new key.`,
      'Store their values again or remove them, then rotate again. If nobody here changed the database by hand, find out who did.',
    )

  const { rows } = await db.pool.query(
    `SELECT key_id FROM secret_versions WHERE retired_at IS NULL AND key_id <> $1
     UNION SELECT key_id FROM installations WHERE key_id <> $1 LIMIT 1`,
    [current.id],
  )
  if (rows[0]) throw wrongMasterKey(keys, rows[0].key_id)
  return { rewrapped }
}

interface Place {
  secretId: string
  version: number
}

/** The rows after `after`, in one transaction. `last` is null when there were none. */
function rewrapBatch(
  db: Database,
  keys: MasterKeys,
  previous: MasterKey,
  after: Place,
  batchRows: number,
): Promise<{ rewrapped: number; damaged: string[]; last: Place | null }> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      `SELECT v.secret_id, v.version, v.workspace_id, v.wrapped_key, s.name
       FROM secret_versions v JOIN secrets s ON s.id = v.secret_id
       WHERE v.key_id = $1 AND v.retired_at IS NULL AND (v.secret_id, v.version) > ($2, $3)
       ORDER BY v.secret_id, v.version LIMIT $4 FOR UPDATE OF v`,
      [previous.id, after.secretId, after.version, batchRows],
    )
    const damaged: string[] = []
    for (const row of rows) {
      const place = { workspaceId: row.workspace_id, name: row.name, version: row.version }
      const wrapped = rewrapDataKey(keys, place, { keyId: previous.id, wrappedKey: row.wrapped_key })
      if (wrapped)
        await tx.query(
          `UPDATE secret_versions SET key_id = $3, wrapped_key = $4 WHERE secret_id = $1 AND version = $2`,
          [row.secret_id, row.version, keys.current.id, wrapped],
        )
      else damaged.push(row.name)
    }
    const last = rows.at(-1)
    return {
      rewrapped: rows.length - damaged.length,
      damaged,
      last: last ? { secretId: last.secret_id, version: last.version } : null,
    }
  })
}

/** Once: the event in every workspace's log is written by the transaction that names the new key. */
async function handOver(db: Database, previous: MasterKey, current: MasterKey): Promise<void> {
  await inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `UPDATE instance_facts SET value = $1, updated_at = now() WHERE key = 'master_key' AND value->>'keyId' = $2`,
      [masterKeyFact(current), previous.id],
    )
    if (!rowCount) return
    const { rows } = await tx.query('SELECT id FROM workspaces ORDER BY id')
    for (const { id } of rows)
      await recordAudit(tx, {
        workspaceId: id,
        actor: { kind: 'system', id: 'secrets-rotate' },
        action: 'master-key.rotate',
        subject: { kind: 'master-key', id: current.id },
        data: { from: previous.id, to: current.id },
      })
  })
}
