import { expect, test } from 'vitest'
import { attachTool, listAttachments, loadAttachments } from './attachments.ts'
import { newId } from './ids.ts'
import { loadPolicy, policyRevision } from './policy.ts'
import { switchTool } from './switch-tool.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace } from './testing-workspace.ts'
import { findTool, listTools, syncTools } from './tools.ts'

const database = useTestDatabase()

async function start() {
  const { db } = database
  await syncTools(db, [
    {
      name: 'file.read',
      title: 'Read',
      description: '',
      category: 'filesystem',
      inputSchema: {},
      effect: 'read',
      version: '1',
    },
  ])
  const [here, elsewhere] = [await createTestWorkspace(db), await createTestWorkspace(db)]
  const actor = { kind: 'member', id: here.members.owner } as const
  const change = (on: boolean, toolId = 'file.read') =>
    switchTool(db, { workspaceId: here.workspaceId, toolId, on, actor })
  return { db, here, elsewhere, actor, change }
}

test('a tool that is switched off is off in this workspace and in no other, wherever it is read', async () => {
  const { db, here, elsewhere, change } = await start()
  for (const { workspaceId, agentId, members } of [here, elsewhere]) {
    const owner = { kind: 'member', id: members.owner } as const
    await attachTool(db, { workspaceId, agentId, toolId: 'file.read', actor: owner, validate: () => [] })
  }
  expect(await change(false)).toBe('switched')
  const seen = async ({ workspaceId, agentId }: typeof here) => [
    (await findTool(db, 'file.read', { workspaceId }))?.unavailable,
    (await listTools(db, { workspaceId })).tools.find(({ id }) => id === 'file.read')?.unavailable,
    (await listAttachments(db, { workspaceId, agentId }))?.[0]?.unavailable,
    (await loadAttachments(db, agentId))?.unavailable[0]?.why ?? null,
    (await loadPolicy(db, workspaceId))?.config.disabled[0] ?? null,
  ]
  expect(await seen(here)).toEqual(['disabled', 'disabled', 'disabled', 'disabled', 'file.read'])
  expect(await seen(elsewhere)).toEqual([null, null, null, null, null])
  expect(await change(true)).toBe('switched')
  expect(await seen(here)).toEqual([null, null, null, null, null])
})

test('whoever keeps the policy is told, and the audit says who did it', async () => {
  const { db, here, change } = await start()
  const before = await policyRevision(db, here.workspaceId)
  await change(false)
  expect(await policyRevision(db, here.workspaceId)).toBe(before + 1)
  await change(true)
  expect(await policyRevision(db, here.workspaceId)).toBe(before + 2)
  const events = await db.prisma.auditEvent.findMany({
    where: { workspaceId: here.workspaceId, subjectKind: 'tool' },
    orderBy: { number: 'asc' },
  })
  expect(events.map(({ action, actorId, subjectId }) => [action, actorId, subjectId])).toEqual([
    ['tool.switch-off', here.members.owner, 'file.read'],
    ['tool.switch-on', here.members.owner, 'file.read'],
  ])
})

test('of twenty who switch at once one does, and the audit has one event', async () => {
  const { db, here, change } = await start()
  const results = await Promise.all(Array.from({ length: 20 }, () => change(false)))
  expect(results.filter((result) => result === 'switched')).toHaveLength(1)
  expect(
    await db.prisma.auditEvent.count({ where: { workspaceId: here.workspaceId, action: 'tool.switch-off' } }),
  ).toBe(1)
})

test('another workspace’s tool, and one that is nowhere, are not found', async () => {
  const { db, elsewhere, change } = await start()
  const id = newId('tool')
  await db.pool.query(
    `INSERT INTO tools (id, name, description, parameters_schema, handler_key) VALUES ($1, 'X', '', '{}', 'x.y')`,
    [id],
  )
  await db.pool.query(
    `INSERT INTO tool_details (tool_id, workspace_id, source, effect, version) VALUES ($1, $2, 'manifest', 'read', '1')`,
    [id, elsewhere.workspaceId],
  )
  expect(await change(false, id)).toBe('not_found')
  expect(await change(false, 'no.such')).toBe('not_found')
})
