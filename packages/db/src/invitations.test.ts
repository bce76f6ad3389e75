// Invitations and how they are accepted, on the real database.
import { beforeAll, describe, expect, test } from 'vitest'
import { acceptInvitation, joinWithLogin } from './accept-invitation.ts'
import { newId } from './ids.ts'
import { createInvitation, findInvitation, listInvitations, renewInvitation, revokeInvitation } from './invitations.ts'
import { limits } from './limits.ts'
import { changeRole, disableMember } from './members.ts'
import type { Role } from './roles.ts'
import { findSession } from './sessions.ts'
import { signIn } from './sign-in.ts'
import { signInWithProvider } from './sign-in-with-provider.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, race, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
const password = 'a password long enough'
let workspace: TestWorkspace
let other: TestWorkspace
beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
  other = await createTestWorkspace(database.db)
})

let addresses = 0
const anAddress = () => `10.1.${Math.floor(++addresses / 250)}.${addresses % 250}`
const anEmail = () => `${newId('p')}@example.com`

const invite = (email: string, more: { role?: Role; by?: string; whose?: TestWorkspace } = {}) => {
  const whose = more.whose ?? workspace
  const actor = { kind: 'member', id: more.by ?? whose.members.admin } as const
  return createInvitation(database.db, { workspaceId: whose.workspaceId, email, role: more.role ?? 'member', actor })
}
const accept = (token: string, more: { name?: string; password?: string; address?: string } = {}) =>
  acceptInvitation(database.db, { token, name: 'Ada', password, address: anAddress(), ...more })
const admin = () => ({ kind: 'member', id: workspace.members.admin }) as const
const about = (invitationId: string) => ({ workspaceId: workspace.workspaceId, invitationId, actor: admin() })
const enter = (email: string, given = password) =>
  signIn(database.db, { email, password: given, address: anAddress(), userAgent: null })
const membersWith = (email: string) =>
  database.db.prisma.member.findMany({ where: { email }, include: { identities: true } })
const gone = { ok: false, reason: 'gone' }

test('whoever has the link joins with a name and a password, in the role of the invitation, and signs in', async () => {
  const email = anEmail()
  const { token, expiresAt } = await invite(`  ${email.toUpperCase()} `, { role: 'approver' })
  expect(expiresAt.getTime() - Date.now()).toBeGreaterThan(limits.invitationMs - 60_000)
  expect(await findInvitation(database.db, token)).toMatchObject({
    email,
    role: 'approver',
    inviterName: 'The admin',
    state: 'open',
    login: 'none',
  })
  expect(await accept(token, { name: ' Ada Lovelace ' })).toMatchObject({ ok: true, email })
  expect(await membersWith(email)).toMatchObject([
    { name: 'Ada Lovelace', role: 'approver', workspaceId: workspace.workspaceId, identities: [{ kind: 'console' }] },
  ])
  expect(await enter(email)).toMatchObject({ ok: true })
  const event = await database.db.prisma.auditEvent.findFirst({
    where: { workspaceId: workspace.workspaceId, action: 'member.join' },
    orderBy: { number: 'desc' },
  })
  expect(event).toMatchObject({ actorKind: 'member', data: { kind: 'console', role: 'approver' } })
})

test('a link opens once, also for two who come at the same moment', async () => {
  const { token } = await invite(anEmail())
  const results = await race(2, () => accept(token).catch((error) => ({ ok: false, reason: error.message })))
  expect(results.filter(({ ok }) => ok)).toHaveLength(1)
  expect(await accept(token)).toEqual(gone)
  expect((await findInvitation(database.db, token))?.state).toBe('accepted')
})

test('an expired, a revoked and a replaced link open nothing, and the new one does', async () => {
  const expired = await invite(anEmail())
  await database.db.pool.query("UPDATE invitations SET expires_at = now() - interval '1 second' WHERE id = $1", [
    expired.id,
  ])
  expect(await accept(expired.token)).toEqual(gone)
  expect((await findInvitation(database.db, expired.token))?.state).toBe('expired')

  const renewed = await renewInvitation(database.db, about(expired.id))
  expect(await findInvitation(database.db, expired.token)).toBeNull()
  expect(await accept(expired.token)).toEqual(gone)
  expect(await accept(renewed?.token as string)).toMatchObject({ ok: true })
  expect(await renewInvitation(database.db, about(expired.id))).toBeNull()
  expect(await revokeInvitation(database.db, about(expired.id))).toBe(false)

  const revoked = await invite(anEmail())
  expect(await revokeInvitation(database.db, about(revoked.id))).toBe(true)
  expect(await accept(revoked.token)).toEqual(gone)
  expect((await findInvitation(database.db, revoked.token))?.state).toBe('revoked')
  expect(await renewInvitation(database.db, about(revoked.id))).toBeNull()
  expect(await accept('made up')).toEqual(gone)
  expect(await findInvitation(database.db, 'made up')).toBeNull()
})

