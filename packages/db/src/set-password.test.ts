import { beforeAll, expect, test } from 'vitest'
import { limits } from './limits.ts'
import { hashPassword, verifyPassword } from './password.ts'
import { Problem } from './problem.ts'
import { seedFirstData } from './seed.ts'
import { findSession, startSession } from './sessions.ts'
import { changePassword, setPassword } from './set-password.ts'
import { signIn } from './sign-in.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()
const first = 'a long enough password'
let loginId = ''
let addresses = 0

beforeAll(async () => {
  await seedFirstData(database.db, { ownerEmail: 'owner@example.com', ownerPassword: first, workspaceName: 'House' })
  loginId = (await database.db.pool.query('SELECT id FROM logins')).rows[0].id
})

const signInWith = (password: string) =>
  signIn(database.db, { email: 'owner@example.com', password, address: `10.1.0.${++addresses}`, userAgent: null })
const start = () => startSession(database.db, { loginId, userAgent: null })

test('a password is hashed with argon2id, verified, and refused in one sentence when too short or too long', async () => {
  const hash = await hashPassword(first)
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/)
  expect(await verifyPassword(hash, first)).toBe(true)
  expect(await verifyPassword(hash, `${first}!`)).toBe(false)
  expect(await verifyPassword(null, first)).toBe(false)
  await expect(hashPassword('only eleven')).rejects.toThrow('it has 11 characters, expected at least 12')
  await expect(hashPassword('x'.repeat(257))).rejects.toThrow('expected at most 256')
  await expect(hashPassword('x'.repeat(256))).resolves.toBeTruthy()
})

test('a password is the same however its letters are composed', async () => {
  const hash = await hashPassword('Stra\u00dfencaf\u00e9 um zehn'.normalize('NFC'))
  expect(await verifyPassword(hash, 'Stra\u00dfencafe\u0301 um zehn')).toBe(true)
})

test('a new password replaces the old one, signs the other browsers out and is recorded without it', async () => {
  const [here, elsewhere] = [await start(), await start()]
  const sessionId = (await findSession(database.db, here))?.id as string
  const second = 'another fine password'
  expect(
    await changePassword(database.db, { loginId, sessionId, currentPassword: first, newPassword: second }),
  ).toEqual({ ok: true })
  expect(await findSession(database.db, here)).not.toBeNull()
  expect(await findSession(database.db, elsewhere)).toBeNull()
  expect(await signInWith(first)).toMatchObject({ ok: false })
  expect(await signInWith(second)).toMatchObject({ ok: true })
  const { rows } = await database.db.pool.query(
    `SELECT data, actor_kind FROM audit_events WHERE action = 'member.set-password'`,
  )
  expect(rows).toMatchObject([{ actor_kind: 'member', data: { signedOut: 1 } }])
  await setPassword(database.db, { loginId, password: first, actor: { kind: 'system', id: 'test' } })
  expect(await findSession(database.db, here)).toBeNull()
})

test('a weak new password changes nothing', async () => {
  const token = await start()
  const sessionId = (await findSession(database.db, token))?.id as string
  await expect(
    changePassword(database.db, { loginId, sessionId, currentPassword: first, newPassword: 'short' }),
  ).rejects.toThrow(Problem)
  expect(await signInWith(first)).toMatchObject({ ok: true })
})

test('the current password cannot be guessed from an open browser', async () => {
  const guess = (currentPassword: string) =>
    changePassword(database.db, { loginId, sessionId: 'ses_x', currentPassword, newPassword: 'a third fine password' })
  const guesses = await Promise.all(Array.from({ length: limits.signInPerEmail }, () => guess('wrong')))
  for (const answer of guesses) expect(answer).toEqual({ ok: false, reason: 'wrong-password' })
  expect(await guess(first)).toMatchObject({ ok: false, reason: 'too-many' })
  expect(await signInWith(first)).toMatchObject({ ok: true })
})
