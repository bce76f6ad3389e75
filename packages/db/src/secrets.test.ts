import { randomBytes } from 'node:crypto'
import { beforeAll, expect, test } from 'vitest'
import { type Actor, verifyAudit } from './audit.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { checkMasterKey, type MasterKeys, masterKeyOf } from './master-key.ts'
import { Problem } from './problem.ts'
import { rotateMasterKey } from './rotate-master-key.ts'
import { listSecrets, readSecret, retireSecret, storeSecret } from './secrets.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()
const actor: Actor = { kind: 'system', id: 'test' }
const keys: MasterKeys = { current: masterKeyOf(randomBytes(32)), previous: null }
let workspaceId = ''

async function newWorkspace(): Promise<string> {
  const id = newId('wsp')
  await database.db.pool.query('INSERT INTO workspaces (id, slug, name) VALUES ($1, $1, $1)', [id])
  return id
}

beforeAll(async () => {
  await checkMasterKey(database.db, keys)
  workspaceId = await newWorkspace()
})

const store = (name: string, value: string, more: { workspaceId?: string; scope?: string; expiresAt?: Date } = {}) =>
  storeSecret(database.db, keys, { workspaceId, scope: 'github', name, value, actor, ...more })
const read = async (name: string, with_ = keys, where = workspaceId) =>
  (await readSecret(database.db, with_, { workspaceId: where, name }))?.value

test('a stored value is read back as it was, from one byte to the largest', async () => {
  const values = ['x', 'Grüße 🦀\n"quoted"', 'k'.repeat(limits.secretBytes)]
  for (const [index, value] of values.entries()) {
    await store(`value-${index}`, value)
    expect(await read(`value-${index}`)).toBe(value)
  }
  expect(await read('nothing')).toBeUndefined()
})

test('a value or name that cannot be is refused, and no error repeats the value', async () => {
  const value = 'hunter2-'.repeat(limits.secretBytes / 8 + 1)
  const failures = await Promise.all([
    store('too-large', value).catch((error: Error) => error),
    store('bad name!', 'hunter2-').catch((error: Error) => error),
    store('x', 'hunter2-', { scope: '' }).catch((error: Error) => error),
    store('empty', '').catch((error: Error) => error),
    store('half', 'hunter2-\ud800').catch((error: Error) => error),
    storeSecret(database.db, keys, { workspaceId: 'none', scope: 's', name: 'n', value: 'hunter2-', actor }).catch(
      (error: Error) => error,
    ),
  ])
  for (const failure of failures) {
    expect(failure).toBeInstanceOf(Error)
    expect(JSON.stringify([failure, (failure as Error).message, (failure as Error).stack])).not.toContain('hunter2')
  }
})

test('storing a name again makes the next version, and destroys the bytes of the one before', async () => {
  expect(await store('token', 'first')).toEqual({ version: 1 })
  expect(await store('token', 'second')).toEqual({ version: 2 })
  expect(await read('token')).toBe('second')
  const { rows } = await database.db.pool.query(
    `SELECT v.version, v.retired_at IS NOT NULL AS retired, length(v.ciphertext) AS bytes, length(v.wrapped_key) AS key
     FROM secret_versions v JOIN secrets s ON s.id = v.secret_id WHERE s.name = 'token' ORDER BY v.version`,
  )
  expect(rows[0]).toEqual({ version: 1, retired: true, bytes: 0, key: 0 })
  expect(rows[1]).toMatchObject({ version: 2, retired: false })
})

test('values stored at once under one name become versions one after the other', async () => {
  const results = await Promise.all(Array.from({ length: 20 }, (_, index) => store('busy', `value-${index}`)))
  expect(results.map((result) => result.version).sort((a, b) => a - b)).toEqual(
    Array.from({ length: 20 }, (_, i) => i + 1),
  )
  expect(await read('busy')).toMatch(/^value-/)
})

test('a secret does not move to another scope by being stored there', async () => {
  await store('scoped', 'a', { scope: 'one' })
  await expect(store('scoped', 'b', { scope: 'two' })).rejects.toThrow('belongs to the scope "one"')
  expect(await read('scoped')).toBe('a')
})

