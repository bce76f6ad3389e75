// API keys: made and shown once, used against the REST API, revoked.
import { createApiKey } from '@quartermaster/db'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { useConsole } from './console.ts'

vi.setConfig({ testTimeout: 60_000 })
const it = useConsole()

const form = (page: Page) => page.getByRole('region', { name: 'Make a key', exact: true })

async function open(as = it.people.member): Promise<Page> {
  const page = await it.page({ as })
  await page.goto('/api-keys')
  return page
}

async function make(page: Page, name: string, scopes: string[]): Promise<string> {
  await form(page).getByLabel('Name').fill(name)
  for (const scope of scopes) await form(page).getByRole('checkbox', { name: scope }).check()
  await form(page).getByRole('button', { name: 'Make key' }).click()
  const shown = form(page)
    .getByRole('status')
    .filter({ hasText: `The key “${name}”` })
  await shown.waitFor()
  return (await shown.locator('code').first().textContent()) as string
}

/** As a program would, without a cookie. */
const call = async (key: string) => {
  const { request } = await it.context()
  const answer = await request.get('/api/playground/sessions', { headers: { authorization: `Bearer ${key}` } })
  return answer.status()
}

const makeFor = (memberId: string, name: string, workspaceId = it.workspaceId) =>
  createApiKey(it.db, {
    ...{ workspaceId, memberId, name, scopes: ['playground'] },
    actor: { kind: 'member', id: memberId },
  })

test('a key is made, shown once, works in its scope and no other, and stops when it is revoked', async () => {
  const page = await open()
  const key = await make(page, 'Nightly import', ['Playground'])
  expect(key).toMatch(/^qm_[0-9a-f]{8}_[\w-]{43}$/)
  await form(page).getByText(`curl -H "Authorization: Bearer ${key}" "${it.url}/api/playground/sessions"`).waitFor()
  expect(await call(key)).toBe(200)
  await page.reload()
  await page.getByText('Nightly import').waitFor()
  expect(await page.content()).not.toContain(key)
  await page
    .getByText(/last used/)
    .first()
    .waitFor()

  const narrow = await make(page, 'Only runs', ['Runs'])
  expect(await call(narrow)).toBe(403)

  await page.getByRole('button', { name: 'Revoke the key Nightly import' }).click()
  await page.getByRole('dialog', { name: 'Revoke the key “Nightly import”?' }).waitFor()
  await page.getByRole('button', { name: 'Revoke it' }).click()
  await page.getByText('It opens nothing from now on.').waitFor()
  expect(await call(key)).toBe(401)
  const { rows } = await it.db.pool.query(
    `SELECT action, data FROM audit_events WHERE actor_id = $1 AND subject_kind = 'api-key' ORDER BY number`,
    [it.people.member.memberId],
  )
  expect(rows.map(({ action }) => action)).toEqual(['api-key.create', 'api-key.create', 'api-key.revoke'])
  expect(JSON.stringify(rows)).not.toContain(key.split('_').at(-1))
})

test('a key without a name or a scope is not made, and says what is missing', async () => {
  const page = await open()
  await form(page)
    .locator('form')
    .evaluate((element) => ((element as HTMLFormElement).noValidate = true))
  const before = await it.db.prisma.apiKey.count()
  await form(page).getByRole('button', { name: 'Make key' }).click()
  await page.getByText('Expected at least one scope.').waitFor()
  await page.getByText('Expected a name, for what uses it.').waitFor()
  expect(await it.db.prisma.apiKey.count()).toBe(before)
})

test('everybody sees and revokes their own keys, an admin those of everybody', async () => {
  const { id } = await makeFor(it.people.approver.memberId, 'Of the approver')
  const others = await open(it.people.member)
  await others.getByRole('heading', { name: 'Your keys' }).waitFor()
  expect(await others.getByText('Of the approver').count()).toBe(0)
  const admin = await open(it.people.admin)
  await admin.getByRole('heading', { name: 'Keys of everybody' }).waitFor()
  await admin.getByRole('listitem').filter({ hasText: 'Of the approver' }).getByText('Anna Approver').waitFor()
  await admin.getByRole('button', { name: 'Revoke the key Of the approver' }).click()
  await admin.getByRole('button', { name: 'Revoke it' }).click()
  await admin.getByText('It opens nothing from now on.').waitFor()
  expect((await it.db.prisma.apiKey.findUniqueOrThrow({ where: { id } })).revokedAt).not.toBeNull()
})

test('keys of another workspace are not shown, to its admins neither', async () => {
  const other = await createTestWorkspace(it.db)
  await makeFor(other.members.owner, 'Of somewhere else', other.workspaceId)
  const page = await open(it.people.owner)
  await page.getByText('Status page').waitFor()
  expect(await page.content()).not.toContain('Of somewhere else')
})
