// Secrets: envelope encryption. Each version of a secret has a data key of its own, which seals the value; the master
// key (a key derived from it) wraps the data key. Both layers are bound to the workspace, the secret's name and the
// version, so bytes that were moved to another row do not open. Rotating the master key re-wraps the data keys and
// touches no value (rotate-master-key.ts).
//
// A name has one current version. Storing it again retires the version before in the same transaction, and a retired
// version keeps its row, for the history, but not its bytes: a value that was replaced can come out of no later dump.
import { randomBytes } from 'node:crypto'
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { deriveKey, type MasterKey, type MasterKeys, wrongMasterKey } from './master-key.ts'
import { Problem } from './problem.ts'
import { seal, unseal } from './sealing.ts'
import { readUse, type SecretUse, useColumns, useJoins } from './secret-history.ts'

/** Where sealed bytes belong. */
export interface SecretPlace {
  workspaceId: string
  name: string
  version: number
}

export interface SealedSecret {
  keyId: string
  wrappedKey: Buffer
  ciphertext: Buffer
}

const boundTo = (layer: 'key' | 'value', place: SecretPlace) => [layer, place.workspaceId, place.name, place.version]
const wrappingKey = (key: MasterKey) => deriveKey(key, 'secrets')

export function sealSecret(keys: MasterKeys, place: SecretPlace, value: string): SealedSecret {
  const dataKey = randomBytes(32)
  return {
    keyId: keys.current.id,
    wrappedKey: seal(wrappingKey(keys.current), dataKey, boundTo('key', place)),
    ciphertext: seal(dataKey, Buffer.from(value, 'utf8'), boundTo('value', place)),
  }
}

type WrappedKey = Pick<SealedSecret, 'keyId' | 'wrappedKey'>

/** The same data key under the current master key; null when it does not open. */
export function rewrapDataKey(keys: MasterKeys, place: SecretPlace, wrapped: WrappedKey): Buffer | null {
  const dataKey = openDataKey(keys, place, wrapped)
  return dataKey && seal(wrappingKey(keys.current), dataKey, boundTo('key', place))
}

function openDataKey(keys: MasterKeys, place: SecretPlace, wrapped: WrappedKey): Buffer | null {
  const key = [keys.current, keys.previous].find((candidate) => candidate?.id === wrapped.keyId)
  if (!key) throw wrongMasterKey(keys, wrapped.keyId)
  return unseal(wrappingKey(key), wrapped.wrappedKey, boundTo('key', place))
}

function doesNotOpen(place: SecretPlace): Problem {
  return new Problem(
    `The secret "${place.name}" does not open: its stored bytes were changed, or moved here from another secret, version or workspace.`,
    'Store its value again. If nobody here changed the database by hand, find out who did.',
  )
}

export interface StoreSecret {
  workspaceId: string
  /** The scope's name; it is made where it is missing. */
  scope: string
  name: string
  value: string
  expiresAt?: Date | null
  actor: Actor
}

