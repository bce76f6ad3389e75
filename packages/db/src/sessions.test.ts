import { beforeAll, expect, test } from 'vitest'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { disableMember } from './members.ts'
import { seedFirstData } from './seed.ts'
import {
  deleteOldSessions,
  endSession,
  findSession,
  listSessions,
  recordForLogin,
  revokeSession,
  startSession,
} from './sessions.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()
let loginId = ''
let workspaceId = ''
let memberId = ''

beforeAll(async () => {
  await seedFirstData(database.db, {
    ownerEmail: 'owner@example.com',
    ownerPassword: 'a long enough password',
    workspaceName: 'House',
  })
  const { rows } = await database.db.pool.query('SELECT login_id, workspace_id, member_id FROM identities')
  ;({ login_id: loginId, workspace_id: workspaceId, member_id: memberId } = rows[0])
})

const start = () => startSession(database.db, { loginId, userAgent: 'Firefox\u0000\n on Linux' })
const change = (token: string, set: string) =>
  database.db.pool.query(`UPDATE login_sessions SET ${set} WHERE token_hash = sha256(convert_to($1, 'UTF8'))`, [token])

test('a token finds its session and is not in the database', async () => {
  const token = await start()
  expect(Buffer.from(token, 'base64url')).toHaveLength(32)
  expect(await findSession(database.db, token)).toMatchObject({
    login: { id: loginId, email: 'owner@example.com', name: 'Owner' },
    memberships: [{ workspaceId, memberId, workspaceName: 'House', workspaceSlug: 'house', role: 'owner' }],
  })
  const { rows } = await database.db.pool.query('SELECT s::text AS text FROM login_sessions s')
  for (const row of rows) {
    expect(row.text).not.toContain(token)
    expect(row.text).not.toContain(Buffer.from(token, 'base64url').toString('hex'))
  }
  expect(await findSession(database.db, `${token}x`)).toBeNull()
  expect(await findSession(database.db, '')).toBeNull()
})

test('a session ends when it is over, idle too long, signed out or revoked', async () => {
  const over = await start()
  await change(over, `expires_at = now() - interval '1 second'`)
  expect(await findSession(database.db, over)).toBeNull()

  const idle = await start()
  await change(idle, `seen_at = now() - interval '${limits.sessionIdleMs + 1000} milliseconds'`)
  expect(await findSession(database.db, idle)).toBeNull()

  const signedOut = await start()
  expect(await endSession(database.db, signedOut)).toBe(true)
  expect(await findSession(database.db, signedOut)).toBeNull()
  expect(await endSession(database.db, signedOut)).toBe(false)

  const revoked = await start()
  const session = await findSession(database.db, revoked)
  const sessionId = session?.id as string
  expect(await revokeSession(database.db, { loginId: 'log_other', sessionId })).toBe(false)
  expect(await findSession(database.db, revoked)).not.toBeNull()
  expect(await revokeSession(database.db, { loginId, sessionId })).toBe(true)
  expect(await findSession(database.db, revoked)).toBeNull()
})

test('using a session renews it', async () => {
  const token = await start()
  await change(token, `seen_at = now() - interval '1 day'`)
  await findSession(database.db, token)
  const { rows } = await database.db.pool.query(
    `SELECT seen_at > now() - interval '1 minute' AS fresh FROM login_sessions WHERE token_hash = sha256(convert_to($1, 'UTF8'))`,
    [token],
  )
  expect(rows[0].fresh).toBe(true)
})

test('a changed role counts at once, and a disabled member is out of that workspace at once', async () => {
  const other = { workspace: newId('wsp'), owner: newId('mem'), member: newId('mem') }
  const { pool } = database.db
  await pool.query(`INSERT INTO workspaces (id, slug, name) VALUES ($1, 'other', 'Other')`, [other.workspace])
  await pool.query(
    `INSERT INTO members (id, workspace_id, name, role) VALUES ($2, $1, 'Them', 'owner'), ($3, $1, 'Me', 'viewer')`,
    [other.workspace, other.owner, other.member],
  )
  await pool.query(
    `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, login_id) VALUES ($1, $2, $3, 'console', $4, $4)`,
    [newId('idn'), other.workspace, other.member, loginId],
  )
  const token = await start()
  const rolesNow = async () => (await findSession(database.db, token))?.memberships.map((place) => place.role)
  expect(await rolesNow()).toEqual(['owner', 'viewer'])
  await pool.query(`UPDATE members SET role = 'admin' WHERE id = $1`, [other.member])
  expect(await rolesNow()).toEqual(['owner', 'admin'])
  await disableMember(database.db, {
    workspaceId: other.workspace,
    memberId: other.member,
    actor: { kind: 'member', id: other.owner },
  })
  expect(await rolesNow()).toEqual(['owner'])
})

test('a login with no enabled member behind it has no session', async () => {
  const lonely = newId('log')
  await database.db.pool.query('INSERT INTO logins (id, email) VALUES ($1, $2)', [lonely, 'lonely@example.com'])
  const token = await startSession(database.db, { loginId: lonely, userAgent: null })
  expect(await findSession(database.db, token)).toBeNull()
})

test('the list shows the browsers that are signed in, without control characters', async () => {
  const before = (await listSessions(database.db, loginId)).length
  const token = await start()
  const list = await listSessions(database.db, loginId)
  expect(list).toHaveLength(before + 1)
  expect(list[0]?.userAgent).toBe('Firefox   on Linux')
  await endSession(database.db, token)
  expect(await listSessions(database.db, loginId)).toHaveLength(before)
})

test('maintenance deletes dead sessions and keeps the living', async () => {
  const token = await start()
  const dead = await start()
  await endSession(database.db, dead)
  expect(await deleteOldSessions(database.db)).toBeGreaterThan(0)
  expect(await findSession(database.db, token)).not.toBeNull()
  const { rows } = await database.db.pool.query('SELECT 1 FROM login_sessions WHERE revoked_at IS NOT NULL')
  expect(rows).toEqual([])
})

test('what a login does is recorded in each of its workspaces', async () => {
  expect(await recordForLogin(database.db.pool, { loginId, actor: 'self', action: 'test.happen' })).toBe(2)
})
