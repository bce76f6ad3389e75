// The Policies area: what is prepared in a draft, tried on recorded calls, and published; and that nothing of it holds
// before that.
import {
  editPolicyDraft,
  newId,
  type PolicyContent,
  readPolicyContent,
  readPolicyDraft,
  savePolicySettings,
} from '@quartermaster/db'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { useConsole } from './console.ts'

vi.setConfig({ testTimeout: 90_000 })
const it = useConsole()

const live = async () => (await readPolicyContent(it.db, it.workspaceId))?.content as PolicyContent
const draft = () => readPolicyDraft(it.db, it.workspaceId)
const lastAction = async () =>
  (
    await it.db.pool.query(
      'SELECT action, data FROM audit_events WHERE workspace_id = $1 ORDER BY number DESC LIMIT 1',
      [it.workspaceId],
    )
  ).rows[0]

/** As somebody else would, on another page. */
async function editAsOwner(edit: (content: PolicyContent) => void) {
  const seen = await draft()
  return editPolicyDraft(it.db, {
    workspaceId: it.workspaceId,
    actor: { kind: 'member', id: it.people.owner.memberId },
    expectedUpdatedAt: seen?.updatedAt ?? null,
    edit: (content) => {
      edit(content)
      return content
    },
  })
}

beforeEach(async () => {
  await it.db.pool.query('DELETE FROM policy_drafts WHERE workspace_id = $1', [it.workspaceId])
})

async function open(path: string, as = it.people.admin): Promise<Page> {
  const page = await it.page({ as })
  await page.goto(path)
  return page
}

const saved = (page: Page) =>
  page
    .getByText(/It is in the draft, and counts once that is published/)
    .first()
    .waitFor()

async function addPattern(page: Page, label: string, pattern: string): Promise<void> {
  await page.getByLabel(label, { exact: true }).last().fill(pattern)
  await page.getByRole('button', { name: `Add to ${label}` }).click()
}

test('what is denied is edited into a draft, tried on recorded calls, and holds once it is published', async () => {
  const before = await live()
  const page = await open('/policies')
  const input = page.getByRole('combobox', { name: 'Deny', exact: true })
  await input.fill('warehouse.*')
  await page.getByText('Matches 2 tools now.').waitFor()
  await input.fill('warehous.*')
  await page.getByText('Matches no tool now: it would be reported as dead.').waitFor()
  await addPattern(page, 'Deny', 'warehouse.*')
  await page.getByRole('button', { name: 'Save to the draft' }).click()
  await saved(page)
  expect((await draft())?.content.settings.deny).toEqual([...before.settings.deny, 'warehouse.*'])
  expect(await live()).toEqual(before)

  await page.getByRole('link', { name: 'Review 1 change' }).click()
  await page.getByRole('heading', { name: 'Draft by Adam Admin' }).waitFor()
  const changes = page.getByRole('list', { name: 'What this draft changes' })
  expect(await changes.getByRole('listitem').allTextContents()).toEqual([' tools.deny:', '+added:   - warehouse.*'])
  await page.getByText('Replayed completely.').waitFor()
  const { rows } = await it.db.pool.query(
    `SELECT count(*)::int AS calls, count(*) FILTER (WHERE tool_name LIKE 'warehouse.%')::int AS warehouse FROM tool_calls
     WHERE workspace_id = $1 AND requested_at > now() - interval '30 days'`,
    [it.workspaceId],
  )
  const count = async (label: string | RegExp) =>
    (await page.getByText(label).locator('..').locator('p').nth(1).textContent())?.replaceAll(',', '')
  expect(await count('Replayed, last 30 days')).toBe(String(rows[0].calls))
  expect(await count('Now denied')).toBe(String(rows[0].warehouse))
  expect(await count('Now allowed')).toBe('0')
  const first = page.getByRole('table').getByRole('row').nth(1)
  expect(await first.getByRole('cell').allTextContents()).toEqual([
    expect.stringContaining('ago'),
    'Ledger',
    expect.stringMatching(/^warehouse\./),
    expect.any(String),
    'allowed',
    'denied',
    'deny warehouse.*',
  ])
  expect(await first.getByRole('link').getAttribute('href')).toMatch(/^\/executions\/[\w-]+$/)

  await page.getByLabel('Which calls are replayed').selectOption('7')
  await page.waitForURL('**/policies/draft?days=7')
  await page.getByText('Replayed, last 7 days').waitFor()
  await page.getByText('Replayed completely.').waitFor()
  expect(Number(await count('Replayed, last 7 days'))).toBeLessThan(rows[0].calls)

  await page.getByRole('button', { name: 'Publish…' }).click()
  await page.getByRole('dialog', { name: 'Publish 1 change?' }).getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Published: 1 change. It holds from the next call on.').waitFor()
  await page.getByText('There is no draft').waitFor()
  expect((await live()).settings.deny).toContain('warehouse.*')
  expect(await lastAction()).toMatchObject({ action: 'policy.publish', data: { changes: [{ key: 'deny' }] } })
})