/** Stores a value under a new name, or as the next version of a name. Errors never contain the value. */
export async function storeSecret(db: Database, keys: MasterKeys, input: StoreSecret): Promise<{ version: number }> {
  checkSecretName('secret', input.name)
  checkSecretName('scope', input.scope)
  const bytes = Buffer.byteLength(input.value, 'utf8')
  if (bytes === 0 || bytes > limits.secretBytes)
    throw new Problem(
      `The value of "${input.name}" has ${bytes} bytes: expected 1 to ${limits.secretBytes}.`,
      'Store a value within these bounds.',
    )
  if (!input.value.isWellFormed())
    throw new Problem(
      `The value of "${input.name}" is not text: it holds half of a surrogate pair, which would not come back as it was.`,
      'Store bytes that are not text in base64.',
    )
  return inTransaction(db, async (tx) => {
    await checkStillCurrent(tx, keys)
    const scopeId = await findOrCreateScope(tx, input)
    const secret = await findOrCreateSecret(tx, input, scopeId)
    const place = { workspaceId: input.workspaceId, name: input.name, version: secret.lastVersion + 1 }
    const sealed = sealSecret(keys, place, input.value)
    await retireVersions(tx, secret.id)
    await tx.query(
      `INSERT INTO secret_versions (secret_id, version, workspace_id, key_id, wrapped_key, ciphertext, expires_at)
       VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [
        secret.id,
        place.version,
        input.workspaceId,
        sealed.keyId,
        sealed.wrappedKey,
        sealed.ciphertext,
        input.expiresAt ?? null,
      ],
    )
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: place.version === 1 ? 'secret.store' : 'secret.rotate',
      subject: { kind: 'secret', id: secret.id },
      data: { name: input.name, scope: input.scope, version: place.version },
    })
    return { version: place.version }
  })
}

/**
 * A process that still holds the key from before a rotation must not seal anything with it: nobody would re-wrap it.
 * The shared lock makes a rotation that is about to begin wait for this transaction.
 */
export async function checkStillCurrent(tx: Queryable, keys: MasterKeys): Promise<void> {
  const { rows } = await tx.query(
    `SELECT value->>'keyId' AS key_id FROM instance_facts WHERE key = 'master_key' FOR SHARE`,
  )
  const keyId = rows[0]?.key_id
  if (keyId && keyId !== keys.current.id && keyId !== keys.previous?.id) throw wrongMasterKey(keys, keyId)
}

/** Holds the scope until the commit, so that nobody deletes it meanwhile; one that was just deleted is made again. */
async function findOrCreateScope(tx: Queryable, input: StoreSecret): Promise<string> {
  for (let tries = 0; tries < 5; tries++) {
    await tx.query(
      `INSERT INTO secret_scopes (id, workspace_id, name) VALUES ($1, $2, $3) ON CONFLICT (workspace_id, name) DO NOTHING`,
      [newId('scp'), input.workspaceId, input.scope],
    )
    const { rows } = await tx.query(
      'SELECT id FROM secret_scopes WHERE workspace_id = $1 AND name = $2 FOR KEY SHARE',
      [input.workspaceId, input.scope],
    )
    if (rows[0]) return rows[0].id
  }
  throw new Problem(`The scope "${input.scope}" is being deleted.`, 'Try again in a moment.')
}

/** Finds the name or takes it, and locks it: of two who store at once, one gets the version after the other's. */
async function findOrCreateSecret(
  tx: Queryable,
  input: StoreSecret,
  scopeId: string,
): Promise<{ id: string; lastVersion: number }> {
  await tx.query(
    `INSERT INTO secrets (id, workspace_id, scope_id, name) VALUES ($1, $2, $3, $4)
     ON CONFLICT (workspace_id, name) DO NOTHING`,
    [newId('sec'), input.workspaceId, scopeId, input.name],
  )
  const found = await tx.query(
    `SELECT s.id, s.scope_id, s.deleted_at, c.name AS scope FROM secrets s JOIN secret_scopes c ON c.id = s.scope_id
     WHERE s.workspace_id = $1 AND s.name = $2 FOR UPDATE OF s`,
    [input.workspaceId, input.name],
  )
  const secret = found.rows[0]
  if (secret.scope_id !== scopeId) {
    // Moving a secret would silently give it to every agent that has the other scope.
    if (!secret.deleted_at)
      throw new Problem(
        `The secret "${input.name}" belongs to the scope "${secret.scope}", not to "${input.scope}".`,
        'Store it under its own scope, or remove it first and then store it under the other.',
      )
  }
  if (secret.deleted_at)
    await tx.query('UPDATE secrets SET deleted_at = NULL, scope_id = $2 WHERE id = $1', [secret.id, scopeId])
  const last = await tx.query(
    'SELECT coalesce(max(version), 0)::int AS version FROM secret_versions WHERE secret_id = $1',
    [secret.id],
  )
  return { id: secret.id, lastVersion: last.rows[0].version }
}

async function retireVersions(tx: Queryable, secretId: string): Promise<void> {
  await tx.query(
    `UPDATE secret_versions SET retired_at = now(), wrapped_key = '', ciphertext = ''
     WHERE secret_id = $1 AND retired_at IS NULL`,
    [secretId],
  )
}

export interface OpenedSecret {
  value: string
  version: number
  scope: string
}

/** The current value; null when there is no such secret. Whether the caller may have it is decided before. */
export async function readSecret(
  db: { pool: Queryable },
  keys: MasterKeys,
  input: { workspaceId: string; name: string },
): Promise<OpenedSecret | null> {
  const { rows } = await db.pool.query(
    `SELECT v.version, v.key_id, v.wrapped_key, v.ciphertext, v.expires_at, v.expires_at < now() AS expired, c.name AS scope
     FROM secrets s
     JOIN secret_versions v ON v.secret_id = s.id AND v.retired_at IS NULL
     JOIN secret_scopes c ON c.id = s.scope_id
     WHERE s.workspace_id = $1 AND s.name = $2 AND s.deleted_at IS NULL`,
    [input.workspaceId, input.name],
  )
  const row = rows[0]
  if (!row) return null
  if (row.expired)
    throw new Problem(
      `The secret "${input.name}" expired on ${row.expires_at.toISOString().slice(0, 10)}.`,
      'Store a new value for it.',
    )
  const place = { workspaceId: input.workspaceId, name: input.name, version: row.version }
  const dataKey = openDataKey(keys, place, { keyId: row.key_id, wrappedKey: row.wrapped_key })
  const value = dataKey && unseal(dataKey, row.ciphertext, boundTo('value', place))
  if (!value) throw doesNotOpen(place)
  return { value: value.toString('utf8'), version: row.version, scope: row.scope }
}

/** The value in sealed bytes that the caller has read. Throws a Problem when they do not open. */
export function unsealSecret(keys: MasterKeys, place: SecretPlace, sealed: SealedSecret): string {
  const dataKey = openDataKey(keys, place, sealed)
  const value = dataKey && unseal(dataKey, sealed.ciphertext, boundTo('value', place))
  if (!value) throw doesNotOpen(place)
  return value.toString('utf8')
}

export interface ListedSecret {
  id: string
  name: string
  scope: string
  version: number
  createdAt: Date
  /** When the current version was stored. */
  storedAt: Date
  expiresAt: Date | null
  lastUse: SecretUse | null
}

/** Names and dates, never values. */
export async function listSecrets(db: { pool: Queryable }, workspaceId: string): Promise<ListedSecret[]> {
  const { rows } = await db.pool.query(
    `SELECT s.id, s.name, c.name AS scope, v.version, s.created_at, v.created_at AS stored_at, v.expires_at,
       ${useColumns}
     FROM secrets s
     JOIN secret_versions v ON v.secret_id = s.id AND v.retired_at IS NULL
     JOIN secret_scopes c ON c.id = s.scope_id
     ${useJoins}
     WHERE s.workspace_id = $1 AND s.deleted_at IS NULL ORDER BY c.name, s.name`,
    [workspaceId],
  )
  return rows.map((row) => ({
    id: row.id,
    name: row.name,
    scope: row.scope,
    version: row.version,
    createdAt: row.created_at,
    storedAt: row.stored_at,
    expiresAt: row.expires_at,
    lastUse: readUse(row),
  }))
}

/** Takes a secret out of use: its bytes are destroyed, its name and history stay. False when there is none. */
export function retireSecret(
  db: Database,
  input: { workspaceId: string; name: string; actor: Actor },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      `UPDATE secrets SET deleted_at = now() WHERE workspace_id = $1 AND name = $2 AND deleted_at IS NULL RETURNING id`,
      [input.workspaceId, input.name],
    )
    if (!rows[0]) return false
    await retireVersions(tx, rows[0].id)
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'secret.retire',
      subject: { kind: 'secret', id: rows[0].id },
      data: { name: input.name },
    })
    return true
  })
}

/** Throws a Problem that says what a name may be. */
export function checkSecretName(what: 'secret' | 'scope', name: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.:/-]{0,127}$/.test(name))
    throw new Problem(
      `This cannot be the name of a ${what}: expected up to 128 letters, digits and _ . : / -, a letter or digit first.`,
      'Choose another name, for example github.token.',
    )
}
