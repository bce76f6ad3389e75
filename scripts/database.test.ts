// The scripts that work on the database, as real processes.
import { spawn } from 'node:child_process'
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  checkMasterKey,
  type Database,
  loadMasterKeys,
  masterKeyFile,
  migrate,
  nextMasterKeyFile,
  openDatabase,
  readSecret,
  seedFirstData,
  signIn,
  storeSecret,
} from '@quartermaster/db'
import { findRunningPostgres, startEmbeddedPostgres } from '@quartermaster/db/embedded-postgres'
import { createTestDatabase, type TestDatabase } from '@quartermaster/db/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'

const first = { ownerEmail: 'owner@example.com', ownerPassword: 'a long enough password', workspaceName: 'House' }
const secrets = 40
let dataDir = ''
let database: TestDatabase

beforeEach(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'qm-scripts-'))
  database = await createTestDatabase()
})
afterEach(async () => {
  await database.dispose()
  rmSync(dataDir, { recursive: true, force: true })
})

interface Ended {
  code: number | null
  output: string
}

function start(script: string, args: string[], env: Record<string, string> = {}) {
  const child = spawn(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', join(import.meta.dirname, `${script}.ts`), ...args],
    { env: { PATH: process.env.PATH ?? '', QM_DATA_DIR: dataDir, DATABASE_URL: database.url, ...env } },
  )
  let output = ''
  child.stdout.on('data', (chunk) => (output += chunk))
  child.stderr.on('data', (chunk) => (output += chunk))
  const ended = new Promise<Ended>((done) => child.on('close', (code) => done({ code, output })))
  return { child, ended }
}
const run = (script: string, args: string[] = [], env: Record<string, string> = {}) => start(script, args, env).ended

async function seedWithSecrets(): Promise<string> {
  const keys = loadMasterKeys({ dataDir, mayCreate: true })
  await checkMasterKey(database.db, keys)
  await seedFirstData(database.db, first)
  const workspaceId = (await database.db.prisma.workspace.findFirstOrThrow()).id
  for (let index = 0; index < secrets; index++)
    await storeSecret(database.db, keys, {
      workspaceId,
      scope: 'test',
      name: `secret-${index}`,
      value: `value ${index}`,
      actor: { kind: 'system', id: 'test' },
    })
  return workspaceId
}

async function expectReadable(
  workspaceId: string,
  source = { dataDir, mayCreate: false } as Parameters<typeof loadMasterKeys>[0],
) {
  const keys = loadMasterKeys(source)
  await checkMasterKey(database.db, keys)
  for (let index = 0; index < secrets; index++)
    expect((await readSecret(database.db, keys, { workspaceId, name: `secret-${index}` }))?.value).toBe(
      `value ${index}`,
    )
  return keys
}

const canSignIn = async (db: Database, password: string) =>
  (await signIn(db, { email: first.ownerEmail, password, address: '127.0.0.1', userAgent: null })).ok

test('a new key file takes the place of the old one, which is kept, and every secret opens', async () => {
  const workspaceId = await seedWithSecrets()
  const before = await expectReadable(workspaceId)
  const { code, output } = await run('secrets-rotate', ['--new-file'])
  expect(output).toContain(`${secrets} secrets were re-wrapped`)
  expect(code).toBe(0)
  const after = await expectReadable(workspaceId)
  expect(after.current.id).not.toBe(before.current.id)
  expect(after.previous).toBeNull()
  expect(readdirSync(dataDir).sort()).toEqual(['master.key', `master.key.${before.current.id}`])
}, 30_000)

test('keys given as variables are rotated from the previous to the current one', async () => {
  const workspaceId = await seedWithSecrets()
  const old = loadMasterKeys({ dataDir, mayCreate: false }).current.bytes
  const next = Buffer.alloc(32, 7)
  const env = { QM_MASTER_KEY: next.toString('hex'), QM_MASTER_KEY_PREVIOUS: old.toString('base64') }
  const refused = await run('secrets-rotate', [], { QM_MASTER_KEY: next.toString('hex') })
  expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('no previous master key') })
  const mixed = await run('secrets-rotate', ['--new-file'], env)
  expect(mixed).toMatchObject({ code: 1, output: expect.stringContaining('no key file to change') })
  const { code, output } = await run('secrets-rotate', [], env)
  expect(output).toContain(`${secrets} secrets were re-wrapped`)
  expect(code).toBe(0)
  expect(output).not.toContain(env.QM_MASTER_KEY)
  await expectReadable(workspaceId, { key: next, dataDir, mayCreate: false })
}, 30_000)

