import { createServer } from 'node:net'
import { listProcesses } from '@quartermaster/db'
import { findFreePort } from '@quartermaster/db/embedded-postgres'
import { testServerUrl, useTestDatabase } from '@quartermaster/db/testing'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { startBot } from './start-bot.ts'

const database = useTestDatabase()

test('the bot comes up on a migrated database, answers about its health, and is on the list of processes', async () => {
  const bot = await startBot({ DATABASE_URL: database.url })
  expect(bot.output().stderr).toBe('')
  expect(bot.ready).toMatchObject({
    ready: true,
    gateway: bot.url,
    health: {
      model: { state: 'off', next: 'Set ANTHROPIC_API_KEY (docs/model.md)' },
      slack: { state: 'off' },
      telegram: { state: 'off' },
    },
  })
  expect(await answerOf(`${bot.url}/healthz`)).toEqual({ status: 200, body: { alive: true } })
  expect(await answerOf(`${bot.url}/healthz/ready`)).toEqual({ status: 200, body: { ready: true } })
  expect(await listProcesses(database.db)).toMatchObject([
    { kind: 'bot', pid: bot.child.pid, roles: ['ingress', 'worker'], health: { slack: { state: 'off' } } },
  ])

  bot.child.kill('SIGTERM')
  expect(await bot.exited).toMatchObject({ code: 0 })
  expect(await listProcesses(database.db)).toEqual([])
})

test('metrics hold the process, the database and the requests, and are counted by route', async () => {
  const bot = await startBot({ DATABASE_URL: database.url, QM_ROLES: 'ingress' })
  await fetch(`${bot.url}/healthz`)
  await fetch(`${bot.url}/some/secret-path`)
  const answer = await fetch(`${bot.url}/metrics`)
  expect(answer.headers.get('content-type')).toContain('text/plain')
  const text = await answer.text()
  for (const line of [
    'qm_database_up 1',
    'qm_runs{status="queued"} 0',
    'qm_runs_finished_24h{status="failed"} 0',
    'qm_questions_open 0',
    'qm_deliveries_unsent{status="pending"} 0',
    'qm_jobs{state="due"} 0',
    'qm_jobs_oldest_seconds 0',
    'qm_database_connections{state="open"}',
    'qm_http_requests_total{route="/healthz",method="GET",status="200"} 1',
    'qm_http_requests_total{route="unknown",method="GET",status="404"} 1',
    'process_resident_memory_bytes',
  ])
    expect(text).toContain(line)
  expect(text).not.toContain('secret-path')
})

test('an unknown address is answered in JSON, and nothing of the inside is shown', async () => {
  const bot = await startBot({ DATABASE_URL: database.url, QM_ROLES: 'ingress' })
  expect(await answerOf(`${bot.url}/nothing`)).toEqual({ status: 404, body: { error: 'There is nothing here.' } })
  expect(await answerOf(`${bot.url}/healthz`, { method: 'DELETE' })).toMatchObject({ status: 404 })
})

test('a database that is not migrated ends the start with one sentence and the fix', async () => {
  const name = 'qm_unmigrated'
  const server = new pg.Client({ connectionString: testServerUrl() })
  await server.connect()
  await server.query(`CREATE DATABASE ${name}`)
  onTestFinished(async () => {
    await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await server.end()
  })
  const bot = await startBot({ DATABASE_URL: testServerUrl().replace(/\/[^/]+$/, `/${name}`) })
  expect(await bot.exited).toMatchObject({ code: 1 })
  expect(bot.output().stderr).toMatch(
    /^The database lacks \d+ migrations \(.*\)\.\n {2}→ Run "npm run db:migrate".*\n$/,
  )
  expect(bot.output().stdout).toBe('')
})

test('a database that cannot be reached ends the start with one sentence that names where, and no password', async () => {
  const port = await findFreePort()
  const bot = await startBot({ DATABASE_URL: `postgresql://me:canary-password@127.0.0.1:${port}/qm` })
  expect(await bot.exited).toMatchObject({ code: 1 })
  expect(bot.output().stderr).toMatch(
    new RegExp(`^The database at 127.0.0.1:${port}/qm cannot be reached: .*\\n {2}→ .*\\n$`),
  )
  expect(bot.output().stderr).not.toContain('canary-password')
})

test('without DATABASE_URL and without an embedded server the start says where a database comes from', async () => {
  const bot = await startBot({ QM_DATA_DIR: '/nonexistent/data' })
  expect(await bot.exited).toMatchObject({ code: 1 })
  expect(bot.output().stderr).toMatch(/^There is no database: .*\n {2}→ Run "npm start".*\n$/)
})

test('a taken port ends the start with the port, its variable and who holds it', async () => {
  const holder = createServer().listen(0, '127.0.0.1')
  await new Promise((done) => holder.once('listening', done))
  onTestFinished(() => void holder.close())
  const { port } = holder.address() as { port: number }
  const bot = await startBot({ DATABASE_URL: database.url, QM_BOT_PORT: String(port) })
  expect(await bot.exited).toMatchObject({ code: 1 })
  const { stderr } = bot.output()
  expect(stderr).toContain(`Port ${port}, which QM_BOT_PORT gives to the bot, is taken by`)
  if (process.platform === 'linux') expect(stderr).toContain(`(process ${process.pid})`)
  expect((await listProcesses(database.db)).map((process) => process.pid)).not.toContain(bot.child.pid)
})

test('wrong settings are told all at once, and nothing was started', async () => {
  const bot = await startBot({
    DATABASE_URL: 'mysql://x',
    QM_ROLES: 'cook',
    LOG_LEVEL: 'loud',
    SLACK_BOT_TOKEN: 'canary-token',
  })
  expect(await bot.exited).toMatchObject({ code: 1 })
  const { stderr } = bot.output()
  for (const name of ['DATABASE_URL', 'QM_ROLES', 'LOG_LEVEL', 'SLACK_BOT_TOKEN'])
    expect(stderr).toContain(`- ${name}:`)
  expect(stderr).not.toContain('canary-token')
})

test('another master key than the one the database belongs to ends the start', async () => {
  const bot = await startBot({ DATABASE_URL: database.url, QM_MASTER_KEY: 'ab'.repeat(32) })
  expect(await bot.exited).toMatchObject({ code: 1 })
  expect(bot.output().stderr).toMatch(/^The master key is the wrong one/)
})

async function answerOf(url: string, init?: RequestInit) {
  const answer = await fetch(url, init)
  return { status: answer.status, body: await answer.json() }
}