test('a stolen database opens no invitation', async () => {
  const { id, token } = await invite(anEmail())
  const { rows } = await database.db.pool.query('SELECT i::text AS text FROM invitations i WHERE id = $1', [id])
  expect(rows[0].text).not.toContain(token)
  expect(rows[0].text).not.toContain(Buffer.from(token).toString('hex'))
})

test('somebody is invited once at a time, and an invitation that has expired gives way', async () => {
  const email = anEmail()
  const first = await invite(email)
  await expect(invite(email)).rejects.toThrow(`${email} is invited already.`)
  await database.db.pool.query('UPDATE invitations SET expires_at = now() WHERE id = $1', [first.id])
  const second = await invite(email)
  const listed = (await listInvitations(database.db, workspace.workspaceId)).filter((each) => each.email === email)
  expect(listed).toMatchObject([{ id: second.id, role: 'member', invitedBy: { name: 'The admin' } }])
  const raced = anEmail()
  const settled = await Promise.allSettled(Array.from({ length: 5 }, () => invite(raced)))
  expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('a member who signs in, or is disabled, is not invited; one who is known on a chat only keeps the role', async () => {
  const email = anEmail()
  await accept((await invite(email)).token)
  await expect(invite(email)).rejects.toThrow('who is a member already')
  const [member] = await membersWith(email)
  await disableMember(database.db, {
    ...{ workspaceId: workspace.workspaceId, memberId: member?.id as string },
    actor: admin(),
  })
  await expect(invite(email)).rejects.toThrow('who is disabled')

  const chatting = anEmail()
  await database.db.pool.query(`UPDATE members SET email = $2 WHERE id = $1`, [workspace.members.viewer, chatting])
  const invited = await invite(chatting, { role: 'admin' })
  expect(invited.memberRole).toBe('viewer')
  expect(await accept(invited.token)).toMatchObject({ ok: true, memberId: workspace.members.viewer })
  expect(await membersWith(chatting)).toMatchObject([{ role: 'viewer', identities: [{ kind: 'console' }] }])
})

test('only an owner invites an owner', async () => {
  await expect(invite(anEmail(), { role: 'owner' })).rejects.toThrow('Only an owner makes or unmakes owners.')
  const invited = await invite(anEmail(), { role: 'owner', by: workspace.members.owner })
  await expect(renewInvitation(database.db, about(invited.id))).rejects.toThrow('Only an owner')
  expect((await findInvitation(database.db, invited.token))?.state).toBe('open')
})

test('the open invitations of somebody who is disabled end with them', async () => {
  const whose = await createTestWorkspace(database.db)
  const { token } = await invite(anEmail(), { whose })
  await disableMember(database.db, {
    ...{ workspaceId: whose.workspaceId, memberId: whose.members.admin },
    actor: { kind: 'member', id: whose.members.owner },
  })
  expect((await findInvitation(database.db, token))?.state).toBe('revoked')
})

test('of another workspace nobody renews, revokes or sees an invitation', async () => {
  const { id, token } = await invite(anEmail(), { whose: other })
  expect(await renewInvitation(database.db, about(id))).toBeNull()
  expect(await revokeInvitation(database.db, about(id))).toBe(false)
  expect((await listInvitations(database.db, workspace.workspaceId)).map((each) => each.id)).not.toContain(id)
  expect((await findInvitation(database.db, token))?.state).toBe('open')
})

describe('somebody who has a login already', () => {
  test('joins with its password and no other, and keeps one login', async () => {
    const email = anEmail()
    await accept((await invite(email, { whose: other })).token, { name: 'Ada Elsewhere' })
    const { token } = await invite(email)
    expect((await findInvitation(database.db, token))?.login).toBe('password')
    expect(await accept(token, { password: 'not the right one' })).toEqual({ ok: false, reason: 'wrong-password' })
    expect(await accept(token, { name: 'Another name' })).toMatchObject({ ok: true })
    expect((await membersWith(email)).map(({ name }) => name)).toEqual(['Ada Elsewhere', 'Ada Elsewhere'])
    const signedIn = await enter(email)
    const session = signedIn.ok ? await findSession(database.db, signedIn.token) : null
    expect(session?.memberships.map(({ workspaceId }) => workspaceId).sort()).toEqual(
      [workspace.workspaceId, other.workspaceId].sort(),
    )
  })

  test('joins with one click where they are signed in, and not with another e-mail’s invitation', async () => {
    const email = anEmail()
    await accept((await invite(email, { whose: other })).token)
    const { id: loginId } = await database.db.prisma.login.findUniqueOrThrow({ where: { email } })
    const others = await invite(anEmail())
    expect(await joinWithLogin(database.db, { token: others.token, loginId })).toEqual({
      ok: false,
      reason: 'other-login',
    })
    const own = await invite(email)
    expect(await joinWithLogin(database.db, { token: own.token, loginId })).toMatchObject({ ok: true })
    expect(await joinWithLogin(database.db, { token: own.token, loginId })).toEqual(gone)
  })

  test('has their password guessed no more often through a link than at the sign-in', async () => {
    const email = anEmail()
    await accept((await invite(email, { whose: other })).token)
    const { token } = await invite(email)
    for (let tries = 0; tries < limits.signInPerEmail; tries++)
      expect(await accept(token, { password: `guess number ${tries}` })).toMatchObject({ reason: 'wrong-password' })
    expect(await accept(token)).toMatchObject({ reason: 'too-many' })
    expect(await enter(email)).toMatchObject({ ok: false, reason: 'too-many' })
  })
})

test('one address does not try links for ever', async () => {
  const address = '192.0.2.77'
  for (let tries = 0; tries < limits.signInPerAddress; tries++) expect(await accept('x', { address })).toEqual(gone)
  const { token } = await invite(anEmail())
  expect(await accept(token, { address })).toMatchObject({ reason: 'too-many' })
  expect(await accept(token)).toMatchObject({ ok: true })
})

test('a weak password or an empty name is refused, and the link stays good', async () => {
  const { token } = await invite(anEmail())
  await expect(accept(token, { password: 'short' })).rejects.toThrow('too short')
  await expect(accept(token, { name: '  ' })).rejects.toThrow('Expected a name.')
  expect(await accept(token)).toMatchObject({ ok: true })
})

describe('through the provider', () => {
  const come = (email: string, more: object = {}) =>
    signInWithProvider(database.db, {
      provider: 'oidc',
      providerAccountId: newId('sub'),
      ...{ email, emailVerified: true, name: 'Ada', userAgent: null, ...more },
    })

  test('the owner of the invited e-mail joins by signing in; one who only says so does not', async () => {
    const email = anEmail()
    await invite(email, { role: 'approver' })
    await invite(email, { whose: other })
    expect(await come(email, { emailVerified: false })).toMatchObject({ ok: false })
    expect(await come(email)).toMatchObject({ ok: true })
    expect((await membersWith(email)).map(({ role }) => role).sort()).toEqual(['approver', 'member'])
    expect((await listInvitations(database.db, workspace.workspaceId)).map((each) => each.email)).not.toContain(email)
  })

  test('nobody joins by an invitation that was revoked or has expired', async () => {
    const email = anEmail()
    const { id } = await invite(email)
    await revokeInvitation(database.db, about(id))
    expect(await come(email)).toMatchObject({ ok: false })
    const again = await invite(email)
    await database.db.pool.query('UPDATE invitations SET expires_at = now() WHERE id = $1', [again.id])
    expect(await come(email)).toMatchObject({ ok: false })
    expect(await membersWith(email)).toEqual([])
  })

  test('the owner of an e-mail takes over a login that somebody else made with a link, its password included', async () => {
    const email = anEmail()
    await accept((await invite(email, { whose: other })).token, { password: 'of whoever was first' })
    const before = await enter(email, 'of whoever was first')
    expect(before.ok).toBe(true)
    expect(await come(email)).toMatchObject({ ok: true })
    expect(before.ok && (await findSession(database.db, before.token))).toBeNull()
    expect(await enter(email, 'of whoever was first')).toMatchObject({ ok: false, reason: 'refused' })
  })

  test('a login that is known to be theirs keeps its password', async () => {
    const email = anEmail()
    await accept((await invite(email)).token)
    await database.db.prisma.login.update({ where: { email }, data: { emailVerified: new Date() } })
    expect(await come(email)).toMatchObject({ ok: true })
    expect(await enter(email)).toMatchObject({ ok: true })
  })
})

test('an admin makes and unmakes no owner, an owner does', async () => {
  const { workspaceId, members } = await createTestWorkspace(database.db)
  const asAdmin = { kind: 'member', id: members.admin } as const
  const asOwner = { kind: 'member', id: members.owner } as const
  const refused = 'Only an owner makes or unmakes owners.'
  const change = (memberId: string, role: Role, actor: typeof asAdmin) =>
    changeRole(database.db, { workspaceId, memberId, role, actor })
  await expect(change(members.admin, 'owner', asAdmin)).rejects.toThrow(refused)
  await expect(change(members.owner, 'viewer', asAdmin)).rejects.toThrow(refused)
  await expect(disableMember(database.db, { workspaceId, memberId: members.owner, actor: asAdmin })).rejects.toThrow(
    refused,
  )
  expect(await change(members.member, 'approver', asAdmin)).toBe(true)
  expect(await change(members.admin, 'owner', asOwner)).toBe(true)
  expect(await change(members.owner, 'viewer', asAdmin)).toBe(true)
})
