import { expect, test } from 'vitest'
import { type Actor, recordAudit, verifyAudit } from './audit.ts'
import { inTransaction } from './client.ts'
import { newId } from './ids.ts'
import { changeRole, disableMember, enableMember, listMembers } from './members.ts'
import { Problem } from './problem.ts'
import { renameLogin } from './rename-login.ts'
import { atLeast, type Role, roles } from './roles.ts'
import { useTestDatabase } from './testing.ts'
import { raceBehind } from './testing-workspace.ts'

const database = useTestDatabase()
const system: Actor = { kind: 'system', id: 'test' }

async function newWorkspace(...memberRoles: Role[]): Promise<{ workspaceId: string; memberIds: string[] }> {
  const workspaceId = newId('wsp')
  const memberIds = memberRoles.map(() => newId('mem'))
  await database.db.pool.query('INSERT INTO workspaces (id, slug, name) VALUES ($1, $1, $1)', [workspaceId])
  for (const [index, role] of memberRoles.entries())
    await database.db.pool.query(`INSERT INTO members (id, workspace_id, name, role) VALUES ($1, $2, $3, $4)`, [
      memberIds[index],
      workspaceId,
      `Member ${index}`,
      role,
    ])
  return { workspaceId, memberIds }
}
const ownersOf = async (workspaceId: string) =>
  (await listMembers(database.db, workspaceId)).filter((member) => member.role === 'owner' && !member.disabledAt)

test('each role may do what the ones after it may, and not what the ones before it may', () => {
  expect(roles).toEqual(['owner', 'admin', 'approver', 'member', 'viewer'])
  expect(atLeast('owner', 'admin')).toBe(true)
  expect(atLeast('admin', 'admin')).toBe(true)
  expect(atLeast('approver', 'admin')).toBe(false)
  expect(atLeast('viewer', 'member')).toBe(false)
})

test('a role changes, a member is disabled and enabled again, each with its event', async () => {
  const { workspaceId, memberIds } = await newWorkspace('owner', 'member')
  const memberId = memberIds[1] as string
  expect(await changeRole(database.db, { workspaceId, memberId, role: 'approver', actor: system })).toBe(true)
  expect(await changeRole(database.db, { workspaceId, memberId, role: 'approver', actor: system })).toBe(false)
  expect(await disableMember(database.db, { workspaceId, memberId, actor: system })).toBe(true)
  expect(await disableMember(database.db, { workspaceId, memberId, actor: system })).toBe(false)
  expect(await enableMember(database.db, { workspaceId, memberId, actor: system })).toBe(true)
  expect(await listMembers(database.db, workspaceId)).toMatchObject([
    { role: 'owner', identities: [] },
    { id: memberId, role: 'approver', disabledAt: null },
  ])
  const { rows } = await database.db.pool.query(
    'SELECT action, data FROM audit_events WHERE workspace_id = $1 ORDER BY number',
    [workspaceId],
  )
  expect(rows).toEqual([
    { action: 'member.change-role', data: { role: { before: 'member', after: 'approver' } } },
    { action: 'member.disable', data: {} },
    { action: 'member.enable', data: {} },
  ])
})

test('the last owner can neither step down nor be disabled, and one of two can', async () => {
  const alone = await newWorkspace('owner', 'admin')
  const owner = { workspaceId: alone.workspaceId, memberId: alone.memberIds[0] as string, actor: system }
  await expect(changeRole(database.db, { ...owner, role: 'viewer' })).rejects.toThrow('This is the last owner')
  await expect(disableMember(database.db, owner)).rejects.toThrow(Problem)
  expect(await ownersOf(alone.workspaceId)).toHaveLength(1)
  expect(await verifyAudit(database.db, alone.workspaceId)).toMatchObject({ ok: true, events: 0 })

  const two = await newWorkspace('owner', 'owner')
  const one = { workspaceId: two.workspaceId, memberId: two.memberIds[0] as string, actor: system }
  expect(await disableMember(database.db, one)).toBe(true)
  expect(await ownersOf(two.workspaceId)).toHaveLength(1)
})

test('a member of another workspace cannot be changed', async () => {
  const [mine, theirs] = [await newWorkspace('owner'), await newWorkspace('owner', 'member')]
  const memberId = theirs.memberIds[1] as string
  await expect(
    changeRole(database.db, { workspaceId: mine.workspaceId, memberId, role: 'owner', actor: system }),
  ).rejects.toThrow('no such member')
})

