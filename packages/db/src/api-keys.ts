// Keys for the REST API: `qm_<prefix>_<secret>`. The prefix is how people recognise a key in a list and a scanner in a
// repository; the key itself is shown once, and only its SHA-256 is stored. It is 256 random bits, so a plain hash is
// enough: there is nothing to guess.
import { createHash, randomBytes } from 'node:crypto'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { Problem } from './problem.ts'
import type { Role } from './roles.ts'
import { storableText } from './storable.ts'

const hashOf = (key: string) => createHash('sha256').update(key).digest()

/** `last_used_at` is renewed at most this often, so that a call does not write a row. */
const usedEveryMs = 60_000

export interface CreateApiKey {
  workspaceId: string
  /** The member it acts for: it can do what they can, and nothing once they are disabled. */
  memberId: string
  name: string
  scopes: string[]
  expiresAt?: Date | null
  actor: Actor
}

/** Makes a key. `key` is in this answer and nowhere else, ever. */
export async function createApiKey(
  db: Database,
  input: CreateApiKey,
): Promise<{ id: string; key: string; prefix: string }> {
  const name = input.name.trim()
  if (!name || name.length > 80)
    throw new Problem('An API key needs a name of 1 to 80 characters.', 'Name it for what uses it.')
  const id = newId('key')
  const prefix = `qm_${randomBytes(4).toString('hex')}`
  const key = `${prefix}_${randomBytes(32).toString('base64url')}`
  await inTransaction(db, async (tx) => {
    const { rowCount } = await tx.query(
      `INSERT INTO api_keys (id, workspace_id, member_id, name, prefix, key_hash, scopes, expires_at)
       SELECT $1, workspace_id, id, $4, $5, $6, $7, $8 FROM members
       WHERE workspace_id = $2 AND id = $3 AND disabled_at IS NULL`,
      [id, input.workspaceId, input.memberId, name, prefix, hashOf(key), input.scopes, input.expiresAt ?? null],
    )
    if (!rowCount)
      throw new Problem('An API key needs an enabled member to act for.', 'Choose a member of this workspace.')
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'api-key.create',
      subject: { kind: 'api-key', id },
      data: { name, prefix, scopes: input.scopes, memberId: input.memberId, expiresAt: input.expiresAt ?? null },
    })
  })
  return { id, key, prefix }
}

export interface FoundApiKey {
  id: string
  workspaceId: string
  memberId: string
  role: Role
  name: string
  scopes: string[]
}

/** Null when it is unknown, revoked or over, or its member is disabled. */
export async function findApiKey(db: { pool: Queryable }, key: string): Promise<FoundApiKey | null> {
  const { rows } = await db.pool.query(
    `SELECT k.id, k.workspace_id, k.member_id, k.name, k.scopes, m.role,
            k.last_used_at IS NULL OR k.last_used_at < now() - $2::float8 * interval '1 millisecond' AS stale
     FROM api_keys k
     JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id AND m.disabled_at IS NULL
     WHERE k.key_hash = $1 AND k.revoked_at IS NULL AND (k.expires_at IS NULL OR k.expires_at > now())`,
    [hashOf(key), usedEveryMs],
  )
  const row = rows[0]
  if (!row) return null
  if (row.stale) await db.pool.query('UPDATE api_keys SET last_used_at = now() WHERE id = $1', [row.id])
  return {
    id: row.id,
    workspaceId: row.workspace_id,
    memberId: row.member_id,
    role: row.role,
    name: row.name,
    scopes: row.scopes,
  }
}

export interface ListedApiKey {
  id: string
  name: string
  prefix: string
  scopes: string[]
  member: { id: string; name: string; role: Role; disabled: boolean }
  createdAt: Date
  expiresAt: Date | null
  lastUsedAt: Date | null
  revokedAt: Date | null
  /** `member-disabled`: it works again if they are enabled. */
  state: 'active' | 'expired' | 'revoked' | 'member-disabled'
}

/** The newest first: everybody's, or one member's. Never the key itself, which nobody has. */
export async function listApiKeys(
  db: { pool: Queryable },
  input: { workspaceId: string; memberId?: string; after?: { at: Date; id: string } | null; limit?: number },
): Promise<ListedApiKey[]> {
  const { rows } = await db.pool.query(
    `SELECT k.id, k.name, k.prefix, k.scopes, k.created_at, k.expires_at, k.last_used_at, k.revoked_at,
       m.id AS member_id, m.name AS member_name, m.role, m.disabled_at IS NOT NULL AS disabled,
       CASE WHEN k.revoked_at IS NOT NULL THEN 'revoked' WHEN k.expires_at <= now() THEN 'expired'
         WHEN m.disabled_at IS NOT NULL THEN 'member-disabled' ELSE 'active' END AS state
     FROM api_keys k JOIN members m ON m.workspace_id = k.workspace_id AND m.id = k.member_id
     WHERE k.workspace_id = $1 AND ${input.memberId === undefined ? '$2::text IS NULL' : 'k.member_id = $2'}
       AND ($3::timestamptz IS NULL OR (k.created_at, k.id) < ($3, $4::text))
     ORDER BY k.created_at DESC, k.id DESC LIMIT $5`,
    [
      input.workspaceId,
      input.memberId ?? null,
      input.after?.at ?? null,
      input.after?.id ?? null,
      Math.min(input.limit ?? limits.pageRows, limits.pageRows + 1),
    ],
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    prefix: row.prefix,
    scopes: row.scopes,
    member: { id: row.member_id, name: row.member_name, role: row.role, disabled: row.disabled },
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
    state: row.state,
  }))
}

/** False when there is no such key in this workspace (or of `memberId`, where given), or it was revoked already. */
export function revokeApiKey(
  db: Database,
  input: { workspaceId: string; keyId: string; memberId?: string; actor: Actor },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      `UPDATE api_keys SET revoked_at = now() WHERE workspace_id = $1 AND id = $2 AND revoked_at IS NULL
       AND ($3::text IS NULL OR member_id = $3) RETURNING name, prefix`,
      [input.workspaceId, storableText(input.keyId), input.memberId ?? null],
    )
    if (!rows[0]) return false
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'api-key.revoke',
      subject: { kind: 'api-key', id: input.keyId },
      data: { name: rows[0].name, prefix: rows[0].prefix },
    })
    return true
  })
}
