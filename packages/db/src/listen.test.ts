import { afterEach, beforeAll, expect, test, vi } from 'vitest'
import { openDatabase } from './client.ts'
import { deliveryChannel, enqueueDelivery } from './deliveries.ts'
import { requestStop, stopChannel } from './finish-run.ts'
import { listen, type Notice } from './listen.ts'
import { runEventChannel } from './run-events.ts'
import { createTestDatabase, testServerUrl, useTestDatabase } from './testing.ts'
import { createTestWorkspace, say, startRun, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let listening = new AbortController()

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

afterEach(() => {
  listening.abort()
  listening = new AbortController()
})

async function start(url: string, channels: string[]): Promise<Notice[]> {
  const notices: Notice[] = []
  await listen(url, channels, (notice) => notices.push(notice), { signal: listening.signal })
  return notices
}

const terminate = (name = 'qm-listen') =>
  database.db.pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1', [name])

test('what transitions announce arrives: run events, stops and deliveries', async () => {
  const notices = await start(database.url, [runEventChannel, stopChannel, deliveryChannel])
  const run = await startRun(database.db, workspace)
  await enqueueDelivery(database.db, { conversationId: run.conversationId, kind: 'text', payload: {} })
  const actor = { kind: 'system', id: 'test' } as const
  await requestStop(database.db, { workspaceId: workspace.workspaceId, runId: run.runId, actor })
  await vi.waitFor(
    () => expect(notices).toContainEqual({ kind: 'notice', channel: stopChannel, payload: run.runId }),
    15_000,
  )
  const parsed = notices.map((notice) =>
    notice.kind === 'notice' && notice.channel !== stopChannel ? JSON.parse(notice.payload) : null,
  )
  expect(parsed).toContainEqual(expect.objectContaining({ runId: run.runId, kind: 'run-start' }))
  expect(parsed).toContainEqual({ conversationId: run.conversationId, channelId: workspace.channelId })
})

test('a transition that is rolled back announces nothing', async () => {
  const notices = await start(database.url, [runEventChannel])
  const client = await database.db.pool.connect()
  await client.query('BEGIN')
  await client.query(`SELECT pg_notify($1, 'never')`, [runEventChannel])
  await client.query('ROLLBACK')
  client.release()
  const { runId } = await say(database.db, workspace)
  await vi.waitFor(() => expect(notices.length).toBeGreaterThan(0), 15_000)
  expect(JSON.stringify(notices)).toContain(runId)
  expect(JSON.stringify(notices)).not.toContain('never')
})

test('after a break it listens again and says that something may have been missed', async () => {
  const notices = await start(database.url, [runEventChannel])
  for (let round = 1; round <= 2; round++) {
    await terminate()
    await vi.waitFor(() => expect(notices.filter((notice) => notice.kind === 'gap')).toHaveLength(round), 5_000)
  }
  const { runId } = await say(database.db, workspace)
  await vi.waitFor(() => expect(JSON.stringify(notices)).toContain(runId), 15_000)
})

test('it keeps trying while the database is away', async () => {
  const away = await createTestDatabase()
  const server = openDatabase(testServerUrl(), { name: 'test-server', maxConnections: 1 })
  const name = new URL(away.url).pathname.slice(1)
  try {
    const notices = await start(away.url, ['anything'])
    await server.pool.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await server.pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
    await new Promise((done) => setTimeout(done, 500))
    expect(notices).toEqual([])
    await server.pool.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
    await vi.waitFor(() => expect(notices).toEqual([{ kind: 'gap' }]), 5_000)
  } finally {
    listening.abort()
    await server.close()
    await away.dispose()
  }
})

test('a database that cannot be reached at the start is an error', async () => {
  await expect(start('postgresql://nobody@127.0.0.1:1/none', ['anything'])).rejects.toThrow()
})
