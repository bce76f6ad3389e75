import { beforeAll, describe, expect, test } from 'vitest'
import { listCalledTools } from './called-tools.ts'
import { newId } from './ids.ts'
import { type ListToolCalls, listToolCalls } from './list-tool-calls.ts'
import { readCallsOfRuns } from './read-listed-calls.ts'
import { readToolCall } from './read-tool-call.ts'
import type { ClaimedRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import { claim, createTestWorkspace, requestCall, say, startRun, type TestWorkspace } from './testing-workspace.ts'
import { decideToolCall, finishToolCall, refuseToolCall, startToolCall } from './tool-calls.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
let run: ClaimedRun

const list = (more: Partial<ListToolCalls> = {}) =>
  listToolCalls(database.db, { workspaceId: workspace.workspaceId, ...more })
const idsOf = async (more: Partial<ListToolCalls>) => (await list(more)).calls.map(({ id }) => id)

/** So many calls of a run, a minute apart, `first` minutes ago and back from there; their ids, the newest first. */
async function addCalls(of: ClaimedRun, count: number, first: number, more: Record<string, string> = {}) {
  const columns = { tool_name: `'file.read'`, status: `'succeeded'`, decision: `'allow'`, duration_ms: '5', ...more }
  const { rows } = await database.db.pool.query(
    `INSERT INTO tool_calls (id, workspace_id, run_id, conversation_id, agent_id, step, tool_use_id, tool_version, effect,
       arguments, arguments_digest, requested_at, finished_at, ${Object.keys(columns).join(', ')})
     SELECT $1 || lpad((10000 - n)::text, 5, '0'), workspace_id, id, conversation_id, agent_id, 1, $1 || n, 'v1', 'read',
       jsonb_build_object('path', 'file-' || n), 'd', now() - ($3 + n) * interval '1 minute', now(), ${Object.values(columns).join(', ')}
     FROM runs, generate_series(0, $4 - 1) AS n WHERE id = $2 RETURNING id, requested_at`,
    [newId('call'), of.runId, first, count],
  )
  return rows.sort((a, b) => b.requested_at - a.requested_at).map((row) => row.id as string)
}

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
  run = await startRun(database.db, workspace)
})

test('each filter finds its calls and no others', async () => {
  const db = database.db
  const other = await startRun(db, { ...workspace, members: { ...workspace.members, member: workspace.members.admin } })
  const slow = await requestCall(db, run, { toolName: 'shell.exec', arguments: { command: 'make 100%_sure' } })
  await decideToolCall(db, run, { toolCallId: slow, decision: 'allow', trail: [] })
  await startToolCall(db, run, { toolCallId: slow, argumentsDigest: 'digest-1' })
  await finishToolCall(db, run, { toolCallId: slow, status: 'failed', error: 'exit code 2' })
  await db.pool.query('UPDATE tool_calls SET duration_ms = 12000 WHERE id = $1', [slow])
  const refused = await requestCall(db, other, { toolName: 'web.fetch', arguments: { url: 'https://a.example' } })
  await refuseToolCall(db, other, { toolCallId: refused, error: 'Not this host.', trail: ['deny'] })

  expect(await idsOf({})).toEqual([refused, slow])
  expect(await idsOf({ toolName: 'shell.exec' })).toEqual([slow])
  expect(await idsOf({ agentId: workspace.agentId })).toEqual([refused, slow])
  expect(await idsOf({ agentId: 'agent_other' })).toEqual([])
  expect(await idsOf({ memberId: workspace.members.admin })).toEqual([refused])
  expect(await idsOf({ status: 'failed' })).toEqual([slow])
  expect(await idsOf({ decision: 'deny' })).toEqual([refused])
  expect(await idsOf({ decision: 'allow' })).toEqual([slow])
  expect(await idsOf({ minDurationMs: 10_000 })).toEqual([slow])
  expect(await idsOf({ minDurationMs: 12_001 })).toEqual([])
  expect(await idsOf({ from: new Date(Date.now() - 60_000) })).toEqual([refused, slow])
  expect(await idsOf({ to: new Date(Date.now() - 60_000) })).toEqual([])
  expect(await idsOf({ text: 'A.EXAMPLE' })).toEqual([refused])
  expect(await idsOf({ text: 'exit code' })).toEqual([slow])
  expect(await idsOf({ text: '100%_s' })).toEqual([slow])
  expect(await idsOf({ text: '100_%s' })).toEqual([])
  expect(
    await idsOf({ status: 'failed', decision: 'allow', text: 'make', memberId: workspace.members.member }),
  ).toEqual([slow])
  expect(await idsOf({ status: 'failed', decision: 'deny' })).toEqual([])
})

