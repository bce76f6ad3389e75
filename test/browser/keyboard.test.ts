// What people come to the console for, area by area, without a mouse: every control is reached with Tab and the arrows, in
// whatever order the page has them, and used with its own keys.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { newId, readSettings } from '@quartermaster/db'
import type { Page } from 'playwright-core'
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { makeAgent } from './areas/agents.ts'
import { fillSignIn, useConsole } from './console.ts'
import { keyboardOnly } from './keyboard-only.ts'
import { addPerson, password } from './people.ts'
import { makeSession, startSession } from './playground-session.ts'

vi.setConfig({ testTimeout: 120_000 })
const base = mkdtempSync(join(tmpdir(), 'qm-keys-'))
afterAll(() => rmSync(base, { recursive: true, force: true }))
const it = useConsole({ settings: async () => ({ WORKSPACE_ROOT: base }) })

beforeEach(async () => keyboardOnly(await it.page()))

async function open(path: string, as = it.people.admin): Promise<Page> {
  const page = await it.page({ as })
  await page.goto(path)
  return page
}
const region = (page: Page, name: string) => page.getByRole('region', { name, exact: true })
const focusOf = (page: Page) => page.evaluate(() => document.activeElement?.tagName)

test('signing in, and out again', async () => {
  const page = await it.page()
  await page.goto('/sign-in')
  await fillSignIn(page, { email: it.people.viewer.email, password })
  await page.waitForURL('**/overview')
  await page.getByRole('button', { name: /^Vera Viewer .*sign out$/ }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
})

describe('deciding and looking', () => {
  test('a question is found and answered', async () => {
    const { questionId } = await makeSession(it, it.people.member)
    const page = await open('/approvals?show=open', it.people.approver)
    await page.getByRole('article', { name: 'Which drink?' }).first().getByRole('button', { name: 'tea' }).click()
    await expect
      .poll(async () => (await it.db.prisma.question.findUniqueOrThrow({ where: { id: questionId } })).status)
      .toBe('answered')
  })

  test('runs are filtered, a trace is walked through, a run is stopped', async () => {
    const title = `By keyboard ${newId('t')}`
    const { runId } = await startSession(it, it.people.admin, title)
    const page = await open('/runs')
    await page.getByRole('searchbox', { name: 'Search titles and errors' }).fill(title)
    await page.waitForURL(/q=By/)
    await page.getByRole('link', { name: title }).click()
    await page.waitForURL(`**/runs/${runId}`)
    await page.getByRole('option').first().click()
    await page.getByRole('button', { name: 'Stop' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Stop it' }).click()
    await expect
      .poll(async () => (await it.db.prisma.run.findUniqueOrThrow({ where: { id: runId } })).stopRequestedAt)
      .not.toBeNull()
  })

  test('executions are filtered, held still and opened; an export is chosen', async () => {
    const page = await open('/executions')
    await page.getByRole('combobox', { name: 'Status' }).selectOption('failed')
    await page.waitForURL(/status=failed/)
    await page.getByRole('button', { name: 'Pause' }).click()
    await page.getByText('Paused').waitFor()
    await page.getByRole('button', { name: 'Export' }).click()
    const downloading = page.waitForEvent('download')
    await page.getByRole('menuitem', { name: /JSONL/ }).click()
    expect((await downloading).suggestedFilename()).toMatch(/\.jsonl$/)
    await page.getByRole('region', { name: 'Tool calls' }).getByRole('link').first().click()
    await page.waitForURL(/\/executions\/\w/)
  })

  test('the audit log is filtered, unfolded and verified', async () => {
    const page = await open('/audit')
    await page.getByLabel('What').selectOption('secret.*')
    await page.waitForURL(/action=secret/)
    const entry = region(page, 'Events').locator('summary').first()
    await entry.click()
    expect(await entry.evaluate((summary) => (summary.parentElement as HTMLDetailsElement).open)).toBe(true)
    await page.getByRole('button', { name: 'Verify', exact: true }).click()
    await region(page, 'The chain')
      .getByText(/^Intact/)
      .waitFor()
  })
})

describe('configuring', () => {
  test('an agent gets a tool and other instructions, is compared, published and rolled back', async () => {
    const { agentId, name } = await makeAgent(it)
    const page = await open(`/agents/${agentId}`)
    await page.getByRole('radio', { name: /^Autonomous/ }).check()
    await page.getByRole('button', { name: 'Save in the draft' }).click()
    await page.getByText('Saved in the draft.').waitFor()
    const tab = (label: string) =>
      page.getByRole('navigation', { name: /^Pages of / }).getByRole('link', { name: new RegExp(`^${label}`) })
    await tab('Tools').click()
    await page.getByRole('searchbox', { name: 'Search tools' }).fill('file.read')
    await page.waitForURL(/q=file/)
    await page.getByRole('button', { name: 'Attach file.read' }).click()
    await page.getByRole('list', { name: 'Attached tools' }).getByRole('button', { name: 'Detach file.read' }).waitFor()
    await page.getByRole('button', { name: 'Publish…' }).click()
    const dialog = page.getByRole('dialog', { name: `Publish version 3 of ${name}?` })
    await dialog.getByLabel('Note', { exact: true }).fill('By keyboard.')
    await dialog.getByRole('button', { name: 'Publish version 3' }).click()
    await page.locator('header').getByText('version 3', { exact: true }).waitFor()
    await tab('Versions').click()
    await page.getByRole('button', { name: 'Roll back to version 1' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Roll back to version 1' }).click()
    await page.getByRole('list', { name: 'Versions' }).getByText('Back to version 1.').waitFor()
  })

  test('a scope is made, a secret stored in it, granted and taken back; where a button went, the page has the focus', async () => {
    const scope = `keys-${newId('x').slice(-5)}`
    const page = await open('/secrets')
    await region(page, 'A new scope').getByLabel('Scope').fill(scope)
    await region(page, 'A new scope').getByRole('button', { name: 'Make scope' }).click()
    const card = region(page, scope)
    await card.getByText(`Store a secret in ${scope}`).click()
    await card.getByLabel('Name').fill(`${scope}.token`)
    await card.getByLabel('Value', { exact: true }).fill('a value')
    await card.getByRole('button', { name: 'Store secret' }).click()
    await page.getByText(`${scope}.token is stored.`).waitFor()
    await card.getByText(`Grant ${scope} to an agent`).click()
    await card.getByLabel(`Grant ${scope} to`).selectOption({ label: 'Forge' })
    await card.getByRole('button', { name: 'Grant', exact: true }).click()
    await card.getByRole('button', { name: `Take ${scope} from Forge` }).click()
    await page.getByRole('button', { name: 'Take it back' }).click()
    await page.getByText('Its next tool call gets nothing of it.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => focusOf(page)).not.toBe('BODY')
  })

  test('a rule is written with a condition and an example, the draft is reviewed and published', async () => {
    const page = await open('/policies/rules/new')
    await page.getByLabel('Name').fill('Pushes ask')
    await page.getByRole('combobox', { name: 'Tools' }).fill('shell.exec')
    await page.getByText('Matches 1 tool now.').waitFor()
    await page.getByRole('button', { name: 'Add a condition' }).click()
    await page.getByLabel('Condition 1: argument').fill('command')
    await page.getByLabel('Condition 1: how').selectOption('command')
    await page.getByLabel('Condition 1: value').fill('git push*')
    await page.getByRole('button', { name: 'Add an example: must match' }).click()
    await page.getByLabel('Must match, example 1', { exact: true }).fill('{ "command": "git push" }')
    await page.getByText('As it must.').waitFor()
    await page.getByRole('button', { name: 'Save to the draft' }).click()
    await page.getByRole('link', { name: 'Pushes ask' }).waitFor()
    await page.getByRole('link', { name: /^Review \d+ changes?$/ }).click()
    await page.getByText('Replayed completely.').waitFor()
    await page.getByRole('button', { name: 'Publish…' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
    await page.getByText('There is no draft').waitFor()
  })

  test('a tool is looked up and switched off and on again', async () => {
    const page = await open('/tools')
    await page.getByRole('searchbox', { name: /^Search/ }).fill('system.info')
    await page.getByRole('link', { name: 'system.info' }).click()
    await page.getByRole('button', { name: 'Switch off' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Switch it off' }).click()
    await page.getByRole('button', { name: 'Switch on' }).click()
    await page.getByRole('button', { name: 'Switch off' }).waitFor()
  })
})

describe('the workspace', () => {
  test('somebody is invited, gets another role, is disabled and enabled', async () => {
    const name = `Key Board ${newId('p').slice(-6)}`
    const person = await addPerson(it.db, { name, role: 'viewer', workspaceIds: [it.workspaceId] })
    const page = await open('/members')
    await page.getByLabel('E-mail', { exact: true }).fill('by.keyboard@example.com')
    await page.getByRole('button', { name: 'Invite', exact: true }).click()
    await page.getByText('The link for by.keyboard@example.com').waitFor()
    await page.goto(`/members/${person.memberId}`)
    await page.getByRole('combobox', { name: 'Role' }).selectOption('approver')
    await page.getByRole('button', { name: 'Save role' }).click()
    await page.getByText('From now on the role is approver.').waitFor()
    await page.getByRole('button', { name: `Disable ${name}` }).click()
    await page.getByRole('button', { name: 'Disable them' }).click()
    await page.getByRole('button', { name: `Enable ${name}` }).click()
    await page.getByRole('button', { name: 'Enable them' }).click()
    await page.getByText('They may come in again.').waitFor()
  })

  test('an API key is made and revoked', async () => {
    const page = await open('/api-keys', it.people.owner)
    const form = region(page, 'Make a key')
    await form.getByLabel('Name').fill('By keyboard')
    await form.getByRole('checkbox', { name: 'Runs' }).check()
    await form.getByRole('button', { name: 'Make key' }).click()
    await page.getByRole('button', { name: 'Revoke the key By keyboard' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke it' }).click()
    await page.getByText('It opens nothing from now on.').waitFor()
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => focusOf(page)).not.toBe('BODY')
  })

  test('a place gets another agent and loses it', async () => {
    const page = await open('/channels')
    const card = region(page, 'Northwind')
    await card.getByLabel('Another place').fill('C0KEYBOARD')
    await card.getByRole('button', { name: 'Bind', exact: true }).click()
    await card.getByRole('button', { name: 'Unbind C0KEYBOARD' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Unbind it' }).click()
    await card.getByRole('button', { name: 'Unbind C0KEYBOARD' }).waitFor({ state: 'detached' })
  })

  test('settings are saved, and the theme is chosen', async () => {
    const page = await open('/settings/workspace')
    const choices = region(page, 'Dates and questions')
    await choices.getByLabel('Time zone').selectOption('Asia/Tokyo')
    await choices.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.', { exact: true }).waitFor()
    expect((await readSettings(it.db, it.workspaceId)).timezone).toBe('Asia/Tokyo')
    await page.getByRole('link', { name: 'Appearance' }).click()
    await page.getByRole('radio', { name: 'Dark' }).check()
    await expect.poll(() => page.evaluate(() => document.documentElement.classList.contains('dark'))).toBe(true)
  })
})

describe('working', () => {
  test('a conversation is begun and its card answered', async () => {
    const page = await open('/playground', it.people.member)
    await page.getByRole('textbox', { name: 'Message' }).fill('Hello from the keyboard')
    await page.getByRole('button', { name: 'Send' }).click()
    await page.getByRole('log').getByText('Hello from the keyboard').waitFor()
    const { conversationId, questionId } = await makeSession(it, it.people.member)
    await page.goto(`/playground/${conversationId}`)
    await page.getByRole('button', { name: 'coffee' }).click()
    await expect
      .poll(async () => (await it.db.prisma.question.findUniqueOrThrow({ where: { id: questionId } })).status)
      .toBe('answered')
  })

  test('a file is found, edited and deleted', async () => {
    mkdirSync(join(base, it.workspaceId), { recursive: true })
    writeFileSync(join(base, it.workspaceId, 'keys.txt'), 'one\n')
    const page = await open('/files')
    await page.getByRole('link', { name: 'keys.txt' }).click()
    await page.getByLabel('Content').fill('two\n')
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved.').first().waitFor()
    await page.getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete it' }).click()
    await page.waitForURL('**/files')
  })
})

test('what no key reaches is told', async () => {
  const page = await it.page()
  await page.setContent('<main><div id="dead" onclick="">Press me</div><button>Me too</button></main>')
  await expect(page.locator('#dead').click()).rejects.toThrow('is not reached by keyboard')
  await page.getByRole('button').click()
})
