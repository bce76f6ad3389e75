// Members: invited, accepted in a fresh browser, changed, disabled; their browsers and accounts.
import { createInvitation, findInvitation, newId, type Role } from '@quartermaster/db'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { addMember, createTestWorkspace, startRun } from '../../packages/db/src/testing-workspace.ts'
import { fillSignIn, signIn, useConsole } from './console.ts'
import { addPerson, password } from './people.ts'

vi.setConfig({ testTimeout: 60_000 })
const it = useConsole()

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const anEmail = () => `${newId('p')}@people.example`

async function open(path = '/members', as = it.people.admin): Promise<Page> {
  const page = await it.page({ as })
  await page.goto(path)
  return page
}

/** Through the form, and what it shows once. */
async function inviteOnPage(page: Page, email: string, role: Role): Promise<string> {
  const form = card(page, 'Invite somebody')
  await form.getByLabel('E-mail').fill(email)
  await form.getByLabel('Role').selectOption(role)
  await form.getByRole('button', { name: 'Invite', exact: true }).click()
  const shown = form.getByRole('status').filter({ hasText: `The link for ${email}` })
  await shown.waitFor()
  return (await shown.locator('code').textContent()) as string
}

const invite = async (email: string, role: Role = 'member', workspaceId = it.workspaceId) => {
  const { memberId } = it.people.owner
  const by =
    workspaceId === it.workspaceId
      ? memberId
      : (await it.db.prisma.member.findFirstOrThrow({ where: { workspaceId, role: 'owner' } })).id
  return createInvitation(it.db, { workspaceId, email, role, actor: { kind: 'member', id: by } })
}
const pathOf = (token: string) => `/invite/${token}`

async function fillAccept(page: Page, name: string, chosen = password, again = chosen) {
  await page.getByLabel('Your name').fill(name)
  await page.getByLabel('A password', { exact: true }).fill(chosen)
  await page.getByLabel('The password again').fill(again)
  await page.getByRole('button', { name: /^Join / }).click()
}

test('somebody is invited by a link, joins in a browser of their own, and is a member who signs in', async () => {
  const admin = await open()
  const email = anEmail()
  const link = await inviteOnPage(admin, email, 'approver')
  expect(link).toMatch(new RegExp(`^${it.url}/invite/[\\w-]{43}$`))
  await card(admin, 'Invited, not here yet').getByText(email).waitFor()
  // Shown once: whoever looks again finds the invitation, and not its link.
  await admin.reload()
  await card(admin, 'Invited, not here yet').getByText(email).waitFor()
  expect(await admin.content()).not.toContain(link.split('/').at(-1))

  const fresh = await it.page()
  await fresh.goto(link)
  await fresh.getByText(`Adam Admin invites ${email} as approver.`).waitFor()
  await fillAccept(fresh, 'Ines Marques')
  await fresh.waitForURL('**/overview')
  await fresh.getByRole('button', { name: /^Ines Marques approver .*sign out$/ }).waitFor()

  const again = await it.page()
  await again.goto('/sign-in')
  await fillSignIn(again, { email, password })
  await again.waitForURL('**/overview')
  await admin.goto(`/members?q=${encodeURIComponent(email)}`)
  await admin.getByRole('link', { name: 'Ines Marques' }).click()
  await admin.getByRole('heading', { level: 1, name: 'Ines Marques' }).waitFor()
  expect(await card(admin, 'Signed-in browsers').getByRole('listitem').count()).toBe(2)
})

test('what is wrong with an acceptance is said beside its field, and the link stays good', async () => {
  const { token } = await invite(anEmail())
  const page = await it.page()
  await page.goto(pathOf(token))
  await page.locator('form').evaluate((form) => ((form as HTMLFormElement).noValidate = true))
  await fillAccept(page, ' ', 'short', 'other')
  await page.getByText('Expected at least 12 characters.').waitFor()
  await page.getByText('The two are not the same.').waitFor()
  await page.getByText('Expected a name.').waitFor()
  expect(await page.getByLabel('A password', { exact: true }).inputValue()).toBe('short')
  await fillAccept(page, 'Late but here')
  await page.waitForURL('**/overview')
})

