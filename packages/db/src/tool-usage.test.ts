import { expect, test } from 'vitest'
import { newId } from './ids.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, startRun } from './testing-workspace.ts'
import { countToolUsage, readToolUsage } from './tool-usage.ts'

const database = useTestDatabase()

async function start() {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  const { workspaceId, agentId } = workspace
  const run = await startRun(db, workspace)
  const call = async (status: string, { tool = 'file.read', ms = null as number | null, minutesAgo = 5 } = {}) => {
    const id = newId('call')
    await db.pool.query(
      `INSERT INTO tool_calls (id, workspace_id, run_id, conversation_id, agent_id, step, tool_use_id, tool_name, tool_version,
         effect, arguments, arguments_digest, status, duration_ms, claimed_by, requested_at, finished_at)
       VALUES ($1, $2, $3, $4, $5, 1, $1, $6, '1', 'read', '{}', '', $7::tool_call_status, $8, CASE WHEN $7 = 'running' THEN 'p' END,
         now() - make_interval(mins => $9), CASE WHEN $7 NOT IN ('asking', 'running') THEN now() END)`,
      [id, workspaceId, run.runId, run.conversationId, agentId, tool, status, ms, minutesAgo],
    )
    return id
  }
  const read = async () => await readToolUsage(db, workspaceId, { since: new Date(Date.now() - 86_400_000) })
  return { db, workspaceId, call, read }
}

test('each call is counted once by how it ended, however often it is counted', async () => {
  const { db, call, read } = await start()
  for (const status of ['succeeded', 'succeeded', 'failed', 'interrupted', 'refused', 'denied'])
    await call(status, { ms: 40 })
  await call('succeeded', { tool: 'file.write', ms: 3_000 })
  await countToolUsage(db)
  await countToolUsage(db)
  expect(await read()).toMatchObject([
    { toolName: 'file.read', calls: 6, succeeded: 2, failed: 1, interrupted: 1, refused: 1, denied: 1 },
    { toolName: 'file.write', calls: 1, succeeded: 1 },
  ])
  const [readUse] = await read()
  expect(readUse?.p50Ms).toBeGreaterThan(25)
  expect(readUse?.p50Ms).toBeLessThanOrEqual(50)
})

test('a call that waits for a person is counted when it is over, and not before', async () => {
  const { db, call, read } = await start()
  const id = await call('asking')
  await countToolUsage(db)
  expect(await read()).toEqual([])
  await db.pool.query(`UPDATE tool_calls SET status = 'denied', finished_at = now() WHERE id = $1`, [id])
  await countToolUsage(db)
  await countToolUsage(db)
  expect(await read()).toMatchObject([{ calls: 1, denied: 1 }])
})

test('what is too young to be seen whole is left for later', async () => {
  const { db, call, read } = await start()
  await call('succeeded', { minutesAgo: 0 })
  await countToolUsage(db)
  expect(await read()).toEqual([])
  await countToolUsage(db, { lag: 0 })
  expect(await read()).toMatchObject([{ calls: 1 }])
})

test('ten who count at once, in small steps, count each call once', async () => {
  const { db, call, read } = await start()
  for (let index = 0; index < 60; index++) await call(index % 3 ? 'succeeded' : 'asking', { minutesAgo: 2 + index })
  await Promise.all(Array.from({ length: 10 }, () => countToolUsage(db, { atOnce: 7 })))
  await countToolUsage(db, { atOnce: 7 })
  expect(await read()).toMatchObject([{ calls: 40 }])
  await db.pool.query(`UPDATE tool_calls SET status = 'succeeded', finished_at = now() WHERE status = 'asking'`)
  await Promise.all(Array.from({ length: 10 }, () => countToolUsage(db, { atOnce: 7 })))
  expect(await read()).toMatchObject([{ calls: 60 }])
})

test('it gives way after its steps, says that there is more, and goes on there', async () => {
  const { db, call, read } = await start()
  for (let index = 0; index < 5; index++) await call('succeeded', { minutesAgo: 10 - index })
  expect(await countToolUsage(db, { atOnce: 2, steps: 1 })).toBe(true)
  expect((await read())[0]?.calls).toBeLessThan(5)
  expect(await countToolUsage(db, { atOnce: 2 })).toBe(false)
  expect(await read()).toMatchObject([{ calls: 5 }])
})

test('another workspace’s use is not counted here', async () => {
  const { db, call } = await start()
  await call('succeeded')
  await countToolUsage(db)
  const other = await createTestWorkspace(db)
  expect(await readToolUsage(db, other.workspaceId, { since: new Date(0) })).toEqual([])
})