/** Resolves when a script has connected to the test database; the key file is made just before that. */
async function connectedScript(): Promise<void> {
  for (let round = 0; round < 5_000; round++) {
    const { rows } = await database.db.pool.query(
      `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND application_name IN ('qm-migrate', 'qm-script')`,
    )
    if (rows.length) return
    await sleep(1)
  }
  throw new Error('the script never connected')
}

test('killed at any moment, a rotation by file loses nothing and can be run again', async () => {
  const workspaceId = await seedWithSecrets()
  let brokenOff = 0
  // From the moment the script is connected there is something to lose; each round kills a little later than the last.
  for (const ms of [0, 4, 8, 12, 16, 20, 25, 30, 40, 60]) {
    const { child, ended } = start('secrets-rotate', ['--new-file'])
    await connectedScript()
    await sleep(ms)
    child.kill('SIGKILL')
    await ended
    if (existsSync(nextMasterKeyFile(dataDir))) brokenOff++
    await expectReadable(workspaceId)
  }
  expect(brokenOff).toBeGreaterThan(0)
  expect((await run('secrets-rotate', ['--new-file'])).code).toBe(0)
  expect((await expectReadable(workspaceId)).previous).toBeNull()
}, 60_000)

test('a reset password is printed once, works, and the old one does not; an unknown e-mail is a sentence', async () => {
  await seedWithSecrets()
  const { code, output } = await run('reset-password', ['Owner@Example.com'])
  expect(code).toBe(0)
  const password = /: (\S{20})$/m.exec(output)?.[1] as string
  expect(await canSignIn(database.db, password)).toBe(true)
  expect(await canSignIn(database.db, first.ownerPassword)).toBe(false)
  const { rows } = await database.db.pool.query(
    `SELECT actor_id FROM audit_events WHERE action = 'member.set-password'`,
  )
  expect(rows).toEqual([{ actor_id: 'reset-password' }])
  expect(await run('reset-password', ['nobody@example.com'])).toMatchObject({
    code: 1,
    output: expect.stringContaining('no login with the e-mail nobody@example.com'),
  })
  expect(await run('reset-password')).toMatchObject({ code: 1, output: expect.stringContaining('Whose password?') })
}, 30_000)

test('the demo is made once, and again only when asked', async () => {
  await seedWithSecrets()
  expect(await run('seed-demo')).toMatchObject({ code: 0, output: expect.stringContaining('"Northwind" is there') })
  expect(await run('seed-demo')).toMatchObject({ code: 1, output: expect.stringContaining('is there already') })
  expect(await run('seed-demo', ['--again'])).toMatchObject({ code: 0 })
}, 60_000)

test('a wrong or missing master key, or one open to others, stops a script in one sentence', async () => {
  await seedWithSecrets()
  const wrong = await run('seed-demo', [], { QM_MASTER_KEY: 'ab'.repeat(32) })
  expect(wrong).toMatchObject({ code: 1, output: expect.stringContaining('master key is the wrong one') })
  chmodSync(masterKeyFile(dataDir), 0o644)
  expect(await run('seed-demo')).toMatchObject({ code: 1, output: expect.stringContaining('chmod 600') })
  rmSync(masterKeyFile(dataDir))
  expect(await run('seed-demo')).toMatchObject({ code: 1, output: expect.stringContaining('There is no master key') })
  expect(existsSync(masterKeyFile(dataDir))).toBe(false)
}, 30_000)

test('an embedded database that is down is started for the script and stopped after it', async () => {
  const folder = join(dataDir, 'embedded')
  const seeding = await startEmbeddedPostgres({ dataDir: folder, ephemeral: true })
  await migrate(seeding.url)
  const seeded = openDatabase(seeding.url, { name: 'test' })
  await seedFirstData(seeded, first)
  await seeded.close()
  await seeding.stop()

  const { code, output } = await run('reset-password', [first.ownerEmail], { QM_DATA_DIR: folder, DATABASE_URL: '' })
  expect(code).toBe(0)
  expect(findRunningPostgres(folder)).toBeNull()
  expect(existsSync(join(folder, 'running.pid'))).toBe(false)

  const server = await startEmbeddedPostgres({ dataDir: folder, ephemeral: true })
  const db = openDatabase(server.url, { name: 'test' })
  try {
    // And one that is up is used as it is.
    expect(await canSignIn(db, /: (\S{20})$/m.exec(output)?.[1] as string)).toBe(true)
    const again = await run('reset-password', [first.ownerEmail], { QM_DATA_DIR: folder, DATABASE_URL: '' })
    expect(again.code).toBe(0)
    expect(findRunningPostgres(folder)).toBe(server.url)
  } finally {
    await db.close()
    await server.stop()
  }
}, 60_000)