test('a used, a revoked, an expired and a made-up link open nothing and say so', async () => {
  const page = await it.page()
  const says = async (token: string, heading: string) => {
    await page.goto(pathOf(token))
    await page.getByRole('heading', { level: 1, name: heading }).waitFor()
    expect(await page.getByLabel('Your name').count()).toBe(0)
  }
  await says('made-up', 'This link opens nothing')
  const expired = await invite(anEmail())
  await it.db.pool.query('UPDATE invitations SET expires_at = now() WHERE id = $1', [expired.id])
  await says(expired.token, 'This invitation has expired')

  const email = anEmail()
  const revoked = await invite(email)
  const admin = await open()
  await admin.getByRole('button', { name: `Revoke the invitation of ${email}` }).click()
  await admin.getByRole('dialog').getByText('Its link opens nothing any more.').waitFor()
  await admin.getByRole('button', { name: 'Revoke it' }).click()
  await admin.getByText('The invitation is revoked.').waitFor()
  await says(revoked.token, 'This invitation was taken back')

  const used = await invite(anEmail())
  const first = await it.page()
  await first.goto(pathOf(used.token))
  await fillAccept(first, 'Was First')
  await first.waitForURL('**/overview')
  await says(used.token, 'This invitation was accepted already')
})

test('a new link ends the one before', async () => {
  const email = anEmail()
  const { token } = await invite(email)
  const admin = await open()
  await admin.getByRole('button', { name: `New link for ${email}` }).click()
  const shown = admin.getByRole('status').filter({ hasText: `The link for ${email}` })
  const link = (await shown.locator('code').textContent()) as string
  expect(link).not.toContain(token)
  expect(await findInvitation(it.db, token)).toBeNull()
  const fresh = await it.page()
  await fresh.goto(link)
  await fresh.getByRole('heading', { name: 'Join Northwind' }).waitFor()
})

test('somebody who signs in here already joins with that password, or with a click where they are signed in', async () => {
  const other = await createTestWorkspace(it.db)
  for (const way of ['password', 'click']) {
    const person = await addPerson(it.db, { name: `Known ${way}`, role: 'viewer', workspaceIds: [other.workspaceId] })
    const { token } = await invite(person.email)
    const page = await it.page(way === 'click' ? { as: person } : {})
    await page.goto(pathOf(token))
    if (way === 'password') {
      await page.getByLabel('Your password').fill('not this one at all')
      await page.getByRole('button', { name: 'Join Northwind' }).click()
      await page.getByText('This is not the password of that e-mail here.').waitFor()
      await page.getByLabel('Your password').fill(password)
    }
    await page.getByRole('button', { name: 'Join Northwind' }).click()
    await page.waitForURL('**/overview')
    await page.getByRole('button', { name: 'Workspace: Northwind. Choose another' }).waitFor()
  }
})

test('an invitation for another e-mail is not accepted by whoever is signed in', async () => {
  const { token } = await invite(anEmail())
  const page = await it.page({ as: it.people.viewer })
  await page.goto(pathOf(token))
  await page.getByText(`You are signed in as ${it.people.viewer.email}.`).waitFor()
  expect(await page.getByRole('button', { name: /^Join/ }).count()).toBe(0)
  expect((await findInvitation(it.db, token))?.state).toBe('open')
})

test('a role is changed and counts at the next click; only an owner is offered to make owners', async () => {
  const person = await addPerson(it.db, { name: 'Rising Star', role: 'viewer', workspaceIds: [it.workspaceId] })
  const theirs = await it.page({ as: person })
  await theirs.goto('/channels')
  await theirs.getByRole('heading', { name: 'Your role does not open this page' }).waitFor()
  const page = await open(`/members/${person.memberId}`)
  expect(await page.getByRole('combobox', { name: 'Role' }).locator('option').allTextContents()).not.toContain('Owner')
  await page.getByRole('combobox', { name: 'Role' }).selectOption('admin')
  await page.getByRole('button', { name: 'Save role' }).click()
  await page.getByText('From now on the role is admin.').waitFor()
  await theirs.reload()
  await theirs.getByRole('heading', { level: 1, name: 'Channels' }).waitFor()

  const owner = await open(`/members/${person.memberId}`, it.people.owner)
  expect(await owner.getByRole('combobox', { name: 'Role' }).locator('option').allTextContents()).toContain('Owner')
  const asAdmin = await open(`/members/${it.people.owner.memberId}`)
  await card(asAdmin, 'About').waitFor()
  expect(await asAdmin.getByRole('button', { name: /Save role|Disable/ }).count()).toBe(0)
})

test('disabling names what ends, ends the session at once, and can be taken back', async () => {
  const person = await addPerson(it.db, { name: 'Leaving Soon', role: 'member', workspaceIds: [it.workspaceId] })
  const theirs = await it.page({ as: person })
  await theirs.goto('/overview')
  const page = await open(`/members/${person.memberId}`)
  await page.getByRole('button', { name: 'Disable Leaving Soon' }).click()
  await page.getByRole('dialog').getByText('their API keys stop working').waitFor()
  await page.getByRole('button', { name: 'Disable them' }).click()
  await page.getByText('Nothing that they have opens this workspace any more.').waitFor()
  await theirs.reload()
  expect(new URL(theirs.url()).pathname).toBe('/sign-in')
  await page.getByRole('button', { name: 'Enable Leaving Soon' }).click()
  await page.getByRole('button', { name: 'Enable them' }).click()
  await page.getByText('They may come in again.').waitFor()
  await theirs.goto('/overview')
  await theirs.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
})

