import { expect, test } from 'vitest'
import { newId } from './ids.ts'
import { endMemberSessions, findSession, startSession } from './sessions.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()

/** A login that is the `member` of each workspace, and its browsers. */
async function signedIn(workspaces: TestWorkspace[], browsers: number): Promise<string[]> {
  const loginId = newId('log')
  await database.db.pool.query(`INSERT INTO logins (id, email) VALUES ($1, $1 || '@example.com')`, [loginId])
  for (const { workspaceId, members } of workspaces)
    await database.db.pool.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, login_id) VALUES ($1, $2, $3, 'console', $4, $4)`,
      [newId('idn'), workspaceId, members.member, loginId],
    )
  const tokens = Array.from({ length: browsers }, () => startSession(database.db, { loginId, userAgent: null }))
  return Promise.all(tokens)
}
const actorIn = ({ members }: TestWorkspace) => ({ kind: 'member', id: members.admin }) as const
const events = async ({ workspaceId }: TestWorkspace) =>
  (
    await database.db.pool.query(
      `SELECT actor_kind, actor_id, data FROM audit_events WHERE workspace_id = $1 AND action = 'session.revoke' ORDER BY number`,
      [workspaceId],
    )
  ).rows

test('an admin signs one browser of a member out, then all; each workspace of theirs has it on record', async () => {
  const [here, there] = [await createTestWorkspace(database.db), await createTestWorkspace(database.db)]
  const tokens = await signedIn([here, there], 3)
  const whose = { workspaceId: here.workspaceId, memberId: here.members.member, actor: actorIn(here) }
  const first = await findSession(database.db, tokens[0] as string)
  expect(await endMemberSessions(database.db, { ...whose, sessionId: first?.id as string })).toBe(1)
  expect(await endMemberSessions(database.db, { ...whose, sessionId: first?.id as string })).toBe(0)
  expect(await findSession(database.db, tokens[0] as string)).toBeNull()
  expect(await findSession(database.db, tokens[1] as string)).not.toBeNull()
  expect(await endMemberSessions(database.db, whose)).toBe(2)
  for (const token of tokens) expect(await findSession(database.db, token)).toBeNull()
  expect(await endMemberSessions(database.db, whose)).toBe(0)

  const admin = { actor_kind: 'member', actor_id: here.members.admin }
  expect(await events(here)).toEqual([
    { ...admin, data: { sessionId: first?.id } },
    { ...admin, data: { sessions: 2 } },
  ])
  // Over there nobody knows that admin.
  expect((await events(there)).map(({ actor_id }) => actor_id)).toEqual(['another-workspace', 'another-workspace'])
})

test('a browser of somebody else, or of another workspace, is not signed out', async () => {
  const [here, there] = [await createTestWorkspace(database.db), await createTestWorkspace(database.db)]
  const [token = ''] = await signedIn([there], 1)
  const session = await findSession(database.db, token)
  const actor = actorIn(here)
  const sessionId = session?.id as string
  for (const memberId of [here.members.member, there.members.member])
    expect(await endMemberSessions(database.db, { workspaceId: here.workspaceId, memberId, sessionId, actor })).toBe(0)
  const wrong = { workspaceId: there.workspaceId, memberId: there.members.viewer, actor: actorIn(there) }
  expect(await endMemberSessions(database.db, wrong)).toBe(0)
  expect(await findSession(database.db, token)).not.toBeNull()
})
