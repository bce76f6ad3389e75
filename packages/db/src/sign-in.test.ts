import { expect, test } from 'vitest'
import { addressGroup } from './attempts.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { hashPassword } from './password.ts'
import { findSession } from './sessions.ts'
import { signIn } from './sign-in.ts'
import { signInWithProvider } from './sign-in-with-provider.ts'
import { useTestDatabase } from './testing.ts'

const database = useTestDatabase()
const password = 'correct horse battery'
let addresses = 0
const anAddress = () => `10.0.${Math.floor(++addresses / 250)}.${addresses % 250}`
const attempt = (email: string, given = password, address = anAddress()) =>
  signIn(database.db, { email, password: given, address, userAgent: 'Test browser' })

interface Person {
  email: string
  loginId: string
  memberId: string
  workspaceId: string
}

async function newPerson(
  options: { password?: string | null; disabled?: boolean; login?: boolean } = {},
): Promise<Person> {
  const { pool } = database.db
  const [workspaceId, loginId, memberId] = [newId('wsp'), newId('log'), newId('mem')]
  const email = `${memberId}@example.com`
  await pool.query('INSERT INTO workspaces (id, slug, name) VALUES ($1, $1, $1)', [workspaceId])
  await pool.query(
    `INSERT INTO members (id, workspace_id, name, email, role, disabled_at) VALUES ($1, $2, 'Ada', $3, 'admin', $4)`,
    [memberId, workspaceId, email, options.disabled ? new Date() : null],
  )
  if (options.login !== false) {
    const hash = options.password === null ? null : await hashPassword(options.password ?? password)
    await pool.query('INSERT INTO logins (id, email, name, password_hash) VALUES ($1, $2, $3, $4)', [
      loginId,
      email,
      'Ada',
      hash,
    ])
    await pool.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, login_id) VALUES ($1, $2, $3, 'console', $4, $4)`,
      [newId('idn'), workspaceId, memberId, loginId],
    )
  }
  return { email, loginId, memberId, workspaceId }
}

async function auditOf(person: Person) {
  const { rows } = await database.db.pool.query(
    'SELECT actor_kind, actor_id, action, subject_id, data FROM audit_events WHERE workspace_id = $1 ORDER BY number',
    [person.workspaceId],
  )
  return rows
}

test('the right password opens a session, whatever the case of the e-mail, and is recorded', async () => {
  const person = await newPerson()
  const result = await attempt(` ${person.email.toUpperCase()} `)
  if (!result.ok) throw new Error('refused')
  expect(result.loginId).toBe(person.loginId)
  const session = await findSession(database.db, result.token)
  expect(session?.memberships).toMatchObject([{ memberId: person.memberId, role: 'admin' }])
  expect(await auditOf(person)).toMatchObject([
    { actor_kind: 'member', actor_id: person.memberId, action: 'member.sign-in', subject_id: person.memberId },
  ])
})

test('every refusal gives the same answer, and the log of a known member says why', async () => {
  const [wrong, disabled, without] = await Promise.all([
    newPerson(),
    newPerson({ disabled: true }),
    newPerson({ password: null }),
  ])
  const answers = [
    await attempt('nobody@example.com'),
    await attempt('not an e-mail\0'),
    await attempt(wrong.email, 'wrong horse battery'),
    await attempt(wrong.email, ''),
    await attempt(wrong.email, 'x'.repeat(100_000)),
    await attempt(disabled.email),
    await attempt(without.email),
  ]
  for (const answer of answers) expect(answer).toEqual({ ok: false, reason: 'refused' })
  const reasons = async (person: Person) => (await auditOf(person)).map((event) => [event.action, event.data.reason])
  expect(await reasons(wrong)).toEqual(Array(3).fill(['member.sign-in-refused', 'wrong-password']))
  expect(await reasons(disabled)).toEqual([['member.sign-in-refused', 'disabled']])
  expect(await reasons(without)).toEqual([['member.sign-in-refused', 'no-password']])
  const { rows } = await database.db.pool.query(`SELECT 1 FROM audit_events WHERE data::text LIKE '%horse%'`)
  expect(rows).toEqual([])
})

test('an unknown e-mail takes as long as a wrong password', async () => {
  const person = await newPerson()
  const time = async (email: string) => {
    const from = performance.now()
    await attempt(email, 'wrong horse battery')
    return performance.now() - from
  }
  const rounds = 6
  const known: number[] = []
  const unknown: number[] = []
  for (let round = 0; round < rounds; round++) {
    known.push(await time(person.email))
    unknown.push(await time(`nobody-${round}@example.com`))
  }
  const median = (times: number[]) => times.sort((a, b) => a - b)[rounds / 2] as number
  expect(Math.abs(median(known) - median(unknown))).toBeLessThan(60)
})

test('guesses sent all at once count like guesses one by one', async () => {
  const person = await newPerson()
  const guesses = await Promise.all(
    Array.from({ length: limits.signInPerEmail + 15 }, () => attempt(person.email, 'wrong horse battery')),
  )
  expect(guesses.filter((guess) => !guess.ok && guess.reason === 'refused')).toHaveLength(limits.signInPerEmail)
  const tooMany = guesses.filter((guess) => !guess.ok && guess.reason === 'too-many')
  expect(tooMany).toHaveLength(15)
  for (const guess of tooMany)
    if (!guess.ok) {
      expect(guess.retryAfterSeconds).toBeGreaterThan(0)
      expect(guess.retryAfterSeconds).toBeLessThanOrEqual(limits.signInWindowMs / 1000)
    }
  expect(await attempt(person.email)).toMatchObject({ ok: false, reason: 'too-many' })
  const refusals = (await auditOf(person)).map((event) => event.data.reason)
  expect(refusals.filter((reason) => reason === 'too-many')).toHaveLength(1)
})

test('an unknown e-mail runs into the same limit as a known one', async () => {
  const guesses = await Promise.all(
    Array.from({ length: limits.signInPerEmail + 2 }, () => attempt('stranger@example.com')),
  )
  expect(guesses.filter((guess) => !guess.ok && guess.reason === 'too-many')).toHaveLength(2)
})

test('one address is refused after its limit, whichever e-mails it tries, and another address is not', async () => {
  const person = await newPerson()
  const address = anAddress()
  await Promise.all(
    Array.from({ length: limits.signInPerAddress }, (_, guess) => attempt(`guess-${guess}@example.com`, 'x', address)),
  )
  expect(await attempt(person.email, password, address)).toMatchObject({ ok: false, reason: 'too-many' })
  expect(await attempt(person.email)).toMatchObject({ ok: true })
})

test('signing in resets the count of the e-mail', async () => {
  const person = await newPerson()
  for (let round = 0; round < 2; round++) {
    await Promise.all(
      Array.from({ length: limits.signInPerEmail - 1 }, () => attempt(person.email, 'wrong horse battery')),
    )
    expect(await attempt(person.email)).toMatchObject({ ok: true })
  }
})

test('of an IPv6 address the first half counts, of a mapped one the IPv4 address', () => {
  expect(addressGroup('2001:db8:1:2:3:4:5:6')).toBe('2001:db8:1:2::/64')
  expect(addressGroup('2001:db8:1:2::9')).toBe('2001:db8:1:2::/64')
  expect(addressGroup('2001:DB8:1:2:ffff::')).toBe('2001:db8:1:2::/64')
  expect(addressGroup('fe80::1%eth0')).toBe('fe80:0:0:0::/64')
  expect(addressGroup('::1')).toBe('0:0:0:0::/64')
  expect(addressGroup('::ffff:192.0.2.7')).toBe('192.0.2.7')
  expect(addressGroup('192.0.2.7')).toBe('192.0.2.7')
  expect(addressGroup('unknown')).toBe('unknown')
})

const fromProvider = (email: string, providerAccountId: string, emailVerified = true) =>
  signInWithProvider(database.db, {
    provider: 'oidc',
    providerAccountId,
    email,
    emailVerified,
    name: 'Ada',
    userAgent: null,
  })

test('a provider signs in a member whose e-mail it has verified, and afterwards by its own id', async () => {
  const person = await newPerson({ password: null })
  expect(await fromProvider(person.email, newId('sub'), false)).toEqual({ ok: false, reason: 'refused' })
  const sub = newId('sub')
  expect(await fromProvider(person.email, sub)).toMatchObject({ ok: true, loginId: person.loginId })
  expect(await fromProvider(`renamed-${person.email}`, sub)).toMatchObject({ ok: true, loginId: person.loginId })
  expect(await fromProvider(person.email, newId('sub'))).toEqual({ ok: false, reason: 'refused' })
})

test('a provider opens no door to somebody unknown or disabled', async () => {
  const disabled = await newPerson({ disabled: true })
  expect(await fromProvider(disabled.email, newId('sub'))).toEqual({ ok: false, reason: 'refused' })
  const disabledWithoutLogin = await newPerson({ disabled: true, login: false })
  expect(await fromProvider(disabledWithoutLogin.email, newId('sub'))).toEqual({ ok: false, reason: 'refused' })
  expect(await fromProvider('stranger@example.com', newId('sub'))).toEqual({ ok: false, reason: 'refused' })
  const { rows } = await database.db.pool.query(`SELECT 1 FROM logins WHERE email = 'stranger@example.com'`)
  expect(rows).toEqual([])
})

test('a member who was added by e-mail gets one login at the first sign-in, even with two at once', async () => {
  const person = await newPerson({ login: false })
  const sub = newId('sub')
  const results = await Promise.all([fromProvider(person.email, sub), fromProvider(person.email, sub)])
  for (const result of results) expect(result).toMatchObject({ ok: true })
  const { rows } = await database.db.pool.query('SELECT login_id FROM identities WHERE member_id = $1', [
    person.memberId,
  ])
  expect(rows).toHaveLength(1)
})