test('an admin sees a member’s browsers and signs one out, then all', async () => {
  const person = await addPerson(it.db, { name: 'Many Browsers', role: 'member', workspaceIds: [it.workspaceId] })
  const browsers = await Promise.all([it.context(), it.context(), it.context()])
  for (const context of browsers) await signIn(context.request, it.url, { email: person.email, password })
  const page = await open(`/members/${person.memberId}`)
  const listed = card(page, 'Signed-in browsers').getByRole('listitem')
  expect(await listed.count()).toBe(3)
  await listed
    .first()
    .getByRole('button', { name: /^Sign out/ })
    .click()
  await page.getByRole('button', { name: 'Sign it out' }).click()
  await page.getByText('That browser is signed out.').waitFor()
  await expect.poll(() => listed.count()).toBe(2)
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Sign out everywhere' }).click()
  await page.getByText('2 browsers are signed out.').waitFor()
  await page.getByText('Signed in nowhere').waitFor()
  for (const context of browsers)
    expect((await context.request.get('/overview', { maxRedirects: 0 })).status()).toBe(307)
})

test('a member’s page leads to the runs that they asked for, and to no others', async () => {
  const page = await open(`/members/${it.people.member.memberId}`)
  await page.getByRole('link', { name: 'What they asked for' }).click()
  await page.waitForURL('**/runs?**')
  expect(await page.getByRole('combobox', { name: 'Requester' }).inputValue()).toBe(it.people.member.memberId)
  await page.getByText('No run is like that').waitFor()
})

test('a linked account is unlinked, and somebody without the right sees no button for it', async () => {
  const identity = { kind: 'telegram', externalId: newId('t') }
  const memberId = await addMember(it.db, {
    workspaceId: it.workspaceId,
    name: 'On Telegram',
    role: 'member',
    identity,
  })
  const viewer = await open(`/members/${memberId}`, it.people.viewer)
  await card(viewer, 'Linked accounts').getByText(identity.externalId).waitFor()
  expect(await viewer.getByRole('button', { name: /Unlink|Disable|Save role/ }).count()).toBe(0)
  expect(await viewer.getByText('Signed-in browsers').count()).toBe(0)

  const page = await open(`/members/${memberId}`)
  await page.getByRole('button', { name: `Unlink ${identity.externalId} on Telegram` }).click()
  await page.getByRole('button', { name: 'Unlink it' }).click()
  await page.getByText('Known nowhere').waitFor()
})

test('the list is filtered by name, role and state, page by page', async () => {
  const marker = newId('z')
  for (let count = 0; count < 53; count++)
    await addMember(it.db, {
      workspaceId: it.workspaceId,
      name: `${marker} ${String(count).padStart(2, '0')}`,
      role: 'viewer',
    })
  const page = await open(`/members?q=${marker}`)
  const names = () => page.getByRole('group', { name: 'Members' }).getByRole('link').allTextContents()
  expect(await names()).toHaveLength(50)
  await page.getByRole('link', { name: 'More of them' }).click()
  await page.getByRole('link', { name: `${marker} 52` }).waitFor()
  expect(await names()).toEqual([`${marker} 50`, `${marker} 51`, `${marker} 52`])
  await page.getByLabel('Role', { exact: true }).first().selectOption('owner')
  await page.getByText('Nobody is like that').waitFor()
  await page.goto('/members?state=disabled')
  expect(await names()).toContain('Ben Achterberg')
  expect(await names()).not.toContain('Adam Admin')
})

test('members, invitations and browsers of another workspace are not there', async () => {
  const other = await createTestWorkspace(it.db)
  const person = await addPerson(it.db, { name: 'Far Away', role: 'admin', workspaceIds: [other.workspaceId] })
  const email = anEmail()
  await invite(email, 'member', other.workspaceId)
  await startRun(it.db, other)
  const { request } = await it.context({ as: it.people.owner })
  for (const id of [person.memberId, other.members.owner, 'none', '%00']) {
    const answer = await request.get(`/members/${id}`)
    expect([id, answer.status()]).toEqual([id, id === '%00' ? answer.status() : 404])
    expect(await answer.text()).not.toContain('Far Away')
  }
  const list = await (await request.get('/members')).text()
  for (const theirs of ['Far Away', email]) expect(list).not.toContain(theirs)
  expect(await (await request.get(`/members?after=${person.memberId}`)).text()).not.toContain('Far Away')
})
