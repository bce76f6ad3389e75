import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { findRunningPostgres, startEmbeddedPostgres } from './embedded-postgres.ts'
import { limits } from './limits.ts'
import { findOwner, spawnAs } from './postgres-owner.ts'

let dataDir: string
beforeEach(() => {
  // A folder of mktemp has mode 0700: as root, the server's own account can only get in by its one capability.
  dataDir = join(mkdtempSync(join(tmpdir(), 'qm-embedded-')), 'data')
})
afterEach(() => rmSync(join(dataDir, '..'), { recursive: true, force: true }))

const query = async (url: string, sql: string) => {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

test('data survives a stop and a start, and a log that has grown long is put aside', async () => {
  const first = await startEmbeddedPostgres({ dataDir })
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS n')
  await first.stop()
  expect(findRunningPostgres(dataDir)).toBeNull()
  expect(existsSync(join(dataDir, 'postgres.log.old'))).toBe(false)
  truncateSync(join(dataDir, 'postgres.log'), limits.postgresLogBytes + 1)
  const second = await startEmbeddedPostgres({ dataDir })
  expect(existsSync(join(dataDir, 'postgres.log.old'))).toBe(true)
  expect(findRunningPostgres(dataDir)).toBe(second.url)
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }])
  await second.stop()
})

test('a server whose parent was killed is taken over, with everything it had committed', async () => {
  const script = `import { startEmbeddedPostgres } from ${JSON.stringify(join(import.meta.dirname, 'embedded-postgres.ts'))}
    const server = await startEmbeddedPostgres({ dataDir: process.argv[1] }); console.log(server.url); setInterval(() => {}, 1000)`
  const parent = spawn(process.execPath, ['--input-type=module', '-e', script, dataDir], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const url = await new Promise<string>((done) => parent.stdout.once('data', (chunk) => done(String(chunk).trim())))
  await query(url, 'CREATE TABLE kept AS SELECT 42 AS n')
  parent.kill('SIGKILL')
  expect(findRunningPostgres(dataDir)).toBe(url)
  const next = await startEmbeddedPostgres({ dataDir })
  expect(await query(next.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }])
  await next.stop()
})

test('a killed server recovers what was committed', async () => {
  const first = await startEmbeddedPostgres({ dataDir })
  await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS n')
  process.kill(first.pid, 'SIGKILL')
  await first.exited
  const second = await startEmbeddedPostgres({ dataDir })
  expect(await query(second.url, 'SELECT n FROM kept')).toEqual([{ n: 42 }])
  await second.stop()
})

test('a pid file that a killed server left does not hold up the next start, whatever it says', async () => {
  const first = await startEmbeddedPostgres({ dataDir })
  await first.stop()
  // The number may belong to somebody else by now; PostgreSQL takes any process of its own account for a server.
  const stranger = spawnAs(findOwner(), '/bin/sleep', ['60'], [], { stdio: 'ignore' })
  try {
    for (const content of ['', `${stranger.pid}\n${dataDir}/postgres\n`]) {
      writeFileSync(join(dataDir, 'postgres/postmaster.pid'), content)
      const server = await startEmbeddedPostgres({ dataDir })
      await server.stop()
    }
    expect(stranger.exitCode ?? stranger.signalCode).toBeNull()
  } finally {
    stranger.kill()
  }
})

test('a cluster that was left half-made is made anew', async () => {
  mkdirSync(join(dataDir, 'postgres.new/base'), { recursive: true })
  const server = await startEmbeddedPostgres({ dataDir })
  await server.stop()
  expect(existsSync(join(dataDir, 'postgres.new'))).toBe(false)
})

test('a data folder that is no cluster is refused with the fix, and left as it is', async () => {
  mkdirSync(join(dataDir, 'postgres'), { recursive: true })
  writeFileSync(join(dataDir, 'postgres/precious'), 'data')
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(/is not a PostgreSQL cluster/)
  expect(existsSync(join(dataDir, 'postgres/precious'))).toBe(true)
})

test('a damaged cluster is refused with what PostgreSQL says, and no process is left', async () => {
  const server = await startEmbeddedPostgres({ dataDir })
  await server.stop()
  writeFileSync(join(dataDir, 'postgres/global/pg_control'), 'garbage')
  await expect(startEmbeddedPostgres({ dataDir })).rejects.toThrow(/PostgreSQL could not start on .*postgres: /)
  expect(findRunningPostgres(dataDir)).toBeNull()
})
