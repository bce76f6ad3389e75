import { changeRole, disableMember, enableMember, limits } from '@quartermaster/db'
import type { APIRequestContext, Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { fillSignIn, signIn, useConsole } from './console.ts'
import { addPerson, password } from './people.ts'

const it = useConsole()
const system = { kind: 'system', id: 'test' } as const

// Attempts are counted by address, and every test comes from the same one.
beforeEach(async () => {
  await it.db.pool.query('DELETE FROM attempts')
})

const refusal = (page: Page) => page.getByRole('alert').filter({ hasText: /\S/ })

test('the owner signs in with e-mail and password, whatever its case, and lands on the Overview', async () => {
  const page = await it.page()
  await page.goto('/')
  await page.waitForURL('**/sign-in?next=%2Foverview')
  await fillSignIn(page, { email: it.first.email.toUpperCase(), password: it.first.password })
  await page.waitForURL('**/overview')
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await page.getByRole('button', { name: /^First Owner .*sign out$/ }).waitFor()
})

test('a wrong password, an unknown e-mail and a disabled member get one and the same answer', async () => {
  const gone = await addPerson(it.db, { name: 'Gone Away', role: 'member', workspaceIds: [it.workspaceId] })
  await disableMember(it.db, { workspaceId: it.workspaceId, memberId: gone.memberId, actor: system })
  const tries = [
    { email: it.people.admin.email, password: 'not the password' },
    { email: 'nobody@people.example', password },
    { email: gone.email, password },
  ]
  const page = await it.page()
  await page.goto('/sign-in')
  const answers = []
  for (const credentials of tries) {
    const answered = page.waitForResponse('**/api/auth/callback/credentials*')
    await fillSignIn(page, credentials)
    const response = await answered
    await refusal(page).waitFor()
    answers.push({
      status: response.status(),
      body: await response.text(),
      headers: Object.keys(response.headers()).sort(),
      shown: await refusal(page).textContent(),
    })
  }
  expect(answers[0]).toMatchObject({ status: 401, shown: 'This e-mail and password do not belong together.' })
  expect(answers[1]).toEqual(answers[0])
  expect(answers[2]).toEqual(answers[0])
  expect(new URL(page.url()).pathname).toBe('/sign-in')

  await enableMember(it.db, { workspaceId: it.workspaceId, memberId: gone.memberId, actor: system })
  await fillSignIn(page, { email: gone.email, password })
  await page.waitForURL('**/overview')
})

test('after too many wrong passwords even the right one waits, and another e-mail does not', async () => {
  const [hunted, other] = [it.people.approver, it.people.member]
  const page = await it.page()
  await page.goto('/sign-in')
  const guess = await readyToGuess(page.request)
  await Promise.all(Array.from({ length: limits.signInPerEmail }, () => guess(hunted.email, 'a wrong guess')))
  await fillSignIn(page, { email: hunted.email, password })
  await refusal(page)
    .getByText(/^Too many attempts\. Try again in (a minute|\d+ minutes)\.$/)
    .waitFor()
  await fillSignIn(page, { email: other.email, password })
  await page.waitForURL('**/overview')
})

test('a flood from one address is stopped whatever e-mails it names, and no header makes it another address', async () => {
  const context = await it.context()
  const attempt = await readyToGuess(context.request)
  const guess = (number: number) =>
    attempt(`person${number}@people.example`, password, { 'x-forwarded-for': `10.1.1.${number}` })
  const before = await Promise.all(Array.from({ length: limits.signInPerAddress }, (_, index) => guess(index)))
  expect(new Set(before)).toEqual(new Set(['CredentialsSignin']))
  expect(await guess(250)).toMatch(/^too-many:\d+$/)
})

test('signing out ends the session on the server: the cookie of before opens nothing', async () => {
  const context = await it.context()
  await signIn(context.request, it.url, { email: it.people.member.email, password })
  const before = await context.cookies()
  const page = await context.newPage()
  await page.goto('/overview')
  await page.getByRole('button', { name: /^Mika Member .*sign out$/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  expect((await context.cookies()).filter((cookie) => cookie.name === 'qm.session')).toEqual([])

  await context.addCookies(before)
  await page.goto('/overview')
  expect(new URL(page.url()).pathname).toBe('/sign-in')
})

test('a link to the sign-out does not sign anybody out', async () => {
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/api/auth/signout')
  await page.goto('/overview')
  expect(new URL(page.url()).pathname).toBe('/overview')
})

describe('what is decided while a browser is open counts at its next request', () => {
  test('a browser that is signed out from another one is out, and the other one stays', async () => {
    const person = await addPerson(it.db, { name: 'Two Browsers', role: 'viewer', workspaceIds: [it.workspaceId] })
    const [here, there] = await Promise.all([
      it.context(),
      it.context({ userAgent: 'Firefox/150.0 (Windows NT 10.0)' }),
    ])
    for (const context of [here, there]) await signIn(context.request, it.url, { email: person.email, password })
    const [page, lost] = await Promise.all([here.newPage(), there.newPage()])
    await lost.goto('/settings/appearance')
    await page.goto('/settings/account')
    await page.getByRole('button', { name: 'Sign out Firefox on Windows' }).click()
    await page.getByRole('dialog', { name: 'Sign out Firefox on Windows?' }).waitFor()
    await page.getByRole('button', { name: 'Sign it out' }).click()
    await page.getByText('That browser is signed out.').waitFor()
    await expect.poll(() => page.getByRole('button', { name: /^Sign out / }).count()).toBe(0)

    await lost.getByRole('link', { name: 'Overview' }).click()
    await lost.waitForURL('**/sign-in?next=%2Foverview')
    await page.reload()
    await page.getByText('this one').waitFor()
  })

  test('a disabled member is out, and in again when enabled', async () => {
    const person = await addPerson(it.db, { name: 'Leave Taker', role: 'admin', workspaceIds: [it.workspaceId] })
    const change = { workspaceId: it.workspaceId, memberId: person.memberId, actor: system }
    const { request } = await it.context({ as: person })
    expect(await statusOf(request, '/overview')).toBe(200)
    await disableMember(it.db, change)
    expect(await statusOf(request, '/overview')).toBe(307)
    await enableMember(it.db, change)
    expect(await statusOf(request, '/overview')).toBe(200)
  })

  test('a role that was taken away closes its pages, and a role that was given opens them', async () => {
    const person = await addPerson(it.db, { name: 'Role Changer', role: 'admin', workspaceIds: [it.workspaceId] })
    const change = { workspaceId: it.workspaceId, memberId: person.memberId, actor: system }
    const { request } = await it.context({ as: person })
    expect(await statusOf(request, '/settings/workspace')).toBe(200)
    await changeRole(it.db, { ...change, role: 'viewer' })
    expect(await statusOf(request, '/settings/workspace')).toBe(403)
    await changeRole(it.db, { ...change, role: 'admin' })
    expect(await statusOf(request, '/settings/workspace')).toBe(200)
  })
})

describe('after signing in', () => {
  test('a person goes on to the page of ours that was asked for', async () => {
    const page = await it.page()
    await page.goto('/settings/appearance?from=mail')
    await fillSignIn(page, { email: it.people.viewer.email, password })
    await page.waitForURL('**/settings/appearance?from=mail')
  })

  const elsewhere = [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '\\/evil.example',
    '/\t/evil.example',
    '/.//evil.example',
    '/overview/..//evil.example',
    '/%2e//evil.example',
    'javascript:alert(1)',
    '/api/auth/signout',
  ]
  test('no address of others, however it is written, leads away from the console', async () => {
    // A person who is signed in is sent on by the server, one who is not by the form: both ask the same function.
    const { request } = await it.context({ as: it.people.viewer })
    for (const parameter of ['next', 'callbackUrl'])
      for (const address of elsewhere) {
        const answer = await request.get(`/sign-in?${parameter}=${encodeURIComponent(address)}`, { maxRedirects: 0 })
        const target = new URL(answer.headers().location ?? '', it.url)
        expect([address, answer.status(), target.href]).toEqual([address, 307, `${it.url}/overview`])
      }
  })

  test('the form itself stays with us too', async () => {
    const page = await it.page()
    await page.route('**://evil.example/**', (route) => route.fulfill({ body: 'caught' }))
    await page.goto(`/sign-in?next=${encodeURIComponent('/.//evil.example')}`)
    await fillSignIn(page, { email: it.people.viewer.email, password })
    await page.waitForURL((url) => url.pathname !== '/sign-in')
    expect(page.url()).toBe(`${it.url}/overview`)
  })

  test('a callback address of others is not taken by the protocol either', async () => {
    const { request } = await it.context()
    const { csrfToken } = await (await request.get('/api/auth/csrf')).json()
    const answer = await request.post('/api/auth/callback/credentials', {
      headers: { origin: it.url },
      form: { email: it.people.viewer.email, password, csrfToken, json: 'true', callbackUrl: 'https://evil.example/' },
    })
    expect(new URL((await answer.json()).url).origin).toBe(it.url)
  })
})

test('the cookies are closed to scripts and to other sites, and hold no readable session', async () => {
  const context = await it.context({ as: it.people.owner })
  // But for the one in which a page says its zone, which is no secret.
  const cookies = (await context.cookies()).filter((cookie) => cookie.name !== 'qm.zone')
  expect(cookies.map((cookie) => cookie.name)).toContain('qm.session')
  for (const { name, httpOnly, sameSite, path } of cookies)
    expect({ name, httpOnly, sameSite, path }).toEqual({ name, httpOnly: true, sameSite: 'Lax', path: '/' })
  const page = await context.newPage()
  await page.goto('/overview')
  expect(await page.evaluate(() => document.cookie)).toMatch(/^qm\.zone=[^;]+$/)
  const session = await (await context.request.get('/api/auth/session')).json()
  expect(Object.keys(session)).toEqual(['expires'])
})

test('a session cookie that we did not seal opens nothing, and one that we did opens', async () => {
  const context = await it.context({ as: it.people.owner })
  expect(await statusOf(context.request, '/overview')).toBe(200)
  const [own] = (await context.cookies()).filter((cookie) => cookie.name === 'qm.session')
  for (const value of ['nonsense', `${own?.value.slice(0, -4)}AAAA`, 'eyJhbGciOiJub25lIn0.eyJ0b2tlbiI6IngifQ.']) {
    await context.addCookies([{ name: 'qm.session', value, url: it.url }])
    expect(await statusOf(context.request, '/overview')).toBe(307)
  }
})

test('neither a password nor a session token is ever in the log', async () => {
  const tokens = (await (await it.context({ as: it.people.owner })).cookies()).map((cookie) => cookie.value)
  expect(it.log()).toContain('console: ready at')
  for (const secret of [password, 'a wrong guess', 'not the password', ...tokens])
    expect(it.log()).not.toContain(secret)
})

const statusOf = async (request: APIRequestContext, path: string) =>
  (await request.get(path, { maxRedirects: 0 })).status()

/** Guesses as fast as they can be sent, each answered with the code of its refusal. */
async function readyToGuess(request: APIRequestContext) {
  const { csrfToken } = await (await request.get('/api/auth/csrf')).json()
  return async (email: string, given: string, headers: Record<string, string> = {}): Promise<string | null> => {
    const answer = await request.post('/api/auth/callback/credentials', {
      headers: { origin: it.url, ...headers },
      form: { email, password: given, csrfToken, json: 'true' },
    })
    return new URL((await answer.json()).url).searchParams.get('error')
  }
}
