import { readPrices, readSettings } from '@quartermaster/db'
import type { Locator, Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { fillSignIn, signIn, useConsole } from './console.ts'
import { addPerson, password } from './people.ts'

const it = useConsole()

const audit = async () =>
  (
    await it.db.pool.query(
      'SELECT action, actor_kind, actor_id, data FROM audit_events WHERE workspace_id = $1 ORDER BY number',
      [it.workspaceId],
    )
  ).rows

/** The events that `work` leaves in the audit log. */
async function auditedBy(work: () => Promise<unknown>) {
  const before = (await audit()).length
  await work()
  return (await audit()).slice(before)
}

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

/** Past the browser's own checks, as a request made by hand would come. */
const withoutBrowserChecks = (form: Locator) =>
  form.locator('form').evaluate((element) => ((element as HTMLFormElement).noValidate = true))

async function mistakeAt(field: Locator): Promise<string | null> {
  await field.and(field.page().locator('[aria-invalid=true]')).waitFor()
  const note = await field.getAttribute('aria-describedby')
  return field.page().locator(`#${note}`).textContent()
}

test('a new name of the workspace is saved, audited and shown at once', async () => {
  const { admin } = it.people
  const page = await it.page({ as: admin })
  await page.goto('/settings/workspace')
  const form = card(page, 'Name')
  const events = await auditedBy(async () => {
    await form.getByLabel('Workspace name').fill('  Northwind & Sons ')
    await form.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('The workspace is called Northwind & Sons.').waitFor()
  })
  expect(events).toEqual([
    {
      action: 'workspace.rename',
      actor_kind: 'member',
      actor_id: admin.memberId,
      data: { name: { before: 'Northwind', after: 'Northwind & Sons' } },
    },
  ])
  await page.getByRole('complementary').getByText('Northwind & Sons', { exact: true }).waitFor()
  expect(await form.getByLabel('Workspace name').inputValue()).toBe('Northwind & Sons')
})

test('time zone and question time are saved and audited together, and saving them again records nothing', async () => {
  const page = await it.page({ as: it.people.owner })
  await page.goto('/settings/workspace')
  const form = card(page, 'Dates and questions')
  const save = async () => {
    const answered = page.waitForResponse((response) => response.request().method() === 'POST')
    await form.getByRole('button', { name: 'Save' }).click()
    await answered
    await page.getByText('Saved.', { exact: true }).first().waitFor()
  }
  const events = await auditedBy(async () => {
    await form.getByLabel('Time zone').selectOption('Pacific/Auckland')
    await form.getByLabel(/^Questions stay open/).fill('48')
    await save()
  })
  expect(events).toMatchObject([
    {
      action: 'settings.change',
      actor_id: it.people.owner.memberId,
      data: {
        timezone: { before: 'Europe/Berlin', after: 'Pacific/Auckland' },
        questionExpiryHours: { before: 24, after: 48 },
      },
    },
  ])
  expect(await readSettings(it.db, it.workspaceId)).toEqual({ timezone: 'Pacific/Auckland', questionExpiryHours: 48 })
  expect(await auditedBy(save)).toEqual([])
  await page.reload()
  expect(await form.getByLabel('Time zone').inputValue()).toBe('Pacific/Auckland')
})

test('bad input is explained at its field, keeps what was typed and changes nothing; mended, it is saved', async () => {
  const page = await it.page({ as: it.people.admin })
  await page.goto('/settings/workspace')
  const name = card(page, 'Name')
  const choices = card(page, 'Dates and questions')
  const hours = choices.getByLabel(/^Questions stay open/)
  const zone = choices.getByLabel('Time zone')
  const otherZone = (await zone.inputValue()) === 'Asia/Tokyo' ? 'UTC' : 'Asia/Tokyo'
  const events = await auditedBy(async () => {
    await name.getByLabel('Workspace name').fill('   ')
    await name.getByRole('button', { name: 'Save name' }).click()
    expect(await mistakeAt(name.getByLabel('Workspace name'))).toBe('Expected a name.')

    await withoutBrowserChecks(choices)
    await zone.selectOption(otherZone)
    for (const [typed, sentence] of [
      ['0', 'Expected at least 1 hour.'],
      ['721', 'Expected at most 720 hours (30 days).'],
      ['1.5', 'Expected whole hours.'],
      ['', 'Expected a number of hours.'],
    ] as const) {
      await hours.fill(typed)
      await choices.getByRole('button', { name: 'Save' }).click()
      await page.getByText(sentence).waitFor()
      expect(await mistakeAt(hours)).toBe(sentence)
      expect(await hours.evaluate((input) => input === document.activeElement)).toBe(true)
      expect([await hours.inputValue(), await zone.inputValue()]).toEqual([typed, otherZone])
    }
  })
  expect(events).toEqual([])

  await hours.fill('12')
  await choices.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Saved.', { exact: true }).waitFor()
  expect(await hours.getAttribute('aria-invalid')).toBeNull()
  expect(await readSettings(it.db, it.workspaceId)).toEqual({ timezone: otherZone, questionExpiryHours: 12 })
})

test('the browser itself already holds back a number that is out of range', async () => {
  const page = await it.page({ as: it.people.admin })
  await page.goto('/settings/workspace')
  const hours = card(page, 'Dates and questions').getByLabel(/^Questions stay open/)
  await hours.fill('721')
  expect(await hours.evaluate((input) => (input as HTMLInputElement).checkValidity())).toBe(false)
  await hours.fill('720')
  expect(await hours.evaluate((input) => (input as HTMLInputElement).checkValidity())).toBe(true)
})

test('a person renames themselves, in every workspace and in the audit log', async () => {
  const person = await addPerson(it.db, {
    name: 'Old Name',
    role: 'viewer',
    workspaceIds: [it.workspaceId, it.emptyWorkspaceId],
  })
  const page = await it.page({ as: person })
  await page.goto('/settings/account')
  const events = await auditedBy(async () => {
    await page.getByLabel('Your name').fill('New Name')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('You are called New Name.').waitFor()
  })
  expect(events).toMatchObject([{ action: 'member.rename', data: { name: 'New Name' } }])
  await page.getByRole('button', { name: /^New Name .*sign out$/ }).waitFor()
  const members = await it.db.prisma.member.findMany({ where: { email: person.email } })
  expect(members.map((member) => member.name)).toEqual(['New Name', 'New Name'])
})

test('a new password needs the current one, signs out the other browsers and not this one', async () => {
  const next = 'another password for one person'
  const person = await addPerson(it.db, { name: 'Key Changer', role: 'member', workspaceIds: [it.workspaceId] })
  const other = await it.context()
  await signIn(other.request, it.url, { email: person.email, password })
  const page = await it.page({ as: person })
  await page.goto('/settings/account')
  const form = card(page, 'Password')
  const fill = async (...values: string[]) => {
    for (const [index, label] of ['Current password', 'New password', 'New password again'].entries())
      await form.getByLabel(label, { exact: true }).fill(values[index] as string)
    await form.getByRole('button', { name: 'Change password' }).click()
  }
  const refused = await auditedBy(async () => {
    await fill(password, next, `${next}!`)
    expect(await mistakeAt(form.getByLabel('New password again'))).toBe('The two are not the same.')
    await fill('not my password', next, next)
    expect(await mistakeAt(form.getByLabel('Current password'))).toBe('This is not your current password.')
    expect(await form.getByLabel('New password', { exact: true }).inputValue()).toBe(next)
    await withoutBrowserChecks(form)
    await fill(password, 'short', 'short')
    expect(await mistakeAt(form.getByLabel('New password', { exact: true }))).toBe('Expected at least 12 characters.')
  })
  expect(refused).toEqual([])
  expect((await other.request.get('/overview', { maxRedirects: 0 })).status()).toBe(200)

  const events = await auditedBy(async () => {
    await fill(password, next, next)
    await page.getByText('The password is changed. Your other browsers are signed out.').waitFor()
  })
  expect(events).toMatchObject([{ action: 'member.set-password', actor_id: person.memberId }])
  expect(JSON.stringify(events)).not.toContain(next)
  expect(await form.getByLabel('Current password').inputValue()).toBe('')
  expect((await other.request.get('/overview', { maxRedirects: 0 })).status()).toBe(307)
  await page.reload()
  await page.getByText(`Signed in as ${person.email}.`).waitFor()

  const fresh = await it.page()
  await fresh.goto('/sign-in')
  await fillSignIn(fresh, { email: person.email, password })
  await fresh.getByText('This e-mail and password do not belong together.').waitFor()
  await fillSignIn(fresh, { email: person.email, password: next })
  await fresh.waitForURL('**/overview')
})

test('the installation page tells what runs, and shows no password of the database and no key', async () => {
  const page = await it.page({ as: it.people.admin })
  await page.goto('/settings/installation')
  for (const text of [/^PostgreSQL \d+/, /^all \d+ applied/, /from QM_MASTER_KEY$/])
    await page.getByRole('definition').filter({ hasText: text }).waitFor()
  expect(await page.getByRole('table').getByRole('row').nth(1).textContent()).toContain('console')
  const { password: databasePassword } = new URL(it.db.url)
  const html = await page.content()
  expect(databasePassword).not.toBe('')
  expect(html).not.toContain(databasePassword)
  expect(html).not.toContain('5e'.repeat(32))
})

test('an admin adds a price, changes it and goes back to the usual one; what is wrong is said beside its field', async () => {
  const { admin } = it.people
  const page = await it.page({ as: admin })
  await page.goto('/settings/prices')
  const table = page.getByRole('group', { name: 'Prices of models' })
  const rowOf = (model: string) => table.getByRole('row').filter({ hasText: model })
  await rowOf('claude-opus-5-5').getByText('usual', { exact: true }).waitFor()
  expect((await rowOf('claude-opus-5-5').getByRole('cell').allTextContents()).slice(1, -1)).toEqual([
    '$4',
    '$20',
    '$0.4',
    '$5',
    '$8',
    '$10',
  ])

  const adding = card(page, 'Add a price')
  await withoutBrowserChecks(adding)
  const events = await auditedBy(async () => {
    await adding.getByLabel('Model').fill('two words')
    await adding.getByLabel('Input ($)').fill('-1')
    await adding.getByRole('button', { name: 'Save price' }).click()
    expect(await mistakeAt(adding.getByLabel('Input ($)'))).toBe('Expected at least 0.')
    expect(await mistakeAt(adding.getByLabel('Output ($)'))).toBe('Expected a number.')
    expect(await mistakeAt(adding.getByLabel('Model'))).toContain('Expected a name like claude-sonnet-5-5')
    expect(await adding.getByLabel('Model').inputValue()).toBe('two words')
  })
  expect(events).toEqual([])

  const prices = { input: 1, output: 3 }
  const changes = await auditedBy(async () => {
    await adding.getByLabel('Model').fill('our-own-model')
    await adding.getByLabel('Input ($)').fill('1')
    await adding.getByLabel('Output ($)').fill('3')
    await adding.getByRole('button', { name: 'Save price' }).click()
    await rowOf('our-own-model').getByText('own', { exact: true }).waitFor()

    await page.getByRole('link', { name: 'Change the price of claude-opus-5-5' }).click()
    const changing = card(page, 'Change the price of claude-opus-5-5')
    expect(await changing.getByLabel('Output ($)').inputValue()).toBe('20')
    await changing.getByLabel('Output ($)').fill('18')
    await changing.getByRole('button', { name: 'Save price' }).click()
    await rowOf('claude-opus-5-5').getByText('$18', { exact: true }).waitFor()

    await page.getByRole('button', { name: 'Remove the price of our-own-model' }).click()
    await page.getByText('counts at the dearest price').waitFor()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await rowOf('our-own-model').waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Remove the price of claude-opus-5-5' }).click()
    await page.getByRole('button', { name: 'Remove it' }).click()
    await rowOf('claude-opus-5-5').getByText('usual', { exact: true }).waitFor()
  })
  expect(changes.map(({ action, actor_id, data }) => [action, actor_id, data.model])).toEqual([
    ['prices.change', admin.memberId, 'our-own-model'],
    ['prices.change', admin.memberId, 'claude-opus-5-5'],
    ['prices.change', admin.memberId, 'our-own-model'],
    ['prices.change', admin.memberId, 'claude-opus-5-5'],
  ])
  expect(changes[0]?.data).toMatchObject({ before: null, after: prices })
  expect(await readPrices(it.db, it.workspaceId)).toEqual({})
})