test('a draft is discarded, and the live policy stands as it was', async () => {
  const before = await live()
  await editAsOwner((content) => content.settings.deny.push('web.*'))
  const page = await open('/policies/draft')
  await page.getByRole('heading', { name: 'Draft by Olga Owner' }).waitFor()
  await page.getByRole('button', { name: 'Discard' }).click()
  await page
    .getByRole('dialog', { name: 'Discard this draft (1 change)?' })
    .getByRole('button', { name: 'Discard it' })
    .click()
  await page.getByText('There is no draft').waitFor()
  expect([await draft(), await live()]).toEqual([null, before])
})

test('a profile is made, edited and deleted; one that is in use names who uses it', async () => {
  const page = await open('/policies/profiles')
  await page.getByRole('button', { name: 'Make a profile' }).click()
  const card = page.getByRole('region', { name: 'A new profile' })
  await card.getByLabel('Name').fill('full')
  await addPattern(page, 'Tools', 'file.*')
  await card.getByRole('button', { name: 'Save to the draft' }).click()
  await card.getByText('There is a profile “full” already.').waitFor()
  expect(await draft()).toBeNull()
  await card.getByLabel('Name').fill('readers')
  await card.getByRole('button', { name: 'Save to the draft' }).click()
  const made = page.getByRole('region', { name: 'Profile readers' })
  await made.getByText('file.*').waitFor()
  await made.getByText('Used by nobody.').waitFor()

  await made.getByRole('button', { name: 'Edit the profile readers' }).click()
  await made.getByRole('combobox', { name: 'Tools' }).fill('not a pattern*')
  await made.getByRole('button', { name: 'Save to the draft' }).click()
  await made.getByText(/The pattern "pattern\*"/).waitFor()
  expect(await made.getByRole('combobox', { name: 'Tools' }).inputValue()).toBe('not a pattern*')
  await made.getByRole('combobox', { name: 'Tools' }).fill('web.fetch')
  await made.getByRole('combobox', { name: 'To read only' }).fill('google.calendar')
  await made.getByRole('button', { name: 'Save to the draft' }).click()
  await made.getByText('web.fetch').waitFor()
  await made.getByText('To read only:').waitFor()
  expect((await draft())?.content.profiles.find(({ name }) => name === 'readers')).toMatchObject({
    tools: ['file.*', 'web.fetch'],
    reads: ['google.calendar'],
  })

  const used = page.getByRole('region', { name: 'Profile on-call' })
  await used.getByText('Used by the agent Harbor.').waitFor()
  await used.getByRole('button', { name: 'Edit the profile on-call' }).click()
  await used.getByRole('button', { name: 'Delete the profile on-call…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete it' }).click()
  await page.getByText('“on-call” is the profile of the agent Harbor. Give them another one first.').waitFor()
  await page.keyboard.press('Escape')

  await made.getByRole('button', { name: 'Edit the profile readers' }).click()
  await made.getByRole('button', { name: 'Delete the profile readers…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete it' }).click()
  await expect.poll(draft).toBeNull()
  await expect.poll(() => page.getByText('readers', { exact: true }).count()).toBe(0)
})

