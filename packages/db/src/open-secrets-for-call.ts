// The secrets that one tool call gets: those of the scopes that its tool declares and that its agent was granted, and
// no others. The statement finds nothing else, so there is nothing that the code after it could let through.
import type { Queryable } from './client.ts'
import { limits } from './limits.ts'
import type { MasterKeys } from './master-key.ts'
import { unsealSecret } from './secrets.ts'

export interface CallSecrets {
  /** By secret name. */
  values: ReadonlyMap<string, string>
  /** Declared scopes that give nothing; with one of them, the call is not to run. */
  missing: readonly MissingScope[]
}

export interface MissingScope {
  scope: string
  /** `expired`: every secret that it has is past its date. */
  reason: 'not_granted' | 'no_secret' | 'expired'
}

/** Where the values go, to be remembered as their last use. */
export interface CallUse {
  toolName: string
  runId: string
}

/** One round trip, which also marks the secrets as used. Throws a Problem when one of them does not open. */
export async function openSecretsForCall(
  db: { pool: Queryable },
  keys: MasterKeys,
  call: { workspaceId: string; agentId: string; scopes: readonly string[]; use?: CallUse },
): Promise<CallSecrets> {
  const scopes = [...new Set(call.scopes)]
  if (!scopes.length) return { values: new Map(), missing: [] }
  const { rows } = await db.pool.query(
    `WITH granted AS (
       SELECT c.id, c.name FROM secret_scopes c
       JOIN grants g ON g.scope_id = c.id AND g.workspace_id = c.workspace_id AND g.agent_id = $2
       JOIN agents a ON a.id = g.agent_id AND a.workspace_id = g.workspace_id AND a.archived_at IS NULL
       WHERE c.workspace_id = $1 AND c.name = ANY($3)
     ), current AS (
       SELECT granted.name AS scope, s.id, s.name, v.version, v.key_id, v.wrapped_key, v.ciphertext,
         v.expires_at <= clock_timestamp() AS expired
       FROM granted JOIN secrets s ON s.scope_id = granted.id AND s.workspace_id = $1 AND s.deleted_at IS NULL
       JOIN secret_versions v ON v.secret_id = s.id AND v.workspace_id = $1 AND v.retired_at IS NULL
     ), used AS (
       -- Skipping locked rows: calls that run together do not wait for each other over a date.
       UPDATE secrets SET last_used_at = clock_timestamp(), last_used_by = $2, last_used_for = $5, last_used_in = $6
       WHERE id IN (
         SELECT s.id FROM secrets s WHERE s.id IN (SELECT id FROM current WHERE expired IS NOT TRUE)
           AND (s.last_used_at IS NULL OR s.last_used_at < clock_timestamp() - $4 * interval '1 millisecond')
         FOR NO KEY UPDATE SKIP LOCKED)
     )
     SELECT granted.name AS scope, current.name, current.version, current.expired,
       CASE WHEN current.expired IS NOT TRUE THEN current.key_id END AS key_id,
       CASE WHEN current.expired IS NOT TRUE THEN current.wrapped_key END AS wrapped_key,
       CASE WHEN current.expired IS NOT TRUE THEN current.ciphertext END AS ciphertext
     FROM granted LEFT JOIN current ON current.scope = granted.name`,
    [
      call.workspaceId,
      call.agentId,
      scopes,
      limits.secretUseMs,
      call.use?.toolName.slice(0, limits.toolNameLength) ?? null,
      call.use?.runId ?? null,
    ],
  )
  const values = new Map<string, string>()
  const found = new Map<string, 'open' | MissingScope['reason']>()
  for (const row of rows) {
    if (row.name === null) found.set(row.scope, 'no_secret')
    else if (row.expired) found.set(row.scope, found.get(row.scope) ?? 'expired')
    else {
      const place = { workspaceId: call.workspaceId, name: row.name, version: row.version }
      const sealed = { keyId: row.key_id, wrappedKey: row.wrapped_key, ciphertext: row.ciphertext }
      values.set(row.name, unsealSecret(keys, place, sealed))
      found.set(row.scope, 'open')
    }
  }
  const missing = scopes.flatMap((scope) => {
    const reason = found.get(scope) ?? 'not_granted'
    return reason === 'open' ? [] : [{ scope, reason }]
  })
  return { values, missing }
}
