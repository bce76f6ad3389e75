import { fork, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { listProcesses, migrate } from '@quartermaster/db'
import { type EmbeddedPostgres, findFreePort, startEmbeddedPostgres } from '@quartermaster/db/embedded-postgres'
import { useTestDatabase } from '@quartermaster/db/testing'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { inherited, startBot, testMasterKey, until } from './start-bot.ts'

const database = useTestDatabase()
const stopMs = 10_000

test.each(['SIGTERM', 'SIGINT'] as const)(
  '%s ends the bot in order, with code 0 and within its time',
  async (signal) => {
    const bot = await startBot({ DATABASE_URL: database.url })
    // A client that keeps its connection open must not hold the bot back.
    const open = connect(Number(new URL(bot.url).port), '127.0.0.1')
    await new Promise((done) => open.once('connect', done))
    open.on('error', () => {}) // It is cut off when the bot ends.
    const asked = performance.now()
    bot.child.kill(signal)
    bot.child.kill(signal) // An impatient second one changes nothing.
    expect(await bot.exited).toMatchObject({ code: 0, signal: null })
    expect(performance.now() - asked).toBeLessThan(stopMs)
    expect(bot.output().stdout.trim().split('\n').at(-1)).toContain('"msg":"stopped"')
    expect(await pidsOnList()).not.toContain(bot.child.pid)
  },
)

test('a signal during the start is not lost', async () => {
  const child = fork(join(import.meta.dirname, '../../apps/bot/src/main.ts'), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    env: {
      ...inherited,
      QM_MASTER_KEY: testMasterKey,
      DATABASE_URL: database.url,
      QM_BOT_PORT: String(await findFreePort()),
    },
  })
  const exited = new Promise<number | null>((done) => child.once('exit', done))
  // It listens for signals with its first line, and is ready some time after its first connection.
  await until(connectionsOfBot, (count) => count > 0)
  child.kill('SIGTERM')
  expect(await exited).toBe(0)
})

test('the bot ends by itself when the process that started it is gone', async () => {
  const environment = { DATABASE_URL: database.url, QM_BOT_PORT: String(await findFreePort()) }
  // A parent that is killed without a chance to say anything.
  const parent = spawn(
    process.execPath,
    [
      '-e',
      `const { fork } = require('node:child_process')
       const child = fork(process.argv[1], { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] })
       child.on('message', () => console.log(child.pid))`,
      join(import.meta.dirname, '../../apps/bot/src/main.ts'),
    ],
    {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...inherited, QM_MASTER_KEY: testMasterKey, ...environment },
    },
  )
  const pid = Number(await new Promise((done) => parent.stdout?.once('data', done)))
  expect(isAlive(pid)).toBe(true)
  parent.kill('SIGKILL')
  await until(
    async () => isAlive(pid),
    (alive) => !alive,
    stopMs,
  )
  expect(await pidsOnList()).not.toContain(pid)
})

test('a database that restarts makes the bot unready and then ready again, and jobs are worked on again', async () => {
  const proxied = await startProxiedPostgres()
  await migrate(proxied.url)
  const bot = await startBot({ DATABASE_URL: proxied.url })
  const readiness = async () => (await fetch(`${bot.url}/healthz/ready`)).status
  expect(await readiness()).toBe(200)

  await proxied.down()
  await until(readiness, (status) => status === 503)
  const reason = await (await fetch(`${bot.url}/healthz/ready`)).json()
  expect(reason).toEqual({ ready: false, reason: 'The database cannot be reached.' })
  expect((await fetch(`${bot.url}/healthz`)).status).toBe(200)
  expect(await (await fetch(`${bot.url}/metrics`)).text()).toContain('qm_database_up 0')

  await proxied.up()
  await until(readiness, (status) => status === 200)
  await query(proxied.url, `INSERT INTO attempts VALUES ('\\x00', now() - interval '1 day', 1)`)
  await query(proxied.url, `SELECT graphile_worker.add_job('delete-old-attempts')`)
  await until(
    () => query(proxied.url, 'SELECT * FROM attempts'),
    (rows) => rows.length === 0,
    20_000,
  )

  bot.child.kill('SIGTERM')
  expect(await bot.exited).toMatchObject({ code: 0 })
}, 60_000)

test('the bot ends in order within its time even while its database is away', async () => {
  const proxied = await startProxiedPostgres()
  await migrate(proxied.url)
  const bot = await startBot({ DATABASE_URL: proxied.url })
  await proxied.down()
  const asked = performance.now()
  bot.child.kill('SIGTERM')
  expect(await bot.exited).toMatchObject({ code: 0 })
  expect(performance.now() - asked).toBeLessThan(stopMs)
}, 60_000)

const pidsOnList = async () => (await listProcesses(database.db)).map((process) => process.pid)

async function connectionsOfBot(): Promise<number> {
  const { rows } = await database.db.pool.query(
    `SELECT count(*)::int AS n FROM pg_stat_activity
     WHERE datname = current_database() AND application_name IN ('qm-bot', 'qm-migrate')`,
  )
  return rows[0].n
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false // No such process.
  }
}

async function query(url: string, sql: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql)).rows
  } finally {
    await client.end()
  }
}

/** A server of the test's own that really goes down and comes up, behind an address that stays the same. */
async function startProxiedPostgres() {
  const dataDir = mkdtempSync(join(tmpdir(), 'qm-restart-'))
  let server: EmbeddedPostgres | null = await startEmbeddedPostgres({ dataDir, ephemeral: true })
  const sockets = new Set<Socket>()
  const proxy = createServer((inner) => {
    if (!server) return inner.destroy()
    const outer = connect(server.port, '127.0.0.1')
    for (const [from, to] of [
      [inner, outer],
      [outer, inner],
    ] as const) {
      sockets.add(from)
      from.on('error', () => {}) // The other side learns it by the end of the connection.
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  await new Promise<void>((done) => proxy.listen(0, '127.0.0.1', done))
  const url = new URL(server.url)
  url.port = String((proxy.address() as { port: number }).port)
  const down = async () => {
    const going = server
    server = null
    await going?.stop()
  }
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    proxy.close()
    await down()
    rmSync(dataDir, { recursive: true, force: true })
  })
  return {
    url: url.href,
    down,
    async up() {
      server = await startEmbeddedPostgres({ dataDir, ephemeral: true })
    },
  }
}