test('a group is made, named in a list, tried, published and holds; one that is named says where and is not deleted', async () => {
  const page = await open('/policies/profiles')
  await page.getByRole('button', { name: 'Make a group' }).press('Enter')
  const card = page.getByRole('region', { name: 'A new group' })
  const save = card.getByRole('button', { name: 'Save to the draft' })
  const name = card.getByLabel('Name')
  await name.fill('History!')
  await save.click()
  await card.getByText('Expected small letters, digits, - and _, as in on-call.').waitFor()
  await name.fill('fs')
  await save.click()
  await card.getByText('There is a built-in group fs; give yours another name.').waitFor()
  await name.fill('production')
  await save.click()
  await card.getByText('There is a group “production” already.').waitFor()
  await name.fill('history')
  await card.getByRole('combobox', { name: 'Tools' }).fill('group:production')
  await save.click()
  await card.getByText('A group is not in a group; name the tools of group:production.').waitFor()
  expect(await draft()).toBeNull()
  await card.getByRole('combobox', { name: 'Tools' }).fill('git.diff')
  await card.getByLabel('What its tools have in common').fill('They look at commits.')
  await save.click()
  const made = page.getByRole('region', { name: 'Group history' })
  await made.getByText('Used by nobody.').waitFor()
  await made.getByText('git.diff').waitFor()
  // Who uses the keyboard goes on from where the form was opened.
  const opener = page.getByRole('button', { name: 'Make a group' })
  await expect.poll(() => opener.evaluate((element) => element === document.activeElement)).toBe(true)
  expect(await live()).toMatchObject({ groups: [{ name: 'customer-facing' }, { name: 'production' }] })

  await page.goto('/policies')
  const deny = page.getByRole('combobox', { name: 'Deny', exact: true })
  await deny.fill('group:history')
  await page.getByText('Matches 1 tool now.').waitFor()
  await addPattern(page, 'Deny', 'group:history')
  await page.getByRole('button', { name: 'Save to the draft' }).click()
  await saved(page)
  await page.goto('/policies/profiles')
  await made.getByText('Used by the workspace’s deny.').waitFor()
  await made.getByRole('button', { name: 'Edit the group history' }).click()
  await made.getByRole('button', { name: 'Delete the group history…' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete group:history?' })
  await dialog.getByText('It is named by the workspace’s deny; take it out of there first.').waitFor()
  await dialog.getByRole('button', { name: 'Delete it' }).click()
  await page.getByText('group:history is named by the workspace’s deny. Take it out of there first.').waitFor()
  expect((await draft())?.content.groups.map((group) => group.name)).toContain('history')

  await page.goto('/policies/draft')
  expect(
    await page.getByRole('list', { name: 'What this draft changes' }).getByRole('listitem').allTextContents(),
  ).toEqual([
    ' tools.deny:',
    '+added:   - group:history',
    ' groups.history:',
    '+added:   description: They look at commits.',
    '+added:   - git.diff',
  ])
  await page.getByText('Replayed completely.').waitFor()
  const first = page.getByRole('table').getByRole('row').nth(1)
  expect((await first.getByRole('cell').allTextContents()).slice(4)).toEqual([
    'allowed',
    'denied',
    'deny group:history',
  ])
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('Published: 2 changes.').waitFor()
  expect((await live()).groups).toContainEqual({
    name: 'history',
    description: 'They look at commits.',
    tools: ['git.diff'],
  })
})

test('of the changed calls only those of one kind are shown, and the few are there beside the many', async () => {
  await editAsOwner((content) => {
    content.settings.deny.push('mcp:metrics:query')
    content.rules.push({
      ...{ id: newId('rul'), name: 'Reading asks', pattern: 'file.read', conditions: [], decision: 'ask' },
      ...{ approval: {}, mustMatch: [], mustNotMatch: [], enabled: true, note: '' },
    })
  })
  const page = await open('/policies/draft')
  await page.getByText('Replayed completely.').waitFor()
  const wouldBe = async () => [
    ...new Set(
      await page
        .getByRole('table')
        .getByRole('row')
        .evaluateAll((rows) => rows.slice(1).map((row) => row.children[5]?.textContent)),
    ),
  ]
  await page.getByRole('button', { name: 'Only these calls that would be refused' }).press('Enter')
  expect(await wouldBe()).toEqual(['denied'])
  await page.getByRole('button', { name: 'Show all changed calls' }).press('Enter')
  await page.getByRole('button', { name: 'Only these calls that would ask' }).click()
  expect(await wouldBe()).toEqual(['ask'])
})

test('where nothing was recorded yet, the replay says so', async () => {
  const { emptyWorkspaceId: workspaceId } = it
  const member = await it.db.prisma.member.findFirstOrThrow({ where: { workspaceId } })
  await editPolicyDraft(it.db, {
    workspaceId,
    actor: { kind: 'member', id: member.id },
    expectedUpdatedAt: null,
    edit: (content) => ({ ...content, settings: { ...content.settings, deny: ['web.*'] } }),
  })
  const context = await it.context({ as: it.first.email })
  await context.addCookies([{ name: 'qm.workspace', value: workspaceId, url: it.url }])
  const page = await context.newPage()
  await page.goto('/policies/draft?days=all')
  await page.getByText('No call was recorded yet').waitFor()
  expect(await page.getByText('A longer period may have some.').count()).toBe(0)
})

test('a rule’s examples are checked as it is typed; with one that fails it is not saved, and what was typed stays', async () => {
  const page = await open('/policies/rules/new')
  await page.getByLabel('Name').fill('Pushes ask')
  await page.getByRole('combobox', { name: 'Tools' }).fill('shell.exec')
  await page.getByText('Matches 1 tool now.').waitFor()
  await page.getByRole('button', { name: 'Add a condition' }).click()
  await page.getByLabel('Condition 1: argument').fill('command')
  await page.getByLabel('Condition 1: how').selectOption('command')
  await page.getByLabel('Condition 1: value').fill('git push*')
  await page.getByRole('button', { name: 'Add an example: must match' }).click()
  const must = page.getByLabel('Must match, example 1', { exact: true })
  await must.fill('{ "command": "git status" }')
  await page.getByText('Does not match, and must.').waitFor()
  await page.getByRole('button', { name: 'Save to the draft' }).click()
  await page.getByText(/Does not match \{"command":"git status"\}, and must/).waitFor()
  expect(await must.inputValue()).toBe('{ "command": "git status" }')
  expect(await draft()).toBeNull()

  await must.fill('{ "command": ')
  await page.getByText('Expected the arguments as a JSON object.').waitFor()
  await page.getByRole('button', { name: 'Save to the draft' }).click()
  await page.getByText('Expected the arguments of every example as a JSON object.').waitFor()
  expect(await draft()).toBeNull()

  await must.fill('{ "command": "cd x && git push" }')
  await page.getByText('As it must.').waitFor()
  // It may be about one tool, which the rule then has to match too.
  const ofTool = page.getByLabel('Must match, example 1: tool', { exact: true })
  await ofTool.fill('file.read')
  await page.getByText('Does not match, and must.').waitFor()
  await ofTool.fill('shell.exec')
  await page.getByText('As it must.').waitFor()
  await page.getByText('Who answers, how many must, what silence means').click()
  await page.getByLabel('How many must approve').fill('2')
  await page.getByLabel('Who answers').selectOption('admin')
  await page.getByRole('button', { name: 'Save to the draft' }).click()
  await page.waitForURL('**/policies/rules')
  await page.getByRole('link', { name: 'Pushes ask' }).waitFor()
  expect((await draft())?.content.rules.at(-1)).toMatchObject({
    name: 'Pushes ask',
    decision: 'ask',
    conditions: [{ path: 'command', command: 'git push*' }],
    approval: { required: 2, approvers: { roles: ['admin'] } },
    mustMatch: [{ tool: 'shell.exec', arguments: { command: 'cd x && git push' } }],
  })
  // Opened again, it says which tool each example is about.
  await page.getByRole('link', { name: 'Pushes ask' }).click()
  await expect.poll(() => ofTool.inputValue()).toBe('shell.exec')
})

test('rules are moved and switched by their buttons; one that a stricter one always precedes is told', async () => {
  await editAsOwner((content) =>
    content.rules.push({
      ...{ id: newId('rul'), name: 'No shell at all', pattern: 'shell.*', conditions: [], decision: 'deny' },
      ...{ approval: {}, mustMatch: [], mustNotMatch: [], enabled: true, note: '' },
    }),
  )
  const page = await open('/policies/rules')
  await page.getByText('Never decides: “No shell at all” is stricter and matches whenever this one does.').waitFor()
  const names = () => page.getByRole('main').getByRole('listitem').getByRole('link').allTextContents()
  const [first, second] = (await names()) as [string, string]
  await page.getByRole('button', { name: `Move “${first}” down` }).press('Enter')
  await expect.poll(async () => (await names()).slice(0, 2)).toEqual([second, first])
  await page.getByRole('button', { name: 'Switch off “No shell at all”' }).click()
  await page.getByRole('button', { name: 'Switch on “No shell at all”' }).waitFor()
  expect(await page.getByText('Never decides').count()).toBe(0)
})

test('hooks, a provider’s layer and a skill are kept in the draft', async () => {
  const page = await open('/policies/hooks')
  await page.getByRole('button', { name: 'Add a hook' }).click()
  await page.getByRole('combobox', { name: 'Tools' }).fill('web.*')
  await page.getByRole('button', { name: 'Save to the draft' }).click()
  await page.getByRole('region', { name: /: web\.\*$/ }).waitFor()
  await page.goto('/policies/layers')
  await page.getByRole('button', { name: 'Give a provider a layer' }).click()
  await page.getByLabel('Provider', { exact: true }).fill('ollama')
  await addPattern(page, 'Deny', 'web.search')
  await page.getByRole('button', { name: 'Save to the draft' }).click()
  await page.getByRole('region', { name: 'Provider ollama' }).getByText('web.search').waitFor()
  await page.getByRole('button', { name: 'Add a skill' }).click()
  await page.getByLabel('Name', { exact: true }).fill('notes')
  await page.getByRole('combobox', { name: 'Groups, where no tools are named' }).fill('group:fs')
  await page.getByRole('button', { name: 'Save to the draft' }).click()
  await page.getByRole('region', { name: 'Skill notes' }).getByText('group:fs').waitFor()
  const content = (await draft())?.content
  const { settings, skills } = content as PolicyContent
  expect(settings.hooks.at(-1)).toEqual({ pattern: 'web.*', hook: 'confirm' })
  expect(settings.providers).toEqual({ ollama: { deny: ['web.search'] } })
  expect(skills.find(({ name }) => name === 'notes')).toMatchObject({ tools: [], toolGroups: ['group:fs'] })
})

test('of two who edit at once the second is told, loses nothing of what was typed, and overwrites nothing unseen', async () => {
  const page = await open('/policies')
  await addPattern(page, 'Deny', 'mine.one')
  await editAsOwner((content) => content.settings.allow.push('theirs.one'))
  await page.getByRole('button', { name: 'Save to the draft' }).click()
  await page.getByText(/Olga Owner changed the draft after this page was read/).waitFor()
  expect((await draft())?.content.settings).toMatchObject({ allow: ['theirs.one'] })
  expect((await draft())?.content.settings.deny).not.toContain('mine.one')
  // Theirs came in; mine is still there.
  await page.getByRole('button', { name: 'Take theirs.one out of Allow' }).waitFor()
  await page.getByRole('button', { name: 'Save to the draft' }).click()
  await saved(page)
  expect((await draft())?.content.settings).toMatchObject({
    allow: ['theirs.one'],
    deny: expect.arrayContaining(['mine.one']),
  })
})

test('a draft of a policy that was changed meanwhile is refused, takes over what is live, and is published then', async () => {
  const page = await open('/policies')
  await addPattern(page, 'Deny', 'mine.two')
  await page.getByRole('button', { name: 'Save to the draft' }).click()
  await saved(page)
  await page.goto('/policies/draft')
  const { settings } = await live()
  const { rows } = await it.db.pool.query('SELECT updated_at FROM policy_settings WHERE workspace_id = $1', [
    it.workspaceId,
  ])
  await savePolicySettings(it.db, {
    workspaceId: it.workspaceId,
    actor: { kind: 'member', id: it.people.owner.memberId },
    expectedUpdatedAt: rows[0].updated_at,
    settings: { ...settings, deny: [...settings.deny, 'theirs.two'] },
  })
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText(/The live policy was changed meanwhile \(1 part\)\. Nothing was published\./).waitFor()
  await page.keyboard.press('Escape')
  expect((await live()).settings.deny).not.toContain('mine.two')

  const card = page.getByRole('region', { name: 'The live policy was changed after this draft was begun' })
  await card.getByText('theirs.two').waitFor()
  await card.getByRole('button', { name: 'Take over what is live…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Take it over' }).click()
  await card.waitFor({ state: 'hidden' })
  await page.getByRole('button', { name: 'Publish…' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Publish' }).click()
  await page.getByText('There is no draft').waitFor()
  expect((await live()).settings.deny).toEqual(expect.arrayContaining(['mine.two', 'theirs.two']))
})

test('a pattern that matches no tool is reported as dead, with where it stands', async () => {
  await editAsOwner((content) => {
    content.profiles.push({ name: 'odd', description: '', tools: ['mcp:jira:*'], reads: [] })
  })
  const page = await open('/policies')
  const dead = page.getByRole('region', { name: /dead pattern/ })
  expect(await dead.getByRole('listitem').allTextContents()).toContain('mcp:jira:* in the profile odd matches no tool.')
})

test('a call is explained by the live policy and by the draft, each with its trail', async () => {
  await editAsOwner((content) => content.settings.deny.push('shell.exec'))
  const page = await open('/policies/explain')
  await page.getByLabel('Agent').selectOption({ label: 'Forge' })
  await page.getByLabel('Tool').fill('shell.exec')
  await page.getByLabel('Arguments').fill('{ "command": "npm test" ')
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  await page.getByText(/Expected a JSON object/).waitFor()
  await page.getByLabel('Arguments').fill('{ "command": "npm test" }')
  await page.getByRole('button', { name: 'Explain', exact: true }).click()
  const byLive = page.getByRole('region', { name: 'By the live policy' })
  await byLive.getByText(/allowed by the rule Tests and read-only commands run/).waitFor()
  await page
    .getByRole('region', { name: 'By the draft policy' })
    .getByText('denied by the workspace: shell.exec')
    .waitFor()
})

describe('whoever may not edit', () => {
  test('reads the live policy, sees nothing of a draft, and has no buttons', async () => {
    await editAsOwner((content) => content.settings.deny.push('secretly.drafted'))
    const page = await open('/policies', it.people.viewer)
    await page.getByText('mcp:github:merge_pull_request').first().waitFor()
    for (const path of ['/policies', '/policies/rules', '/policies/hooks', '/policies/profiles', '/policies/layers']) {
      await page.goto(path)
      expect([path, await page.getByRole('main').getByRole('button').count()]).toEqual([path, 0])
      expect([path, await page.content()]).toEqual([path, expect.not.stringContaining('secretly.drafted')])
    }
    const rule = (await live()).rules[0]
    await page.goto(`/policies/rules/${rule?.id}`)
    await page.getByText(/where command/).waitFor()
    expect((await page.goto('/policies/draft'))?.status()).toBe(403)
    expect((await page.goto('/policies/rules/new'))?.status()).toBe(403)
  })

  test('is refused the replay and the check of rules by the routes themselves; an admin is not', async () => {
    await editAsOwner((content) => content.settings.deny.push('a.b'))
    const rule = {
      name: 'x',
      pattern: 'file.*',
      decision: 'ask',
      conditions: [],
      approval: {},
      mustMatch: [],
      mustNotMatch: [],
      enabled: true,
      note: '',
    }
    for (const role of ['admin', 'approver', 'member', 'viewer'] as const) {
      const { request } = await it.context({ as: it.people[role] })
      const replay = await request.get('/api/policies/replay?days=7')
      const check = await request.post('/api/policies/check-rule', { headers: { origin: it.url }, data: rule })
      const status = role === 'admin' ? 200 : 403
      expect([role, replay.status(), check.status()]).toEqual([role, status, status])
    }
    const { request } = await it.context()
    expect((await request.get('/api/policies/replay')).status()).toBe(401)
    expect((await request.post('/api/policies/check-rule', { headers: { origin: it.url }, data: rule })).status()).toBe(
      401,
    )
  })
})

describe('of another workspace', () => {
  test('no rule is shown by its id, no draft is replayed, and nothing of it is on a page', async () => {
    const other = await createTestWorkspace(it.db)
    const id = newId('rul')
    await editPolicyDraft(it.db, {
      workspaceId: other.workspaceId,
      actor: { kind: 'member', id: other.members.admin },
      expectedUpdatedAt: null,
      edit: (content) => {
        content.rules.push({
          ...{ id, name: 'Canary rule', pattern: 'canary.*', conditions: [], decision: 'deny' },
          ...{ approval: {}, mustMatch: [], mustNotMatch: [], enabled: true, note: '' },
        })
        return content
      },
    })
    const page = await open('/policies/rules')
    expect(await page.content()).not.toContain('Canary rule')
    expect((await page.goto(`/policies/rules/${id}`))?.status()).toBe(404)
    const own = (await live()).rules[0]
    expect((await page.goto(`/policies/rules/${own?.id}`))?.status()).toBe(200)
    // There is no draft here, and theirs is not meant.
    const { request } = page.context()
    expect((await request.get('/api/policies/replay')).status()).toBe(404)
    const theirs = await request.get('/api/policies/replay', { headers: { 'x-workspace-id': other.workspaceId } })
    expect(theirs.status()).toBe(404)
  })
})