test('a retired secret is gone, its name can be used again, and versions go on counting', async () => {
  await store('leaving', 'a')
  expect(await retireSecret(database.db, { workspaceId, name: 'leaving', actor })).toBe(true)
  expect(await retireSecret(database.db, { workspaceId, name: 'leaving', actor })).toBe(false)
  expect(await read('leaving')).toBeUndefined()
  expect((await listSecrets(database.db, workspaceId)).map((secret) => secret.name)).not.toContain('leaving')
  expect(await store('leaving', 'b', { scope: 'elsewhere' })).toEqual({ version: 2 })
  expect(await read('leaving')).toBe('b')
})

test('an expired value is not given out', async () => {
  await store('old', 'a', { expiresAt: new Date(Date.now() - 1000) })
  await expect(read('old')).rejects.toThrow(/expired on/)
  await store('old', 'b', { expiresAt: new Date(Date.now() + 60_000) })
  expect(await read('old')).toBe('b')
})

test('the list has names, scopes and dates and no value', async () => {
  await store('listed', 'not-in-the-list')
  const list = await listSecrets(database.db, workspaceId)
  expect(list.find((secret) => secret.name === 'listed')).toMatchObject({
    scope: 'github',
    version: 1,
    expiresAt: null,
  })
  expect(JSON.stringify(list)).not.toContain('not-in-the-list')
})

test('every change is recorded with its name and version', async () => {
  const place = await newWorkspace()
  await store('a', '1', { workspaceId: place })
  await store('a', '2', { workspaceId: place })
  await retireSecret(database.db, { workspaceId: place, name: 'a', actor })
  const { rows } = await database.db.pool.query(
    'SELECT action, data FROM audit_events WHERE workspace_id = $1 ORDER BY number',
    [place],
  )
  expect(rows).toEqual([
    { action: 'secret.store', data: { name: 'a', scope: 'github', version: 1 } },
    { action: 'secret.rotate', data: { name: 'a', scope: 'github', version: 2 } },
    { action: 'secret.retire', data: { name: 'a' } },
  ])
  expect(await verifyAudit(database.db, place)).toMatchObject({ ok: true, events: 3 })
})

interface Bytes {
  wrapped_key: Buffer
  ciphertext: Buffer
}
const current = `secret_versions v SET wrapped_key = $3, ciphertext = $4 FROM secrets s
  WHERE s.id = v.secret_id AND v.retired_at IS NULL AND s.workspace_id = $1 AND s.name = $2`
const bytesOf = async (name: string, where = workspaceId): Promise<Bytes> =>
  (
    await database.db.pool.query(
      `SELECT v.wrapped_key, v.ciphertext FROM secret_versions v JOIN secrets s ON s.id = v.secret_id
       WHERE v.retired_at IS NULL AND s.workspace_id = $1 AND s.name = $2`,
      [where, name],
    )
  ).rows[0]
const putBytes = (name: string, bytes: Bytes, where = workspaceId) =>
  database.db.pool.query(`UPDATE ${current}`, [where, name, bytes.wrapped_key, bytes.ciphertext])
const doesNotOpen = async (name: string, where = workspaceId) => {
  const failure = await read(name, keys, where).catch((error: unknown) => error)
  expect(failure).toBeInstanceOf(Problem)
  expect((failure as Problem).message).toContain(`"${name}" does not open`)
}

test('bytes swapped between two names do not open, whole or half, and open again in their place', async () => {
  await store('left', 'the left value')
  await store('right', 'the right value')
  const [left, right] = [await bytesOf('left'), await bytesOf('right')]
  await putBytes('left', right)
  await putBytes('right', left)
  await doesNotOpen('left')
  await doesNotOpen('right')
  await putBytes('left', { ...left, ciphertext: right.ciphertext })
  await doesNotOpen('left')
  await putBytes('left', { ...left, wrapped_key: right.wrapped_key })
  await doesNotOpen('left')
  await putBytes('left', left)
  expect(await read('left')).toBe('the left value')
})

test('bytes of an earlier version put in the place of the current one do not open', async () => {
  await store('rolled', 'revoked long ago')
  const before = await bytesOf('rolled')
  await store('rolled', 'the current one')
  await putBytes('rolled', before)
  await doesNotOpen('rolled')
})

test('bytes of the same name in another workspace do not open', async () => {
  const other = await newWorkspace()
  await store('shared', 'ours')
  await store('shared', 'theirs', { workspaceId: other })
  await putBytes('shared', await bytesOf('shared', other))
  await doesNotOpen('shared')
})