test('a row says who asked which agent for what, and how it ended', async () => {
  const [call] = (await list({ toolName: 'shell.exec' })).calls
  expect(call).toMatchObject({
    agentName: workspace.agentId,
    requesterName: 'The member',
    toolName: 'shell.exec',
    status: 'failed',
    decision: 'allow',
    durationMs: 12_000,
    argumentsStart: '{"command": "make 100%_sure"}',
    error: 'exit code 2',
    runId: run.runId,
  })
})

test('arguments that are too large for a list are not in it, and the call is', async () => {
  const large = await requestCall(database.db, run, { toolName: 'large', arguments: { text: noise(300_000) } })
  expect((await list({ toolName: 'large' })).calls).toMatchObject([{ id: large, argumentsStart: null }])
})

/** What cannot be compressed away. */
function noise(length: number): string {
  let state = 1
  return Array.from({ length }, () => {
    state = (state * 48271) % 2147483647
    return String.fromCharCode(33 + (state % 90))
  }).join('')
}

describe('page by page', () => {
  test('every call is shown once, also while new ones come and where many have the same time', async () => {
    const workspace = await createTestWorkspace(database.db)
    const run = await startRun(database.db, workspace)
    const expected = await addCalls(run, 30, 10)
    await database.db.pool.query(
      `UPDATE tool_calls SET requested_at = date_trunc('hour', now() - interval '2 days') WHERE run_id = $1 AND id = ANY($2)`,
      [run.runId, expected.slice(12, 25)],
    )
    const seen: string[] = []
    let after: ListToolCalls['after']
    do {
      const page = await list({ workspaceId: workspace.workspaceId, limit: 7, ...(after ? { after } : {}) })
      seen.push(...page.calls.map(({ id }) => id))
      after = page.next ?? undefined
      await addCalls(run, 2, 0)
    } while (after)
    expect(seen).toHaveLength(30)
    expect(new Set(seen)).toEqual(new Set(expected))
  })

  test('the last page says that it is the last, also when it is full', async () => {
    const workspace = await createTestWorkspace(database.db)
    const run = await startRun(database.db, workspace)
    await addCalls(run, 6, 0)
    const { workspaceId } = workspace
    const first = await list({ workspaceId, limit: 3 })
    expect(first.next).not.toBeNull()
    const second = await list({ workspaceId, limit: 3, after: first.next as never })
    expect([second.calls.length, second.next]).toEqual([3, null])
  })
})