test('two owners who demote each other at once leave one owner, every time', async () => {
  for (let round = 0; round < 15; round++) {
    const { workspaceId, memberIds } = await newWorkspace('owner', 'owner')
    const [a, b] = memberIds as [string, string]
    const demote = (memberId: string, by: string) =>
      changeRole(database.db, { workspaceId, memberId, role: 'member', actor: { kind: 'member', id: by } })
    const results = await Promise.allSettled([demote(a, b), demote(b, a)])
    expect(results.map((result) => result.status).sort()).toEqual(['fulfilled', 'rejected'])
    expect(results.find((result) => result.status === 'rejected')?.reason).toBeInstanceOf(Problem)
    expect(await ownersOf(workspaceId)).toHaveLength(1)
  }
})

test('statements that go around these functions cannot take the last owner either', async () => {
  const { workspaceId, memberIds } = await newWorkspace('owner', 'owner')
  // Both have stepped down and see the other one still there; both stand in line for the workspace to commit.
  const lock = { sql: 'SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', id: workspaceId, waiting: 2 }
  const results = await raceBehind(database.db, lock, () =>
    Promise.allSettled(
      memberIds.map((id) => database.db.pool.query(`UPDATE members SET role = 'member' WHERE id = $1`, [id])),
    ),
  )
  expect(results.filter((result) => result.status === 'fulfilled')).toHaveLength(1)
  expect(await ownersOf(workspaceId)).toHaveLength(1)
})

test('deleting the last owner is refused, and so is disabling one in a statement of one’s own', async () => {
  const { workspaceId, memberIds } = await newWorkspace('owner', 'owner', 'member')
  const [a, b, c] = memberIds
  const { pool } = database.db
  const refused = expect.objectContaining({ constraint: 'members_keep_an_owner' })
  await pool.query('DELETE FROM members WHERE id = $1', [a])
  await expect(pool.query('DELETE FROM members WHERE id = $1', [b])).rejects.toEqual(refused)
  await expect(pool.query('UPDATE members SET disabled_at = now() WHERE id = $1', [b])).rejects.toEqual(refused)
  await inTransaction(database.db, async (tx) => {
    await tx.query(`UPDATE members SET role = 'member' WHERE id = $1`, [b])
    await tx.query(`UPDATE members SET role = 'owner' WHERE id = $1`, [c])
  })
  expect(await ownersOf(workspaceId)).toMatchObject([{ id: c }])
})

test('a change of members and others who write and then record do not wait for each other for ever', async () => {
  const { workspaceId, memberIds } = await newWorkspace('owner', 'owner')
  const memberId = memberIds[0] as string
  const work: Promise<unknown>[] = []
  for (let round = 0; round < 10; round++) {
    work.push(changeRole(database.db, { workspaceId, memberId, role: round % 2 ? 'owner' : 'admin', actor: system }))
    work.push(
      inTransaction(database.db, async (tx) => {
        await tx.query(`INSERT INTO secret_scopes (id, workspace_id, name) VALUES ($1, $2, $1)`, [
          newId('scp'),
          workspaceId,
        ])
        await recordAudit(tx, { workspaceId, actor: system, action: 'test.happen', subject: { kind: 'x', id: 'x' } })
      }),
    )
    // And those who touch the workspace's row for the first time when the chain is theirs already.
    work.push(
      recordAudit(database.db.pool, {
        workspaceId,
        actor: system,
        action: 'test.happen',
        subject: { kind: 'x', id: 'x' },
      }),
    )
  }
  await Promise.all(work)
  expect(await verifyAudit(database.db, workspaceId)).toMatchObject({ ok: true })
})

test('an owner who is renamed holds up nobody who writes in the workspace', async () => {
  const { workspaceId, memberIds } = await newWorkspace('owner')
  const loginId = newId('log')
  await database.db.pool.query(`INSERT INTO logins (id, email) VALUES ($1, $1 || '@example.com')`, [loginId])
  await database.db.pool.query(
    `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, login_id) VALUES ($1, $2, $3, 'console', $4, $4)`,
    [newId('idn'), workspaceId, memberIds[0], loginId],
  )
  await inTransaction(database.db, async (tx) => {
    await tx.query('INSERT INTO secret_scopes (id, workspace_id, name) VALUES ($1, $2, $1)', [
      newId('scp'),
      workspaceId,
    ])
    expect(await renameLogin(database.db, { loginId, name: 'Ada' })).toBe(true)
    await recordAudit(tx, { workspaceId, actor: system, action: 'test.happen', subject: { kind: 'x', id: 'x' } })
  })
  expect(await verifyAudit(database.db, workspaceId)).toMatchObject({ ok: true, events: 2 })
})
