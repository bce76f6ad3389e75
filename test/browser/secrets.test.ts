// Secrets: made, stored, granted, rotated, ended; and never shown again.
import { newId, openSecretsForCall, readSecret, storeSecret } from '@quartermaster/db'
import type { Page } from 'playwright-core'
import { expect, test, vi } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { consoleKeys, useConsole } from './console.ts'
import { startSession } from './playground-session.ts'

vi.setConfig({ testTimeout: 60_000 })
const it = useConsole()

const card = (page: Page, name: string) => page.getByRole('region', { name, exact: true })

async function open(path = '/secrets', as = it.people.admin): Promise<Page> {
  const page = await it.page({ as })
  await page.goto(path)
  return page
}

const storedValue = async (name: string) =>
  (await readSecret(it.db, consoleKeys, { workspaceId: it.workspaceId, name }))?.value
const agentNamed = async (name: string) =>
  (await it.db.prisma.agent.findFirstOrThrow({ where: { workspaceId: it.workspaceId, name } })).id
const secretNamed = async (name: string) =>
  (await it.db.prisma.secret.findFirstOrThrow({ where: { workspaceId: it.workspaceId, name } })).id
const openFor = async (agentId: string, scope: string) => {
  const use = { toolName: 'http.request', runId: 'run_test' }
  return openSecretsForCall(it.db, consoleKeys, { workspaceId: it.workspaceId, agentId, scopes: [scope], use })
}
const store = (scope: string, name: string, value = 'a value', workspaceId = it.workspaceId) =>
  storeSecret(it.db, consoleKeys, {
    ...{ workspaceId, scope, name, value },
    actor: { kind: 'system', id: 'test' },
  })

/** A scope of the test's own, made on the page. */
async function makeScope(page: Page, name: string) {
  const form = card(page, 'A new scope')
  await form.getByLabel('Scope').fill(name)
  await form.getByLabel('What it opens').fill(`Opens ${name}.`)
  await form.getByRole('button', { name: 'Make scope' }).click()
  await card(page, name).getByText(`Opens ${name}.`).waitFor()
}

test('a scope is made, a secret stored in it and granted to an agent, whose calls then get it', async () => {
  const page = await open()
  const scope = `jira-${newId('x').slice(-5)}`
  const canary = `canary-${newId('v')}`
  await makeScope(page, scope)
  const agentId = await agentNamed('Forge')
  expect((await openFor(agentId, scope)).missing).toMatchObject([{ reason: 'not_granted' }])

  await card(page, scope).getByText(`Store a secret in ${scope}`).click()
  await card(page, scope).getByLabel('Name').fill(`${scope}.token`)
  await card(page, scope).getByLabel('Value', { exact: true }).fill(canary)
  await card(page, scope).getByRole('button', { name: 'Store secret' }).click()
  await page.getByText(`${scope}.token is stored. Its value is not shown again.`).waitFor()
  expect(await card(page, scope).getByLabel('Value', { exact: true }).inputValue()).toBe('')

  await card(page, scope).getByText(`Grant ${scope} to an agent`).click()
  await card(page, scope).getByLabel(`Grant ${scope} to`).selectOption({ label: 'Forge' })
  await card(page, scope).getByRole('button', { name: 'Grant', exact: true }).click()
  await card(page, scope)
    .getByRole('button', { name: `Take ${scope} from Forge` })
    .waitFor()
  expect((await openFor(agentId, scope)).values).toEqual(new Map([[`${scope}.token`, canary]]))

  await page.reload()
  await card(page, scope)
    .getByText(/used just now by Forge for http\.request/)
    .waitFor()
  await card(page, scope)
    .getByRole('button', { name: `Take ${scope} from Forge` })
    .click()
  await page.getByRole('dialog').getByText('From its next tool call on Forge gets nothing of this scope').waitFor()
  await page.getByRole('button', { name: 'Take it back' }).click()
  await page.getByText('Its next tool call gets nothing of it.').waitFor()
  expect((await openFor(agentId, scope)).values.size).toBe(0)
})

