// What is known of one secret beside its value: its versions, when the current one ends, and where it was used.
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { limits } from './limits.ts'
import { Problem } from './problem.ts'
import { storableText } from './storable.ts'

/** Lets the current version end at a date, or not (`null`). False when it says that already, or there is none. */
export async function expireSecret(
  db: Database,
  input: { workspaceId: string; secretId: string; expiresAt: Date | null; actor: Actor },
): Promise<boolean> {
  if (input.expiresAt && input.expiresAt.getTime() <= Date.now())
    throw new Problem('The date is over already.', 'Choose one to come, or retire the secret to end it now.')
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      `UPDATE secret_versions v SET expires_at = $3 FROM secrets s
       WHERE s.workspace_id = $1 AND s.id = $2 AND s.deleted_at IS NULL AND v.secret_id = s.id AND v.retired_at IS NULL
         AND v.expires_at IS DISTINCT FROM $3 RETURNING s.name, v.version`,
      [input.workspaceId, storableText(input.secretId), input.expiresAt],
    )
    if (!rows[0]) return false
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'secret.expire',
      subject: { kind: 'secret', id: input.secretId },
      data: { name: rows[0].name, version: rows[0].version, expiresAt: input.expiresAt },
    })
    return true
  })
}

export interface SecretVersionInfo {
  version: number
  createdAt: Date
  expiresAt: Date | null
  retiredAt: Date | null
  /** Which master key wraps it, by its fingerprint. */
  keyId: string
}

export interface SecretInfo {
  id: string
  name: string
  scope: { id: string; name: string }
  createdAt: Date
  retired: boolean
  lastUse: SecretUse | null
  /** The newest first. */
  versions: SecretVersionInfo[]
}

export interface SecretUse {
  at: Date
  agent: { id: string; name: string | null } | null
  tool: string | null
  /** Where: null where the use was in no run, or the run is gone. */
  run: { id: string; title: string; requester: string | null; channelKind: 'slack' | 'telegram' | 'web' } | null
}

/** What `readUse` reads, of a secret `s`. */
export const useColumns = `s.last_used_at, s.last_used_by, a.name AS agent_name, s.last_used_for, u.id AS run_id,
  coalesce(nullif(u.title, ''), nullif(y.title, ''), 'Untitled') AS run_title, w.name AS requester_name, h.kind AS channel_kind`
export const useJoins = `LEFT JOIN agents a ON a.workspace_id = s.workspace_id AND a.id = s.last_used_by
  LEFT JOIN runs u ON u.workspace_id = s.workspace_id AND u.id = s.last_used_in
  LEFT JOIN members w ON w.workspace_id = s.workspace_id AND w.id = u.requested_by
  LEFT JOIN conversations y ON y.workspace_id = s.workspace_id AND y.id = u.conversation_id
  LEFT JOIN channels h ON h.workspace_id = s.workspace_id AND h.id = y.channel_id`

/** Names and dates, never the value. Null when it is not one of this workspace. */
export async function findSecret(
  db: { pool: Queryable },
  input: { workspaceId: string; secretId: string },
): Promise<SecretInfo | null> {
  const { rows } = await db.pool.query(
    `SELECT s.id, s.name, c.id AS scope_id, c.name AS scope, s.created_at, s.deleted_at IS NOT NULL AS retired,
       ${useColumns}
     FROM secrets s JOIN secret_scopes c ON c.id = s.scope_id
     ${useJoins}
     WHERE s.workspace_id = $1 AND s.id = $2`,
    [input.workspaceId, storableText(input.secretId)],
  )
  const row = rows[0]
  if (!row) return null
  const { rows: versions } = await db.pool.query<SecretVersionInfo>(
    `SELECT version, created_at AS "createdAt", expires_at AS "expiresAt", retired_at AS "retiredAt", key_id AS "keyId"
     FROM secret_versions WHERE workspace_id = $1 AND secret_id = $2 ORDER BY version DESC LIMIT $3`,
    [input.workspaceId, row.id, limits.pageRows],
  )
  return {
    id: row.id,
    name: row.name,
    scope: { id: row.scope_id, name: row.scope },
    createdAt: row.created_at,
    retired: row.retired,
    lastUse: readUse(row),
    versions,
  }
}

interface UseColumns {
  last_used_at: Date | null
  last_used_by: string | null
  agent_name: string | null
  last_used_for: string | null
  run_id: string | null
  run_title: string
  requester_name: string | null
  channel_kind: 'slack' | 'telegram' | 'web'
}

export const readUse = (row: UseColumns): SecretUse | null =>
  row.last_used_at && {
    at: row.last_used_at,
    agent: row.last_used_by === null ? null : { id: row.last_used_by, name: row.agent_name },
    tool: row.last_used_for,
    run:
      row.run_id === null
        ? null
        : { id: row.run_id, title: row.run_title, requester: row.requester_name, channelKind: row.channel_kind },
  }
