import { expect, test } from 'vitest'
import { finishRun, newId } from './index.ts'
import { limits } from './limits.ts'
import { listRuns, type RunFilters, readRun } from './list-runs.ts'
import { createTestWorkspace, say, startRun, type TestWorkspace, useTestDatabase } from './testing.ts'

const database = useTestDatabase()

/** Finished runs, a second apart, the last the newest; their titles say their number. */
async function makeRuns(workspace: TestWorkspace, count: number, more: { text?: string; status?: string } = {}) {
  const { db } = database
  const { conversationId } = await say(db, workspace)
  const { text = 'Run', status = 'succeeded' } = more
  await db.pool.query(
    `INSERT INTO runs (id, workspace_id, conversation_id, agent_id, trigger, requested_by, title, status, queued_at, finished_at)
     SELECT 'run_' || md5($1 || n), $2, $1, $3, 'message', $4, $5 || ' ' || n, $6::run_status,
       now() - interval '1 day' + n * interval '1 second', now() FROM generate_series(1, $7::int) n`,
    [conversationId, workspace.workspaceId, workspace.agentId, workspace.members.member, text, status, count],
  )
  await db.pool.query('DELETE FROM runs WHERE conversation_id = $1 AND finished_at IS NULL', [conversationId])
}

async function titlesOf(workspaceId: string, filters: RunFilters & { limit?: number }): Promise<string[]> {
  const titles: string[] = []
  let after: { at: Date; id: string } | undefined
  for (let pages = 0; pages < 100; pages++) {
    const page = await listRuns(database.db, { workspaceId, ...filters, ...(after ? { after } : {}) })
    titles.push(...page.runs.map(({ title }) => title))
    if (!page.next) return titles
    after = page.next
  }
  throw new Error('the list has no end')
}

test('each run is listed once, the newest first, also when others are queued between two pages', async () => {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  await makeRuns(workspace, 25)
  const first = await listRuns(db, { workspaceId: workspace.workspaceId, limit: 10 })
  expect(first.runs[0]?.title).toBe('Run 25')
  await startRun(db, workspace)
  const titles = first.runs.map(({ title }) => title)
  let next = first.next
  while (next) {
    const page = await listRuns(db, { workspaceId: workspace.workspaceId, limit: 10, after: next })
    titles.push(...page.runs.map(({ title }) => title))
    next = page.next
  }
  expect(titles).toEqual(Array.from({ length: 25 }, (_, index) => `Run ${25 - index}`))
})

test('runs of the same moment are neither lost nor shown twice at the border of a page', async () => {
  const workspace = await createTestWorkspace(database.db)
  await makeRuns(workspace, 12)
  await database.db.pool.query(`UPDATE runs SET queued_at = '2026-11-01T08:00:00Z' WHERE workspace_id = $1`, [
    workspace.workspaceId,
  ])
  const titles = await titlesOf(workspace.workspaceId, { limit: 5 })
  expect(new Set(titles).size).toBe(12)
  expect(titles).toHaveLength(12)
})

