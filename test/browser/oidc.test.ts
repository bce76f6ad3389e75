import { disableMember, newId } from '@quartermaster/db'
import { findFreePort } from '@quartermaster/db/embedded-postgres'
import type { Page } from 'playwright-core'
import { afterAll, expect, test } from 'vitest'
import { useConsole } from './console.ts'
import { client, type IdentityProvider, startIdentityProvider } from './identity-provider.ts'
import { addPerson } from './people.ts'

let provider: IdentityProvider
const it = useConsole({
  settings: async () => {
    const PORT = String(await findFreePort())
    provider = await startIdentityProvider(`http://localhost:${PORT}`)
    return {
      PORT,
      OIDC_ISSUER: provider.issuer,
      OIDC_CLIENT_ID: client.id,
      OIDC_CLIENT_SECRET: client.secret,
      OIDC_NAME: 'Harbour ID',
    }
  },
})
afterAll(() => provider.stop())

/** A member whom somebody added by e-mail: no login, no password. */
async function invite(name: string): Promise<{ email: string; memberId: string }> {
  const memberId = newId('mem')
  const email = `${memberId}@people.example`.toLowerCase()
  await it.db.pool.query(
    `INSERT INTO members (id, workspace_id, name, email, role) VALUES ($1, $2, $3, $4, 'viewer')`,
    [memberId, it.workspaceId, name, email],
  )
  return { email, memberId }
}

/** From the console to the provider, through its forms, and back to wherever that ends. */
async function signInAs(page: Page, account: string, path = '/sign-in'): Promise<void> {
  await page.goto(path)
  await page.getByRole('button', { name: 'Continue with Harbour ID' }).click()
  await page.locator('input[name=login]').fill(account)
  await page.locator('input[name=password]').fill('anything')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${it.url}/**`)
}

const loginsOf = (email: string) => it.db.prisma.login.count({ where: { email } })
const isIn = async (page: Page) => (await page.request.get('/overview', { maxRedirects: 0 })).status() === 200

const refusal = 'Harbour ID knows you, but no member here has that e-mail, or it is not verified there.'

async function expectRefused(page: Page): Promise<void> {
  await page.getByRole('alert').getByText(refusal).waitFor()
  expect(new URL(page.url()).pathname).toBe('/sign-in')
  expect(await isIn(page)).toBe(false)
}

test('a member with the verified e-mail gets in, to the page that was asked for, and again the next time', async () => {
  const { email, memberId } = await invite('Ina Invited')
  provider.accounts.set('sub-ina', { email: email.toUpperCase(), email_verified: true, name: 'Ina' })
  const page = await it.page()
  await signInAs(page, 'sub-ina', '/settings/account')
  await page.waitForURL('**/settings/account')
  await page.getByText(`Signed in as ${email}.`).waitFor()
  await page.getByText('You sign in through your provider, so there is no password here to change.').waitFor()
  const event = await it.db.prisma.auditEvent.findFirst({
    where: { workspaceId: it.workspaceId, actorId: memberId, action: 'member.sign-in' },
  })
  expect(event?.data).toEqual({ with: 'oidc' })

  const again = await it.page()
  await signInAs(again, 'sub-ina')
  await again.waitForURL('**/overview')
  expect(await loginsOf(email)).toBe(1)
})

test('a stranger does not get in, and leaves no login behind', async () => {
  provider.accounts.set('sub-stranger', { email: 'stranger@elsewhere.example', email_verified: true })
  const page = await it.page()
  await signInAs(page, 'sub-stranger')
  await expectRefused(page)
  expect(await loginsOf('stranger@elsewhere.example')).toBe(0)
})

test('an e-mail that the provider has not verified opens nothing, and opens once it is', async () => {
  const { email } = await invite('Una Unverified')
  for (const email_verified of [false, 'false', 'yes']) {
    provider.accounts.set('sub-una', { email, email_verified })
    const page = await it.page()
    await signInAs(page, 'sub-una')
    await expectRefused(page)
    expect(await loginsOf(email)).toBe(0)
  }
  provider.accounts.set('sub-una', { email, email_verified: true })
  const page = await it.page()
  await signInAs(page, 'sub-una')
  await page.waitForURL('**/overview')
})

test('a disabled member does not get in', async () => {
  const { email, memberId } = await invite('Dora Disabled')
  const actor = { kind: 'system', id: 'test' } as const
  await disableMember(it.db, { workspaceId: it.workspaceId, memberId, actor })
  provider.accounts.set('sub-dora', { email, email_verified: true })
  const page = await it.page()
  await signInAs(page, 'sub-dora')
  await expectRefused(page)
})

test('another account of the provider that comes with a linked e-mail is somebody else', async () => {
  const { email } = await invite('Lena Linked')
  provider.accounts.set('sub-lena', { email, email_verified: true })
  const page = await it.page()
  await signInAs(page, 'sub-lena')
  await page.waitForURL('**/overview')
  provider.accounts.set('sub-heir', { email, email_verified: true })
  const heir = await it.page()
  await signInAs(heir, 'sub-heir')
  await expectRefused(heir)
})

test('a person with a password may come in through the provider too, as the same member', async () => {
  const person = await addPerson(it.db, { name: 'Both Ways', role: 'admin', workspaceIds: [it.workspaceId] })
  provider.accounts.set('sub-both', { email: person.email, email_verified: true })
  const page = await it.page()
  await signInAs(page, 'sub-both', '/settings/workspace')
  await page.waitForURL('**/settings/workspace')
  await page.getByRole('button', { name: /^Both Ways .*sign out$/ }).waitFor()
  expect(await loginsOf(person.email)).toBe(1)
})

test('an answer that does not belong to a question of this browser signs nobody in', async () => {
  const page = await it.page()
  await page.goto('/api/auth/callback/oidc?code=stolen&state=forged')
  await page.getByRole('alert').getByText('The sign-in with Harbour ID did not work.').waitFor()
  expect(await isIn(page)).toBe(false)
})

test('somebody who turns back at the provider can try again', async () => {
  const page = await it.page()
  await page.goto('/sign-in')
  await page.getByRole('button', { name: 'Continue with Harbour ID' }).click()
  await page.getByRole('link', { name: /Cancel/ }).click()
  await page.waitForURL(`${it.url}/sign-in?**`)
  await page.getByRole('alert').filter({ hasText: /\S/ }).waitFor()
  await page.getByRole('button', { name: 'Continue with Harbour ID' }).waitFor()
})

test('no code and no token of the provider is in the log', async () => {
  expect(it.log()).toContain('console: sign-in: OAUTH_CALLBACK')
  for (const secret of [client.secret, 'stolen', 'forged']) expect(it.log()).not.toContain(secret)
})