test('a single changed bit anywhere does not open', async () => {
  await store('bits', 'some value')
  const whole = await bytesOf('bits')
  for (const part of ['wrapped_key', 'ciphertext'] as const)
    for (let at = 0; at < whole[part].length; at += 3) {
      const changed = Buffer.from(whole[part])
      changed[at] = (changed[at] as number) ^ 1
      await putBytes('bits', { ...whole, [part]: changed })
      await doesNotOpen('bits')
    }
  await putBytes('bits', { ...whole, ciphertext: Buffer.alloc(0) })
  await doesNotOpen('bits')
  await putBytes('bits', whole)
  expect(await read('bits')).toBe('some value')
})

test('two seals of one value have nothing in common', async () => {
  await store('same-1', 'one value')
  await store('same-2', 'one value')
  const [a, b] = [await bytesOf('same-1'), await bytesOf('same-2')]
  expect(a.ciphertext.equals(b.ciphertext)).toBe(false)
  expect(a.ciphertext.subarray(1, 13).equals(b.ciphertext.subarray(1, 13))).toBe(false)
})

test('a wrong master key opens nothing and stores nothing, and the sentence says whose key it is', async () => {
  await store('kept', 'value')
  const wrong: MasterKeys = { current: masterKeyOf(randomBytes(32)), previous: null }
  await expect(read('kept', wrong)).rejects.toThrow(keys.current.id)
  const lost = { workspaceId, scope: 'github', name: 'kept', value: 'lost', actor }
  await expect(storeSecret(database.db, wrong, lost)).rejects.toThrow('master key is the wrong one')
  expect(await read('kept')).toBe('value')
})

// The last test: the database belongs to another key afterwards.
test('a rotation broken off anywhere can be taken up; afterwards the old key opens and stores nothing', async () => {
  for (let index = 0; index < 30; index++) await store(`rotated-${index}`, `value ${index}`)
  const names = (await listSecrets(database.db, workspaceId)).map((secret) => secret.name)
  const values = new Map<string, string | undefined>()
  const unreadable = new Set(['right', 'rolled', 'shared'])
  for (const name of unreadable) await retireSecret(database.db, { workspaceId, name, actor })
  for (const name of names.filter((name) => !unreadable.has(name))) values.set(name, await read(name))

  const rotated: MasterKeys = { current: masterKeyOf(randomBytes(32)), previous: keys.current }
  await expect(rotateMasterKey(database.db, keys)).rejects.toThrow('no previous master key')

  // As a kill -9 leaves it: handed over to the new key, some rows re-wrapped and some not. The unfinished state is
  // made with a rotation whose statement fails in the middle.
  await database.db.pool.query(`CREATE FUNCTION fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN IF (SELECT name FROM secrets WHERE id = NEW.secret_id) = 'rotated-17' THEN RAISE EXCEPTION 'killed'; END IF;
    RETURN NEW; END $$`)
  await database.db.pool.query(
    'CREATE TRIGGER fail_once BEFORE UPDATE ON secret_versions FOR EACH ROW EXECUTE FUNCTION fail_once()',
  )
  await expect(rotateMasterKey(database.db, rotated, { batchRows: 5 })).rejects.toThrow('killed')
  const wrappedBy = await database.db.pool.query(
    'SELECT DISTINCT key_id FROM secret_versions WHERE retired_at IS NULL ORDER BY key_id',
  )
  expect(wrappedBy.rows.map((row) => row.key_id)).toEqual([keys.current.id, rotated.current.id].sort())
  await database.db.pool.query('DROP TRIGGER fail_once ON secret_versions')
  await checkMasterKey(database.db, rotated)
  for (const [name, value] of values) expect(await read(name, rotated)).toBe(value)
  await expect(store('late', 'sealed with the old key')).rejects.toThrow('master key is the wrong one')

  const { rewrapped } = await rotateMasterKey(database.db, rotated)
  expect(rewrapped).toBeGreaterThan(0)
  expect(await rotateMasterKey(database.db, rotated)).toEqual({ rewrapped: 0 })
  const after: MasterKeys = { current: rotated.current, previous: null }
  await checkMasterKey(database.db, after)
  for (const [name, value] of values) {
    expect(await read(name, after)).toBe(value)
    await expect(read(name, keys)).rejects.toThrow('master key is the wrong one')
  }
  await expect(checkMasterKey(database.db, keys)).rejects.toThrow(Problem)
  const { rows } = await database.db.pool.query(
    `SELECT count(*)::int AS n FROM audit_events WHERE action = 'master-key.rotate' AND workspace_id = $1`,
    [workspaceId],
  )
  expect(rows[0].n).toBe(1)
}, 30_000)