test('each filter keeps what it names and nothing else, alone and with others', async () => {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const { workspaceId, agentId, members } = workspace
  await makeRuns(workspace, 3)
  await makeRuns(workspace, 2, { text: 'Broken', status: 'failed' })
  const waiting = await startRun(db, workspace)
  await finishRun(db, waiting, { status: 'failed', error: { code: 'model_overloaded', message: 'Nobody there: 529' } })
  const scheduled = await startRun(db, workspace)
  await db.pool.query(
    `UPDATE runs SET trigger = 'schedule', requested_by = NULL, title = 'Every morning' WHERE id = $1`,
    [scheduled.runId],
  )
  const all = await titlesOf(workspaceId, {})
  expect(all).toHaveLength(7)
  expect(await titlesOf(workspaceId, { status: 'failed' })).toHaveLength(3)
  expect(await titlesOf(workspaceId, { status: 'succeeded' })).toEqual(['Run 3', 'Run 2', 'Run 1'])
  expect(await titlesOf(workspaceId, { status: 'failed', requestedBy: members.member, text: 'broken' })).toEqual([
    'Broken 2',
    'Broken 1',
  ])
  expect(await titlesOf(workspaceId, { requestedBy: members.owner })).toEqual([])
  expect(await titlesOf(workspaceId, { trigger: 'schedule' })).toEqual(['Every morning'])
  expect(await titlesOf(workspaceId, { trigger: 'message' })).toHaveLength(6)
  expect(await titlesOf(workspaceId, { agentId })).toHaveLength(7)
  expect(await titlesOf(workspaceId, { agentId: 'another' })).toEqual([])
  expect(await titlesOf(workspaceId, { channelKind: 'web' })).toHaveLength(7)
  expect(await titlesOf(workspaceId, { channelKind: 'slack' })).toEqual([])
  expect(await titlesOf(workspaceId, { text: '529' })).toHaveLength(1)
  expect(await titlesOf(workspaceId, { from: new Date(Date.now() - 3_600_000) })).toHaveLength(2)
  expect(await titlesOf(workspaceId, { to: new Date(Date.now() - 3_600_000) })).toHaveLength(5)
})

test('what somebody types is text and no pattern', async () => {
  const workspace = await createTestWorkspace(database.db)
  await makeRuns(workspace, 1, { text: '100 % of a_b \\ c' })
  await makeRuns(workspace, 1, { text: '100 percent of aXb' })
  for (const text of ['100 % of', 'a_b', '\\ c'])
    expect(await titlesOf(workspace.workspaceId, { text })).toHaveLength(1)
  expect(await titlesOf(workspace.workspaceId, { text: '\0' })).toEqual([])
})

test('a word is found beyond the newest window, finished or not, and every page goes on from the one before', async () => {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const open = await startRun(db, workspace)
  await db.pool.query(`UPDATE runs SET title = 'Needle in work', queued_at = now() - interval '3 days' WHERE id = $1`, [
    open.runId,
  ])
  await makeRuns(workspace, 3, { text: 'Needle' })
  await db.pool.query(
    `UPDATE runs SET queued_at = queued_at - interval '1 day' WHERE workspace_id = $1 AND title LIKE 'Needle%'`,
    [workspace.workspaceId],
  )
  await makeRuns(workspace, limits.listedWindow + 10, { text: 'Hay' })
  expect(await titlesOf(workspace.workspaceId, { text: 'needle', limit: 2 })).toEqual([
    'Needle 3',
    'Needle 2',
    'Needle 1',
    'Needle in work',
  ])
  // One too short for the index ends its page where it stopped looking, and is found all the same.
  expect(await titlesOf(workspace.workspaceId, { text: 'Ne', limit: 2 })).toHaveLength(4)
  expect(await titlesOf(workspace.workspaceId, { text: 'needle', channelKind: 'slack' })).toEqual([])
})

test('another workspace’s runs are neither listed nor read', async () => {
  const { db } = database
  const [own, other] = [await createTestWorkspace(db), await createTestWorkspace(db)]
  const run = await startRun(db, other)
  await db.pool.query(`UPDATE runs SET title = 'Secret plan' WHERE id = $1`, [run.runId])
  for (const filters of [{}, { text: 'Secret' }, { status: 'running' as const }, { agentId: other.agentId }])
    expect(await titlesOf(own.workspaceId, filters)).toEqual([])
  expect(await readRun(db, { workspaceId: own.workspaceId, runId: run.runId })).toBeNull()
  expect(await readRun(db, { workspaceId: other.workspaceId, runId: run.runId })).toMatchObject({
    title: 'Secret plan',
    status: 'running',
    agent: { id: other.agentId },
    version: { number: 1 },
    channel: { id: other.channelId },
    children: [],
    parent: null,
  })
  expect(await readRun(db, { workspaceId: own.workspaceId, runId: newId('run') })).toBeNull()
})
