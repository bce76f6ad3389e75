import { beforeAll, expect, test } from 'vitest'
import { newId } from './ids.ts'
import { grantLease, type LeaseGrant, revokeLease, useLease } from './leases.ts'
import type { ClaimedRun } from './runs.ts'
import { useTestDatabase } from './testing.ts'
import {
  claim,
  createTestWorkspace,
  loseClaim,
  race,
  raceBehind,
  startRun,
  type TestWorkspace,
} from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
const tool = { toolName: 'file.write', toolVersion: 'v1', scope: 'docs' }

beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const grant = (run: ClaimedRun, more: Partial<LeaseGrant> = {}) =>
  grantLease(database.db, {
    workspaceId: workspace.workspaceId,
    conversationId: run.conversationId,
    ...tool,
    grantedBy: workspace.members.approver,
    maxUses: 5,
    durationMs: 60_000,
    ...more,
  })

test('a lease is used exactly as often as it was granted, however many use it at once', async () => {
  const run = await startRun(database.db, workspace)
  const leaseId = await grant(run)
  const lock = { sql: 'SELECT 1 FROM leases WHERE id = $1 FOR UPDATE', id: leaseId!, waiting: 30 }
  const used = await raceBehind(database.db, lock, () => race(60, () => useLease(database.db, run, tool)))
  expect(used.filter((use) => use !== null)).toHaveLength(5)
  expect(used.flatMap((use) => use?.remaining ?? []).sort()).toEqual([0, 1, 2, 3, 4])
})

test('several leases of a conversation are used up one after the other', async () => {
  const run = await startRun(database.db, workspace)
  await grant(run, { maxUses: 3 })
  await grant(run, { maxUses: 4 })
  const used = await race(60, () => useLease(database.db, run, tool))
  expect(used.filter((use) => use !== null)).toHaveLength(7)
})

test('a lease is for one tool, one version of it, one scope and one conversation', async () => {
  const run = await startRun(database.db, workspace)
  const elsewhere = await startRun(database.db, workspace)
  await grant(run)
  expect(await useLease(database.db, run, { ...tool, toolName: 'shell.exec' })).toBeNull()
  expect(await useLease(database.db, run, { ...tool, toolVersion: 'v2' })).toBeNull()
  for (const scope of ['src', '', 'docs/', 'DOCS'])
    expect(await useLease(database.db, run, { ...tool, scope }), scope).toBeNull()
  expect(await useLease(database.db, elsewhere, tool)).toBeNull()
  expect(await useLease(database.db, run, tool)).toMatchObject({ remaining: 4 })
})

test('a lease is for the agent that it was granted to, and not for the one that takes its place', async () => {
  const run = await startRun(database.db, workspace)
  await grant(run)
  const successor = newId('agent')
  await database.db.pool.query('INSERT INTO agents (id, workspace_id, slug, name) VALUES ($1, $2, $1, $1)', [
    successor,
    workspace.workspaceId,
  ])
  const work = (agentId: string) =>
    database.db.pool.query('UPDATE runs SET agent_id = $2, agent_version_id = NULL WHERE id = $1', [run.runId, agentId])
  await work(successor)
  expect(await useLease(database.db, run, tool)).toBeNull()
  await work(workspace.agentId)
  expect(await useLease(database.db, run, tool)).not.toBeNull()
})

test('a lease ends with its time, with its revocation and with its granter', async () => {
  const { db } = database
  const run = await startRun(db, workspace)
  await grant(run, { durationMs: -1 })
  expect(await useLease(db, run, tool)).toBeNull()

  const leaseId = await grant(run)
  expect(await useLease(db, run, tool)).not.toBeNull()
  const revoke = { leaseId: leaseId!, actor: { kind: 'member', id: workspace.members.admin } as const }
  expect(await revokeLease(db, { ...revoke, workspaceId: 'other' })).toBe(false)
  const revoked = await race(20, () => revokeLease(db, { ...revoke, workspaceId: workspace.workspaceId }))
  expect(revoked.filter(Boolean)).toHaveLength(1)
  expect(await useLease(db, run, tool)).toBeNull()

  await grant(run, { grantedBy: workspace.members.admin })
  expect(await useLease(db, run, tool)).not.toBeNull()
  await db.pool.query('UPDATE members SET disabled_at = now() WHERE id = $1', [workspace.members.admin])
  expect(await useLease(db, run, tool)).toBeNull()
})

test('a lost claim uses no lease, and the next one does', async () => {
  const old = await startRun(database.db, workspace)
  await grant(old)
  await loseClaim(database.db, old.runId)
  const run = await claim(database.db, old.runId)
  expect(await useLease(database.db, old, tool)).toBeNull()
  expect(await useLease(database.db, run, tool)).not.toBeNull()
})

test('granting and revoking are in the audit, and no lease is granted into another workspace', async () => {
  const run = await startRun(database.db, workspace)
  const leaseId = await grant(run)
  expect(await database.db.prisma.auditEvent.findFirst({ where: { subjectId: leaseId! } })).toMatchObject({
    action: 'lease.grant',
    actorId: workspace.members.approver,
  })
  expect(await grant(run, { workspaceId: 'other' })).toBeNull()
})