test('a value reaches no page, no data of a page, no log, no audit and no error', async () => {
  const canary = `canary-${newId('v')}`
  const page = await open()
  const answers: string[] = []
  page.on('response', async (answer) => {
    answers.push(await answer.text().catch(() => ''))
  })
  const github = card(page, 'github')
  await github.getByText('Store a secret in github').click()
  await github
    .locator('form')
    .first()
    .evaluate((form) => ((form as HTMLFormElement).noValidate = true))
  // Refused first: a mistake is said without the value.
  await github.getByLabel('Name').fill('not a name')
  await github.getByLabel('Value', { exact: true }).fill(canary)
  await github.getByRole('button', { name: 'Store secret' }).click()
  await github.getByText('Expected up to 128 letters, digits and _ . : / -').waitFor()
  expect(await github.getByLabel('Value', { exact: true }).inputValue()).toBe(canary)
  await github.getByLabel('Name').fill('github.canary')
  await github.getByRole('button', { name: 'Store secret' }).click()
  await page.getByText('github.canary is stored.').waitFor()
  expect(await storedValue('github.canary')).toBe(canary)

  const { request } = page
  for (const path of ['/secrets', `/secrets/${await secretNamed('github.canary')}`, '/audit', '/audit?action=secret.*'])
    for (const rsc of [false, true]) {
      const answer = await request.get(path, rsc ? { headers: { rsc: '1' } } : {})
      expect(answer.status()).toBe(200)
      answers.push(await answer.text())
    }
  answers.push(await (await request.get('/api/audit/export?format=jsonl')).text())
  expect(answers.some((text) => text.includes('github.canary'))).toBe(true)
  for (const text of [...answers, it.log()]) expect(text.includes(canary)).toBe(false)
})

test('a secret is rotated, ends on a day, and is retired; each version and its end are listed', async () => {
  await store('github', 'github.deploy', 'first')
  const page = await open('/secrets')
  await page.getByRole('link', { name: 'github.deploy' }).click()
  await page.getByRole('heading', { level: 1, name: 'github.deploy' }).waitFor()
  await card(page, 'Rotate').getByLabel('New value').fill('second')
  await card(page, 'Rotate').getByRole('button', { name: 'Store new version' }).click()
  await page.getByText('Version 2 of github.deploy is stored; the one before is destroyed.').waitFor()
  expect(await storedValue('github.deploy')).toBe('second')
  const rows = card(page, 'Versions').getByRole('row')
  await rows.filter({ hasText: '2 current' }).getByText('current key').waitFor()
  await rows.filter({ hasText: '1 destroyed' }).waitFor()

  await card(page, 'Expiry').getByLabel('Expires').fill('2001-01-01')
  await card(page, 'Expiry').getByRole('button', { name: 'Save date' }).click()
  await page.getByText('Expected a day to come.').waitFor()
  await card(page, 'Expiry').getByLabel('Expires').fill('2099-01-31')
  await card(page, 'Expiry').getByRole('button', { name: 'Save date' }).click()
  await page.getByText('Saved. From that day on no tool gets it.').waitFor()
  const version = await it.db.prisma.secretVersion.findFirstOrThrow({
    where: { secretId: await secretNamed('github.deploy'), version: 2 },
  })
  // The day begins in the workspace's zone.
  expect(version.expiresAt?.toISOString()).toBe('2099-01-30T23:00:00.000Z')
  await expect.poll(() => card(page, 'Expiry').getByLabel('Expires').inputValue()).toBe('2099-01-31')

  await page.getByRole('button', { name: 'Retire github.deploy' }).click()
  await page.getByRole('dialog').getByText('Its value is destroyed and cannot be brought back').waitFor()
  await page.getByRole('button', { name: 'Retire it' }).click()
  await page.getByText('github.deploy is retired: its value is destroyed.').waitFor()
  expect(await storedValue('github.deploy')).toBeUndefined()
})

