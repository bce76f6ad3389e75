// What a platform gave us when the app was installed there (Slack's OAuth: tokens). Sealed like a secret, and bound to
// the platform and the team, so that the bytes of one team do not open as another's.
import { randomBytes } from 'node:crypto'
import { recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import type { ChannelKind } from './deliveries.ts'
import { deriveKey, type MasterKey, type MasterKeys, wrongMasterKey } from './master-key.ts'
import { Problem } from './problem.ts'
import { seal, unseal } from './sealing.ts'
import { checkStillCurrent } from './secrets.ts'
import { storableText } from './storable.ts'

export interface InstallationPlace {
  kind: ChannelKind
  /** Team or enterprise. */
  externalId: string
}

const boundTo = (layer: 'key' | 'value', place: InstallationPlace) => [layer, place.kind, place.externalId]
const wrappingKey = (key: MasterKey) => deriveKey(key, 'installations')

/** Stores it, or puts it in the place of what was stored before. Errors never contain the data. */
export function saveInstallation(
  db: Database,
  keys: MasterKeys,
  installation: InstallationPlace & { data: unknown },
): Promise<void> {
  const dataKey = randomBytes(32)
  const wrapped = seal(wrappingKey(keys.current), dataKey, boundTo('key', installation))
  const plain = Buffer.from(JSON.stringify(installation.data ?? null), 'utf8')
  const ciphertext = seal(dataKey, plain, boundTo('value', installation))
  return inTransaction(db, async (tx) => {
    await checkStillCurrent(tx, keys)
    const { rows } = await tx.query(
      `INSERT INTO installations (kind, external_id, workspace_id, key_id, wrapped_key, ciphertext)
       SELECT $1::channel_kind, $2, w.id, $3, $4, $5 FROM workspaces w
       ORDER BY EXISTS (SELECT 1 FROM channels c WHERE c.workspace_id = w.id AND c.kind = $1::channel_kind AND c.external_id = $2) DESC,
         w.created_at, w.id LIMIT 1
       ON CONFLICT (kind, external_id) DO UPDATE SET key_id = excluded.key_id, wrapped_key = excluded.wrapped_key,
         ciphertext = excluded.ciphertext, updated_at = now()
       RETURNING workspace_id`,
      [installation.kind, storableText(installation.externalId), keys.current.id, wrapped, ciphertext],
    )
    if (!rows[0]) throw new Problem('There is no workspace that this app could belong to.', 'Run "npm start" once.')
    await audit(tx, rows[0].workspace_id, installation, 'channel.install')
  })
}

/** Null where the app is not installed there. Throws a Problem when the stored bytes do not open. */
export async function findInstallation(
  db: { pool: Queryable },
  keys: MasterKeys,
  place: InstallationPlace,
): Promise<unknown> {
  const { rows } = await db.pool.query(
    `SELECT key_id, wrapped_key, ciphertext FROM installations WHERE kind = $1::channel_kind AND external_id = $2`,
    [place.kind, storableText(place.externalId)],
  )
  const row = rows[0]
  if (!row) return null
  const key = [keys.current, keys.previous].find((candidate) => candidate?.id === row.key_id)
  if (!key) throw wrongMasterKey(keys, row.key_id)
  const dataKey = unseal(wrappingKey(key), row.wrapped_key, boundTo('key', place))
  const plain = dataKey && unseal(dataKey, row.ciphertext, boundTo('value', place))
  if (!plain)
    throw new Problem(
      `What ${place.kind} gave us for ${place.externalId} does not open: its stored bytes were changed or moved.`,
      'Install the app there again. If nobody here changed the database by hand, find out who did.',
    )
  return JSON.parse(plain.toString('utf8'))
}

/** False when there was none. */
export function deleteInstallation(db: Database, place: InstallationPlace): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      'DELETE FROM installations WHERE kind = $1::channel_kind AND external_id = $2 RETURNING workspace_id',
      [place.kind, storableText(place.externalId)],
    )
    if (!rows[0]) return false
    await audit(tx, rows[0].workspace_id, place, 'channel.uninstall')
    return true
  })
}

function audit(tx: Queryable, workspaceId: string, { kind, externalId }: InstallationPlace, action: string) {
  return recordAudit(tx, {
    workspaceId,
    actor: { kind: 'system', id: kind },
    action,
    subject: { kind: 'installation', id: `${kind}:${externalId}` },
  })
}

/** For rotateMasterKey: the rows that the previous key wraps, a batch in one transaction. */
export function rewrapInstallations(
  db: Database,
  keys: MasterKeys,
  previous: MasterKey,
  batch: { after: string; rows: number },
): Promise<{ rewrapped: number; damaged: string[]; last: string | null }> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      `SELECT kind, external_id, kind || ':' || external_id AS place, wrapped_key FROM installations
       WHERE key_id = $1 AND kind || ':' || external_id > $2 ORDER BY place LIMIT $3 FOR UPDATE`,
      [previous.id, batch.after, batch.rows],
    )
    const damaged: string[] = []
    for (const row of rows) {
      const place = { kind: row.kind, externalId: row.external_id }
      const dataKey = unseal(wrappingKey(previous), row.wrapped_key, boundTo('key', place))
      if (dataKey)
        await tx.query(
          'UPDATE installations SET key_id = $3, wrapped_key = $4 WHERE kind = $1::channel_kind AND external_id = $2',
          [row.kind, row.external_id, keys.current.id, seal(wrappingKey(keys.current), dataKey, boundTo('key', place))],
        )
      else damaged.push(row.place)
    }
    return { rewrapped: rows.length - damaged.length, damaged, last: rows.at(-1)?.place ?? null }
  })
}
