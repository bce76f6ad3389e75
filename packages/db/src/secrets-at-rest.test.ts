// A stolen database: whoever has every table and every byte of the cluster's folder, the write-ahead log included,
// has no secret. The same search finds a value that was stored in the clear, so it is able to fail.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createApiKey } from './api-keys.ts'
import type { Actor } from './audit.ts'
import { type Database, openDatabase } from './client.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { checkMasterKey, type MasterKeys, masterKeyOf } from './master-key.ts'
import { migrate } from './migrate.ts'
import { readSecret, retireSecret, storeSecret } from './secrets.ts'
import { seedFirstData } from './seed.ts'
import { signIn } from './sign-in.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'qm-at-rest-'))
const actor: Actor = { kind: 'system', id: 'test' }
const keys: MasterKeys = { current: masterKeyOf(randomBytes(32)), previous: null }
let server: EmbeddedPostgres
let db: Database

beforeAll(async () => {
  server = await startEmbeddedPostgres({ dataDir })
  await migrate(server.url)
  db = openDatabase(server.url, { name: 'at-rest' })
}, 120_000)
afterAll(async () => {
  await db?.close()
  await server?.stop()
  rmSync(dataDir, { recursive: true, force: true })
})

/** A value as it may lie somewhere: raw, in base64 at each of the three offsets, in hex, percent-encoded. */
function formsOf(value: string): Map<string, Buffer> {
  const forms = new Map<string, Buffer>([
    ['raw', Buffer.from(value)],
    ['hex', Buffer.from(Buffer.from(value).toString('hex'))],
    ['HEX', Buffer.from(Buffer.from(value).toString('hex').toUpperCase())],
    ['URL', Buffer.from(encodeURIComponent(value))],
    ['UTF-16', Buffer.from(value, 'utf16le')],
  ])
  for (const encoding of ['base64', 'base64url'] as const)
    for (const offset of [0, 1, 2]) {
      const encoded = Buffer.concat([Buffer.alloc(offset), Buffer.from(value)])
        .toString(encoding)
        .replace(/=+$/, '')
      // The first and last characters depend on the neighbours; those between do not.
      forms.set(`${encoding}+${offset}`, Buffer.from(encoded.slice(offset === 0 ? 0 : 4, -4)))
    }
  return forms
}

/**
 * Where a value occurs: in which table's text, in which file, and in which form. The tables are what pg_dump would
 * write (the embedded server brings no pg_dump, and an older one refuses it); the files are everything else.
 */
async function findEverywhere(value: string): Promise<string[]> {
  const found: string[] = []
  const tables = await db.pool.query(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables
     WHERE schemaname NOT IN ('pg_catalog', 'information_schema')`,
  )
  expect(tables.rows.length).toBeGreaterThan(40)
  for (const { name } of tables.rows) {
    const { rows } = await db.pool.query(`SELECT coalesce(string_agg(t::text, E'\\n'), '') AS text FROM ${name} t`)
    const text = Buffer.from(rows[0].text)
    for (const [form, bytes] of formsOf(value)) if (text.includes(bytes)) found.push(`table ${name} (${form})`)
  }
  await db.pool.query('CHECKPOINT')
  for (const file of filesUnder(dataDir)) {
    const content = readFileSync(file)
    for (const [form, bytes] of formsOf(value)) if (content.includes(bytes)) found.push(`file ${file} (${form})`)
  }
  return found
}

function* filesUnder(folder: string): Generator<string> {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stat = statSync(path)
    if (stat.isDirectory()) yield* filesUnder(path)
    else if (stat.isFile()) yield path
  }
}

const canary = (what: string) => `canary/${what}+${randomBytes(18).toString('hex')}=?`

test('no secret, password, token or key is in any table or any byte of the data folder; a plain value is', async () => {
  await checkMasterKey(db, keys)
  const password = canary('password')
  await seedFirstData(db, { ownerEmail: 'owner@example.com', ownerPassword: password, workspaceName: 'House' })
  const { rows } = await db.pool.query('SELECT workspace_id, id FROM members')
  const { workspace_id: workspaceId, id: memberId } = rows[0]

  const [replaced, current, retired, plain] = ['replaced', 'current', 'retired', 'plain'].map(canary) as [
    string,
    string,
    string,
    string,
  ]
  const store = (name: string, value: string) =>
    storeSecret(db, keys, { workspaceId, scope: 'github', name, value, actor })
  await store('token', replaced)
  await store('token', current)
  await store('gone', retired)
  await retireSecret(db, { workspaceId, name: 'gone', actor })
  expect((await readSecret(db, keys, { workspaceId, name: 'token' }))?.value).toBe(current)

  const { key } = await createApiKey(db, { workspaceId, memberId, name: 'CI', scopes: [], actor })
  const signedIn = await signIn(db, { email: 'owner@example.com', password, address: '127.0.0.1', userAgent: null })
  if (!signedIn.ok) throw new Error('sign-in was refused')

  // The control. It also goes into a table as text, in base64 and in hex, which the search has to see.
  await db.pool.query(
    `INSERT INTO settings (workspace_id, key, value)
     VALUES ($1, 'plain', to_jsonb($2::text)), ($1, 'b64', to_jsonb($3::text)), ($1, 'hex', to_jsonb($4::text))`,
    [workspaceId, plain, Buffer.from(`..${plain}`).toString('base64'), Buffer.from(plain).toString('hex')],
  )
  const control = await findEverywhere(plain)
  for (const form of ['raw', 'hex', 'base64+2']) {
    expect(control).toContain(`table public.settings (${form})`)
    expect(control.some((place) => place.includes('/pg_wal/') && place.endsWith(`(${form})`))).toBe(true)
    expect(control.some((place) => place.includes('/base/') && place.endsWith(`(${form})`))).toBe(true)
  }

  const secrets = { password, replaced, current, retired, apiKey: key, sessionToken: signedIn.token }
  for (const [what, value] of Object.entries(secrets)) expect([what, await findEverywhere(value)]).toEqual([what, []])
  const masterKey = keys.current.bytes
  for (const form of [masterKey, Buffer.from(masterKey.toString('hex')), Buffer.from(masterKey.toString('base64'))])
    for (const file of filesUnder(dataDir)) expect(readFileSync(file).includes(form)).toBe(false)
}, 120_000)