test('a scope with secrets offers no deletion; an empty one says who loses it and is deleted', async () => {
  const scope = `gone-${newId('x').slice(-5)}`
  const page = await open()
  expect(
    await card(page, 'github')
      .getByRole('button', { name: /^Delete/ })
      .count(),
  ).toBe(0)
  await makeScope(page, scope)
  await page.getByRole('button', { name: `Delete the scope ${scope}` }).click()
  await page.getByRole('dialog').getByText('Tools that ask for it refuse').waitFor()
  await page.getByRole('button', { name: 'Delete it' }).click()
  await page.getByText('The scope is deleted, and nobody has it any more.').waitFor()
  await expect.poll(() => card(page, scope).count()).toBe(0)
})

test('tools that lack a secret are named with what to do', async () => {
  const page = await open()
  const lacking = card(page, 'Tools that lack a secret')
  await lacking.getByText('mailbox').first().waitFor()
  expect((await lacking.textContent())?.replace(/\s+/g, ' ')).toMatch(
    /Beacon cannot use email\.get, email\.search: they need mailbox and there is no such scope yet/,
  )
})

test('a tool that lacks a secret is helped from there, a button for each step, until it lacks nothing', async () => {
  const scope = `steps-${newId('x').slice(-5)}`
  const tool = newId('tool')
  await it.db.pool.query(
    `INSERT INTO tools (id, name, description, parameters_schema, handler_key) VALUES ($1, $1, '', '{}', $1)`,
    [tool],
  )
  await it.db.pool.query(
    `INSERT INTO tool_details (tool_id, workspace_id, source, effect, version, required_secret_scopes)
     VALUES ($1, $2, 'manifest', 'read', '1', ARRAY[$3])`,
    [tool, it.workspaceId, scope],
  )
  const agentId = await agentNamed('Forge')
  await it.db.pool.query('INSERT INTO agent_tools (agent_id, tool_id) VALUES ($1, $2)', [agentId, tool])
  const page = await open()
  const line = card(page, 'Tools that lack a secret').getByRole('listitem').filter({ hasText: tool })
  await line.getByRole('button', { name: `Make the scope ${scope}` }).click()
  await line.getByRole('button', { name: `Grant ${scope} to Forge` }).click()
  await line.getByRole('link', { name: `Store a secret in ${scope}` }).click()
  await card(page, scope).getByLabel('Name').fill(`${scope}.token`)
  await card(page, scope).getByLabel('Value', { exact: true }).fill('a value')
  await card(page, scope).getByRole('button', { name: 'Store secret' }).click()
  await line.waitFor({ state: 'detached' })
  expect((await openFor(agentId, scope)).missing).toEqual([])
})

test('the last use says who had asked for it where, and leads to the run', async () => {
  const run = await startSession(it, it.people.member, `Uses a secret ${newId('t')}`)
  await store('github', 'github.used')
  await it.db.pool.query(
    `UPDATE secrets SET last_used_at = now(), last_used_by = $2, last_used_for = 'git.push', last_used_in = $3
     WHERE workspace_id = $1 AND name = 'github.used'`,
    [it.workspaceId, await agentNamed('Forge'), run.runId],
  )
  const page = await open()
  await card(page, 'github')
    .getByText(/used just now by Forge for git\.push, asked by Mika Member in the Playground/)
    .waitFor()
  await card(page, 'github').getByRole('link', { name: 'github.used' }).click()
  await page.getByRole('link', { name: /^Uses a secret/ }).click()
  await page.waitForURL(`**/runs/${run.runId}`)
})

test('secrets of another workspace are not there', async () => {
  const other = await createTestWorkspace(it.db)
  await store('theirs', 'canary.of-others', 'a value', other.workspaceId)
  const { id } = await it.db.prisma.secret.findFirstOrThrow({ where: { workspaceId: other.workspaceId } })
  const { request } = await it.context({ as: it.people.owner })
  for (const path of [`/secrets/${id}`, '/secrets/none'])
    expect([path, (await request.get(path)).status()]).toEqual([path, 404])
  expect(await (await request.get(`/secrets/${id}`)).text()).not.toContain('canary.of-others')
  expect(await (await request.get('/secrets')).text()).not.toContain('canary.of-others')
})