describe('what no index serves', () => {
  let workspaceId: string
  let needle: string
  beforeAll(async () => {
    const workspace = await createTestWorkspace(database.db)
    workspaceId = workspace.workspaceId
    const run = await startRun(database.db, workspace)
    await addCalls(run, 900, 0)
    needle = (await addCalls(run, 1, 2_000, { duration_ms: '99000' }))[0] as string
    await addCalls(run, 100, 3_000)
  })

  test('is looked for among so many rows a page, and says how far it looked and where to go on', async () => {
    const search = { workspaceId, minDurationMs: 60_000, limit: 10, walk: { rows: 500 } }
    const first = await list(search)
    expect([first.calls, first.looked]).toEqual([[], 500])
    expect(first.lookedBackTo).toEqual(first.next?.requestedAt)
    const second = await list({ ...search, after: first.next as never })
    expect(second.calls.map(({ id }) => id)).toEqual([needle])
    const third = await list({ ...search, after: second.next as never })
    expect([third.calls, third.next, third.lookedBackTo]).toEqual([[], null, undefined])
  })

  test('ends after its time as well, and never without having looked at anything', async () => {
    const first = await list({ workspaceId, minDurationMs: 60_000, limit: 10, walk: { ms: 0 } })
    expect(first.calls).toEqual([])
    expect(first.looked).toBeGreaterThan(0)
    expect(first.lookedBackTo).toBeInstanceOf(Date)
  })

  test('is found in one go where the whole search fits', async () => {
    expect(await idsOf({ workspaceId, minDurationMs: 60_000, limit: 10, walk: { ms: 60_000 } })).toEqual([needle])
    expect(await idsOf({ workspaceId, text: 'FILE-899', walk: { ms: 60_000 } })).toHaveLength(1)
  })

  test('with several filters the one that reaches furthest leads, so that a rare one is found at once', async () => {
    const workspace = await createTestWorkspace(database.db)
    const run = await startRun(database.db, workspace)
    await addCalls(run, 2_000, 0, { status: `'failed'` })
    const [rare] = await addCalls(run, 1, 5_000, { tool_name: `'rare.tool'`, status: `'failed'` })
    for (const filter of [
      { toolName: 'rare.tool', status: 'failed' },
      { toolName: 'rare.tool', agentId: workspace.agentId },
    ] as const) {
      const page = await list({ workspaceId: workspace.workspaceId, ...filter, walk: { rows: 300 } })
      expect([page.calls.map(({ id }) => id), page.next, page.looked]).toEqual([[rare], null, 1])
    }
  })
})

describe('another workspace', () => {
  test('has no part in the list, whatever is filtered for, nor in a call by its id', async () => {
    const other = await createTestWorkspace(database.db)
    const theirs = await startRun(database.db, other)
    const call = await requestCall(database.db, theirs, { toolName: 'their.tool' })
    for (const filter of [
      {},
      { toolName: 'their.tool' },
      { agentId: other.agentId },
      { memberId: other.members.member },
      { text: 'their' },
    ])
      expect(await idsOf(filter)).not.toContain(call)
    expect(await readToolCall(database.db, { workspaceId: workspace.workspaceId, callId: call })).toBeNull()
    expect(await readToolCall(database.db, { workspaceId: other.workspaceId, callId: call })).toMatchObject({
      id: call,
      toolName: 'their.tool',
      status: 'requested',
      arguments: { path: 'a.txt' },
      questionIds: [],
    })
    const { workspaceId } = workspace
    expect(await readCallsOfRuns(database.db, { workspaceId, runIds: [theirs.runId] })).toEqual([])
    expect(await listCalledTools(database.db, workspaceId)).not.toContain('their.tool')
    expect(await listCalledTools(database.db, other.workspaceId)).toEqual(['their.tool'])
  })
})

test('whoever follows runs gets their calls, and what left the filter is marked and not left out', async () => {
  const workspace = await createTestWorkspace(database.db)
  const first = await startRun(database.db, workspace)
  const second = await claim(database.db, (await say(database.db, workspace)).runId)
  const call = await requestCall(database.db, first, { toolName: 'a.tool' })
  const other = await requestCall(database.db, second, { toolName: 'b.tool' })
  const follow = async (more: object) =>
    (
      await readCallsOfRuns(database.db, {
        workspaceId: workspace.workspaceId,
        runIds: [first.runId, second.runId],
        ...more,
      })
    ).map(({ id, matches }) => [id, matches])
  expect(await follow({})).toEqual([
    [other, true],
    [call, true],
  ])
  expect(await follow({ toolName: 'a.tool' })).toEqual([[call, true]])
  await refuseToolCall(database.db, first, { toolCallId: call, error: 'no' })
  expect(await follow({ status: 'requested' })).toEqual([
    [other, true],
    [call, false],
  ])
})
