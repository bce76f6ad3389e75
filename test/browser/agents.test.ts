// The area Agents, as an admin and as a viewer walk through it: made, edited, given tools, published, rolled back.
import { newId, readAgent, saveDraft } from '@quartermaster/db'
import type { Locator, Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { makeAgent } from './areas/agents.ts'
import { narrow, useConsole } from './console.ts'

// The pages are many and the machine may be busy; what is awaited has its own time.
vi.setConfig({ testTimeout: 90_000 })
const it = useConsole()

const tabs = ['', '/tools', '/effective', '/channels', '/secrets', '/versions']
const read = async (agentId: string) => (await readAgent(it.db, { workspaceId: it.workspaceId, agentId }))!
const harbor = () => it.db.prisma.agent.findFirstOrThrow({ where: { workspaceId: it.workspaceId, slug: 'harbor' } })
const auditOf = async (agentId: string) =>
  it.db.prisma.auditEvent.findMany({
    where: { workspaceId: it.workspaceId, subjectId: agentId },
    orderBy: { number: 'asc' },
  })

async function open(path: string, as = it.people.admin): Promise<Page> {
  const page = await it.page({ as })
  await page.goto(path)
  return page
}

/** The mark beside the name: the version that holds. */
const holding = (page: Page, number: number) => page.locator('header').getByText(`version ${number}`, { exact: true })
const tab = (page: Page, name: string) =>
  page.getByRole('navigation', { name: /^Pages of / }).getByRole('link', { name: new RegExp(`^${name}`) })

async function mistakeAt(field: Locator): Promise<string | null> {
  await field.and(field.page().locator('[aria-invalid=true]')).waitFor()
  return field
    .page()
    .locator(`[id="${await field.getAttribute('aria-describedby')}"]`)
    .textContent()
}

test('an agent is made from a template as a draft, and answers only when it is published', async () => {
  const page = await open('/agents')
  await page.getByRole('link', { name: 'New agent' }).click()
  const name = page.getByLabel('Name', { exact: true })
  await name.fill('harbor')
  await page.getByRole('button', { name: 'Make the draft' }).click()
  expect(await mistakeAt(name)).toBe('There is an agent of this name.')
  expect(await name.inputValue()).toBe('harbor')

  await name.fill('Lantern')
  await page.getByLabel('Begins as', { exact: true }).selectOption({ label: 'Engineering' })
  await page.getByRole('button', { name: 'Make the draft' }).click()
  await page.getByRole('heading', { level: 1, name: 'Lantern' }).waitFor()
  await page.getByText('It answers nobody until this is published.').waitFor()
  expect(await page.getByRole('link', { name: 'Talk to it' }).count()).toBe(0)
  expect(await page.getByRole('radio', { name: /^Supervised/ }).isChecked()).toBe(true)

  await page.getByRole('button', { name: 'Publish…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Publish version 1 of Lantern?' })
  await dialog.getByLabel('Note', { exact: true }).fill('For the team.')
  await dialog.getByRole('button', { name: 'Publish version 1' }).click()
  await holding(page, 1).waitFor()

  await page.getByRole('link', { name: 'Talk to it' }).click()
  await page.waitForURL('**/playground?agent=*')
  expect(await page.getByLabel('Agent', { exact: true }).locator('option:checked').textContent()).toBe('Lantern')
  await page.goto('/agents')
  await page.getByRole('row', { name: /Lantern.*deep.*coding.*supervised.*default set/ }).waitFor()
})

test('a copy of another agent has its tools', async () => {
  const page = await open('/agents/new')
  await page.getByLabel('Name', { exact: true }).fill('Second Ledger')
  await page.getByLabel('Begins as', { exact: true }).selectOption({ label: 'Ledger' })
  await page.getByRole('button', { name: 'Make the draft' }).click()
  await tab(page, 'Tools').click()
  await page.getByRole('list', { name: 'Attached tools' }).getByText('default_limit: 500').waitFor()
})

test('what is wrong is said at its field, is kept as it was typed and changes nothing; put right it is in the draft', async () => {
  const { agentId, name } = await makeAgent(it)
  const before = await read(agentId)
  const page = await open(`/agents/${agentId}`)
  const deny = page.getByLabel('Deny', { exact: true })
  const budget = page.getByLabel('One run', { exact: true })
  const save = page.getByRole('button', { name: 'Save in the draft' })
  expect(await save.isDisabled()).toBe(true)

  await deny.fill('file*\nnothing.here')
  await page.getByRole('list', { name: 'What “Deny” matches' }).getByText('nothing.here matches no tool').waitFor()
  await save.click()
  expect(await mistakeAt(deny)).toMatch(/^The pattern "file\*": a \* stands alone/)
  await deny.fill('file.*')
  await page
    .getByRole('list', { name: 'What “Deny” matches' })
    .getByText(/file\.\* \d+ tools/)
    .waitFor()
  await budget.fill('two')
  await save.click()
  expect(await mistakeAt(budget)).toBe('Expected an amount of dollars.')
  expect(await budget.inputValue()).toBe('two')
  expect((await read(agentId)).seen).toEqual(before.seen)

  await budget.fill('2.50')
  await page.getByRole('radio', { name: /^Autonomous/ }).check()
  await page.getByLabel('Anybody with the role').selectOption('admin')
  await page.getByLabel('Never whoever asked for it').check()
  await page.getByLabel('How many must approve').fill('2')
  await save.click()
  await page.getByText('Saved in the draft.').waitFor()
  await page.getByText('Draft: 6 changes').waitFor()
  const after = await read(agentId)
  expect(after.published).toEqual(before.published)
  expect(after.draft?.configuration).toMatchObject({
    toolsDeny: ['file.*'],
    budgets: { perRunUsd: 2.5 },
    autonomy: 'autonomous',
    approvers: { roles: ['admin'], notRequester: true },
    approvalsRequired: 2,
    instructions: 'Drafted instructions.',
  })

  await page.getByRole('button', { name: 'Discard' }).click()
  const dialog = page.getByRole('dialog', { name: `Discard the draft of ${name}?` })
  await dialog.getByText('Its 6 changes will be gone for good.').waitFor()
  await dialog.getByRole('button', { name: 'Discard it' }).click()
  await page.getByText('The draft is discarded.').waitFor()
  await expect.poll(() => page.getByLabel('Instructions', { exact: true }).inputValue()).toBe('Second instructions.')
})

test('a tool is attached with a configuration from its schema, and detached, in the draft only', async () => {
  const { agentId } = await makeAgent(it)
  const page = await open(`/agents/${agentId}/tools`)
  await page.getByText('Nothing is attached, so it has the default set').waitFor()
  await page.getByRole('searchbox', { name: 'Search tools' }).fill('http.req')
  await page.waitForURL('**/tools?q=http.req')
  await page.getByRole('link', { name: 'Configure… http.request and attach it' }).click()
  const form = page.getByRole('region', { name: 'Attach http.request with a configuration' })
  await form.getByRole('button', { name: 'Edit as JSON' }).click()
  const json = form.getByRole('textbox', { name: 'Configuration' })
  await json.fill('{"no_such": 1}')
  await form.getByRole('button', { name: 'Attach in the draft' }).click()
  await form.getByText('no_such: Is not known here').waitFor()
  expect((await read(agentId)).draft?.configuration.attachments).toEqual([])

  await json.fill('{"default_method": "GET"}')
  await form.getByRole('button', { name: 'Attach in the draft' }).click()
  const attached = page.getByRole('list', { name: 'Attached tools' })
  await attached.getByText('default_method: "GET"').waitFor()
  await attached.getByText('new in the draft').waitFor()

  await page.getByRole('searchbox', { name: 'Search tools' }).fill('file.read')
  await page.waitForURL('**/tools?q=file.read')
  await page.getByRole('button', { name: 'Attach file.read' }).click()
  await attached.getByRole('button', { name: 'Detach file.read' }).waitFor()
  await attached.getByRole('button', { name: 'Detach http.request' }).click()
  await attached.getByRole('button', { name: 'Detach http.request' }).waitFor({ state: 'detached' })
  expect(await it.db.prisma.agentTool.count({ where: { agentId } })).toBe(0)
  expect((await read(agentId)).draft?.configuration.attachments).toHaveLength(1)
})

test('the default set is attached as a whole, so that a tool that is put beside it takes nothing away', async () => {
  const { agentId } = await makeAgent(it)
  const page = await open(`/agents/${agentId}/effective?decision=allow`)
  const before = await page.getByRole('table').getByRole('row').count()
  const denied = await it.db.prisma.tool.findFirstOrThrow({ where: { handlerKey: 'k8s.pods' } })
  await page.goto(`/agents/${agentId}/tools?tool=${denied.id}`)
  await page.getByText('with this one the agent has this one alone').waitFor()
  await page.getByRole('button', { name: 'Attach the default set' }).press('Enter')
  await page.getByText(/^\d+ tools are attached in the draft\.$/).waitFor()
  const attached = page.getByRole('list', { name: 'Attached tools' })
  await attached.getByRole('link', { name: 'Configure file.read' }).waitFor()
  expect(await attached.getByRole('link', { name: 'Configure k8s.pods' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Attach in the draft' }).click()
  await attached.getByRole('link', { name: 'Configure k8s.pods' }).waitFor()
  await page.goto(`/agents/${agentId}/effective?decision=changed`)
  // Nothing that it had is gone.
  const lost = await page
    .getByRole('row')
    .evaluateAll((rows) => rows.filter((row) => row.children[2]?.textContent === 'denied').length)
  expect(lost).toBe(0)
  await page.goto(`/agents/${agentId}/effective?decision=allow`)
  expect(await page.getByRole('table').getByRole('row').count()).toBeGreaterThanOrEqual(before)
})

test('a configuration has a field for each setting and argument, and everything that is wrong is said at its own', async () => {
  const { agentId } = await makeAgent(it)
  const tool = await it.db.prisma.tool.findFirstOrThrow({ where: { handlerKey: 'shell.exec' } })
  const page = await open(`/agents/${agentId}/tools?tool=${tool.id}`)
  const form = page.getByRole('form', { name: 'Configuration of shell.exec' })
  // Who came by the link is at the form, also with the keyboard alone.
  await expect.poll(() => form.evaluate((element) => element === document.activeElement)).toBe(true)
  await form.getByLabel('memory_mb').fill('1')
  await form.getByLabel('network').selectOption('hosts')
  await form.getByRole('button', { name: 'Add to hosts' }).press('Enter')
  await form.getByRole('textbox', { name: 'hosts 1' }).fill('files.example.com')
  await form.locator('summary', { hasText: 'timeout' }).press('Enter')
  await form.getByLabel('default_timeout').fill('soon')
  await form.getByLabel('max_timeout').fill('5000')
  const save = form.getByRole('button', { name: 'Attach in the draft' })
  await save.click()
  expect(await mistakeAt(form.getByLabel('memory_mb'))).toBe('Must be >= 16, got 1.')
  expect(await mistakeAt(form.getByLabel('default_timeout'))).toBe('Must be integer, got "soon".')
  expect(await form.getByLabel('max_timeout').getAttribute('aria-invalid')).toBeNull()
  expect((await read(agentId)).draft?.configuration.attachments).toEqual([])

  await form.getByLabel('memory_mb').fill('512')
  await form.getByLabel('default_timeout').fill('9000')
  await save.click()
  await expect
    .poll(() => mistakeAt(form.getByLabel('default_timeout')))
    .toMatch(/9000 is more than max_timeout, which is 5000/)
  await form.getByLabel('default_timeout').fill('4000')
  // A button that still waits for the answer before takes no key.
  await expect.poll(() => save.isEnabled()).toBe(true)
  await save.press('Enter')
  const attached = page.getByRole('list', { name: 'Attached tools' })
  await attached.getByRole('link', { name: 'Configure shell.exec' }).waitFor()
  expect((await read(agentId)).draft?.configuration.attachments).toEqual([
    {
      toolId: tool.id,
      config: {
        memory_mb: 512,
        network: 'hosts',
        hosts: ['files.example.com'],
        default_timeout: 4000,
        max_timeout: 5000,
      },
    },
  ])
  // Opened again, it has what was saved, and the argument that was decided is open.
  await attached.getByRole('link', { name: 'Configure shell.exec' }).click()
  expect(await form.getByRole('textbox', { name: 'hosts 1' }).inputValue()).toBe('files.example.com')
  expect(await form.getByLabel('max_timeout').inputValue()).toBe('5000')
})

test('effective tools say for each tool what happens and why, now and with the draft', async () => {
  const { id } = await harbor()
  const page = await open(`/agents/${id}/effective`)
  const row = (name: string) => page.getByRole('row', { name: new RegExp(`^${name.replaceAll('.', '\\.')} `) })
  await row('http.request').getByText('asks', { exact: true }).waitFor()
  await row('http.request').getByText('denied', { exact: true }).waitFor()
  await row('http.request').locator('summary').getByText('denied by this agent: http.request').waitFor()
  await row('memory.add').locator('summary').getByText('not attached to the agent').waitFor()
  await row('shell.exec').getByText('by arguments', { exact: true }).waitFor()
  await row('shell.exec').getByText('whole trail').click()
  await row('shell.exec').getByRole('listitem').getByText('attached to the agent').waitFor()
  await row('shell.exec').getByText('By its arguments, the rule “Never force-push” may deny instead.').waitFor()

  await row('http.request').locator('summary').click()
  const where = row('http.request').getByRole('listitem').filter({ hasText: 'denied by this agent' }).getByRole('link')
  expect(await where.getAttribute('href')).toBe(`/agents/${id}`)
  // What is missing is attached from here, and a link says what of.
  await row('memory.add').getByRole('link', { name: 'Attach… memory.add' }).click()
  await page.getByRole('region', { name: 'Attach memory.add with a configuration' }).waitFor()
  await page.goBack()

  await page.getByLabel('Decision', { exact: true }).selectOption({ label: 'Changed by the draft' })
  await page.waitForURL('**/effective?decision=changed')
  await row('shell.exec').waitFor({ state: 'detached' })
  await row('http.request').waitFor()
})

test('publishing shows the difference and takes a note; a version is compared and rolled back to', async () => {
  const { agentId, name } = await makeAgent(it)
  const page = await open(`/agents/${agentId}`)
  await page.getByRole('button', { name: 'Publish…' }).click()
  const dialog = page.getByRole('dialog', { name: `Publish version 3 of ${name}?` })
  const changes = dialog.getByRole('group', { name: 'What changes' })
  await changes.getByText('- Second instructions.').waitFor()
  await changes.getByText('+ Drafted instructions.').waitFor()
  await dialog.getByLabel('Note', { exact: true }).fill('Says more.')
  await dialog.getByRole('button', { name: 'Publish version 3' }).click()
  await holding(page, 3).waitFor()
  expect(await page.getByRole('region', { name: 'Draft' }).count()).toBe(0)

  await tab(page, 'Versions').click()
  const versions = page.getByRole('list', { name: 'Versions' })
  await versions.getByText('Says more.').waitFor()
  await versions.getByText('Adam Admin, just now · 1 change').first().waitFor()
  await page.getByLabel('From', { exact: true }).selectOption({ label: 'version 1' })
  const difference = page.getByRole('group', { name: 'From version 1 to version 3' })
  await difference.getByText('+ Drafted instructions.').waitFor()
  expect(await difference.getByText('Second instructions.').count()).toBe(0)

  await page.getByRole('button', { name: 'Roll back to version 2' }).click()
  const back = page.getByRole('dialog', { name: `Roll ${name} back to version 2?` })
  await back.getByText('+ Second instructions.').waitFor()
  await back.getByRole('button', { name: 'Roll back to version 2' }).click()
  await holding(page, 4).waitFor()
  await versions.getByText('Back to version 2.').waitFor()
  expect((await read(agentId)).published?.configuration.instructions).toBe('Second instructions.')
  expect((await auditOf(agentId)).at(-1)).toMatchObject({
    action: 'agent.roll-back',
    actorId: it.people.admin.memberId,
    data: { version: 4, restores: 2 },
  })
})

test('of two who edit at once the second is told, keeps what they typed, and sees the first one’s before saving again', async () => {
  const { agentId } = await makeAgent(it)
  const [one, other] = await Promise.all([open(`/agents/${agentId}`), open(`/agents/${agentId}`, it.people.owner)])
  await other.getByLabel('A day', { exact: true }).fill('7')
  await one.getByLabel('Instructions', { exact: true }).fill('By the first.')
  await one.getByLabel('A day', { exact: true }).fill('9')
  await one.getByRole('button', { name: 'Save in the draft' }).click()
  await one.getByText('Saved in the draft.').waitFor()

  await other.getByRole('button', { name: 'Save in the draft' }).click()
  await other.getByText('Somebody changed this agent meanwhile, so nothing was written.').waitFor()
  expect((await read(agentId)).draft?.configuration.budgets).toEqual({ perDayUsd: 9 })
  await expect.poll(() => other.getByLabel('Instructions', { exact: true }).inputValue()).toBe('By the first.')
  expect(await other.getByLabel('A day', { exact: true }).inputValue()).toBe('7')
  await other.getByText('Meanwhile somebody changed the budget of a day too').waitFor()
  await other.getByRole('button', { name: 'Save in the draft' }).click()
  await other.getByText('Saved in the draft.').waitFor()
  expect((await read(agentId)).draft?.configuration).toMatchObject({
    instructions: 'By the first.',
    budgets: { perDayUsd: 7 },
  })
})

test('a draft that somebody changed while the dialog was open is not published', async () => {
  const { agentId } = await makeAgent(it)
  const page = await open(`/agents/${agentId}`)
  await page.getByRole('button', { name: 'Publish…' }).click()
  const whose = { workspaceId: it.workspaceId, agentId }
  const { seen } = await read(agentId)
  const actor = { kind: 'member', id: it.people.owner.memberId } as const
  await saveDraft(it.db, { ...whose, actor, seen, change: { profile: 'full' }, validate: () => [] })
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('button', { name: 'Publish version 3' }).click()
  await dialog.getByText('Somebody changed this agent meanwhile').waitFor()
  expect((await read(agentId)).published?.number).toBe(2)
  // The dialog now shows what would be published, and publishes that.
  await dialog.getByText('+ full').waitFor()
  await dialog.getByRole('button', { name: 'Publish version 3' }).click()
  await holding(page, 3).waitFor()
  expect((await read(agentId)).published?.configuration.profile).toBe('full')
})

test('a place is bound and unbound here, archiving names it, and a restored agent is as it was', async () => {
  const { agentId, name } = await makeAgent(it)
  const page = await open(`/agents/${agentId}/channels`)
  await page.getByText('Nobody meets it in a chat yet').waitFor()
  const place = page.getByLabel('Place', { exact: true })
  await page.getByLabel('Channel', { exact: true }).selectOption({ label: 'Northwind' })
  await place.fill('general')
  await page.getByRole('button', { name: 'Bind', exact: true }).click()
  expect(await mistakeAt(place)).toMatch(/^Expected the id of a Slack channel/)
  const id = `C0${newId('x').slice(-8).toUpperCase()}`
  await place.fill(id)
  await page.getByRole('button', { name: 'Bind', exact: true }).click()
  await page.getByRole('list', { name: 'Where it answers' }).getByText(id).waitFor()

  // Another agent does not take the place unseen.
  const other = await makeAgent(it)
  const second = await open(`/agents/${other.agentId}/channels`)
  await second.getByLabel('Channel', { exact: true }).selectOption({ label: 'Northwind' })
  await second.getByLabel('Place', { exact: true }).fill(id)
  await second.getByRole('button', { name: 'Bind', exact: true }).click()
  await second.getByText(`${name} answers there now. Bind once more to change that.`).waitFor()
  const bound = () => it.db.prisma.binding.findFirstOrThrow({ where: { place: id } })
  expect((await bound()).agentId).toBe(agentId)
  await second.getByRole('button', { name: 'Bind', exact: true }).press('Enter')
  await second.getByRole('list', { name: 'Where it answers' }).getByText(id).waitFor()
  expect((await bound()).agentId).toBe(other.agentId)
  await page.reload()
  await page.getByLabel('Channel', { exact: true }).selectOption({ label: 'Northwind' })
  await place.fill(id)
  await page.getByRole('button', { name: 'Bind', exact: true }).click()
  await page.getByText(`${other.name} answers there now.`).waitFor()
  await page.getByRole('button', { name: 'Bind', exact: true }).click()
  await page.getByRole('list', { name: 'Where it answers' }).getByText(id).waitFor()

  await page.getByRole('button', { name: `Archive ${name}` }).click()
  const dialog = page.getByRole('dialog', { name: `Archive ${name}?` })
  await dialog.getByText(`The default agent will answer in ${id} (Northwind).`).waitFor()
  await dialog.getByRole('button', { name: 'Archive it' }).click()
  await page.getByText('Archived. It answers nobody any more.').waitFor()
  await page.getByRole('button', { name: 'Restore' }).waitFor()
  expect(await page.getByRole('link', { name: 'Talk to it' }).count()).toBe(0)
  await page.goto('/agents?show=archived')
  await page.getByRole('link', { name }).click()
  await page.getByRole('button', { name: 'Restore' }).click()
  await page.getByRole('link', { name: 'Talk to it' }).waitFor()

  await tab(page, 'Channels').click()
  await page.getByRole('button', { name: `Unbind ${id}` }).click()
  await page.getByRole('button', { name: 'Unbind it' }).click()
  await page.getByText('Nobody meets it in a chat yet').waitFor()
})

test('a viewer sees all of it and can change nothing', async () => {
  const { id } = await harbor()
  const page = await open('/agents', it.people.viewer)
  expect(await page.getByRole('link', { name: 'New agent' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Harbor' }).click()
  await page.getByLabel('Instructions', { exact: true }).waitFor()
  expect(await page.getByLabel('Instructions', { exact: true }).isDisabled()).toBe(true)
  const forbidden = /^(Publish…|Discard|Save|Detach|Attach|Configure|Archive|Roll back|Bind|Unbind)/
  for (const tab of tabs) {
    await page.goto(`/agents/${id}${tab}`)
    await page.getByRole('heading', { level: 1, name: 'Harbor' }).waitFor()
    expect([tab, await page.getByRole('main').getByRole('button', { name: forbidden }).count()]).toEqual([tab, 0])
  }
})

test('the granted scopes are listed, with who granted them', async () => {
  const { id } = await harbor()
  const page = await open(`/agents/${id}/secrets`)
  const scopes = page.getByRole('list', { name: 'Granted scopes' })
  await scopes.getByText('cluster', { exact: true }).waitFor()
  await scopes.getByText('Jonas Wieland').first().waitFor()
})

test('an agent of another workspace is not there, on any page', async () => {
  const other = await createTestWorkspace(it.db)
  const { request } = await it.context({ as: it.people.owner })
  const own = (await harbor()).id
  for (const tab of tabs) {
    expect([tab, (await request.get(`/agents/${other.agentId}${tab}`)).status()]).toEqual([tab, 404])
    expect([tab, (await request.get(`/agents/${own}${tab}`)).status()]).toEqual([tab, 200])
  }
})

test('on a phone every tab can be used, and nothing pushes the page sideways', async () => {
  const { id } = await harbor()
  const page = await it.page({ as: it.people.admin, viewport: narrow, hasTouch: true })
  for (const path of ['/agents', '/agents/new', ...tabs.map((tab) => `/agents/${id}${tab}`)]) {
    await page.goto(path)
    const overflow = () =>
      page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)
    expect([path, await overflow()]).toEqual([path, 0])
  }
})
