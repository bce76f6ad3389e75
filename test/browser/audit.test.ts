// The audit log: in words, filtered, verified, exported.
import { createApiKey, recordAudit, verifyAudit } from '@quartermaster/db'
import type { Page } from 'playwright-core'
import { afterEach, expect, test, vi } from 'vitest'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { useConsole } from './console.ts'

vi.setConfig({ testTimeout: 60_000 })
const it = useConsole()

async function open(path = '/audit', as = it.people.admin): Promise<Page> {
  const page = await it.page({ as })
  await page.goto(path)
  return page
}
const entries = (page: Page) => page.getByRole('region', { name: 'Events', exact: true }).locator('summary')

const record = (action: string, subject: { kind: string; id: string }, data = {}, workspaceId = it.workspaceId) =>
  recordAudit(it.db.pool, {
    ...{ workspaceId, action, subject, data },
    actor: { kind: 'member', id: it.people.approver.memberId },
  })

test('an event is a sentence, with what was recorded and a way to its subject one click away', async () => {
  const { id: agentId } = await it.db.prisma.agent.findFirstOrThrow({
    where: { workspaceId: it.workspaceId, name: 'Forge' },
  })
  const tool = await it.db.prisma.tool.findFirstOrThrow({
    where: { detail: { workspaceId: it.workspaceId }, name: 'file.write' },
  })
  await record('tool.attach', { kind: 'agent', id: agentId }, { toolId: tool.id, config: { root: 'src' } })
  const page = await open(`/audit?subject=agent:${agentId}`)
  const entry = entries(page).first()
  expect((await entry.textContent())?.replace(/\s+/g, ' ')).toContain('Anna Approver attached file.write to Forge')
  await entry.click()
  await page.getByText('"root": "src"').waitFor()
  await page.getByRole('link', { name: 'Anna Approver' }).click()
  await page.waitForURL(`**/members/${it.people.approver.memberId}`)
})

test('filters narrow the list and are in the address; older ones are a page further', async () => {
  const page = await open()
  await page.getByLabel('What').selectOption('secret.*')
  await page.waitForURL(/action=secret/)
  await expect
    .poll(async () => (await entries(page).allTextContents()).every((text) => text.includes('secret.')))
    .toBe(true)
  expect(await entries(page).count()).toBeGreaterThan(3)

  await page.getByRole('button', { name: 'Clear filters' }).click()
  await page.getByLabel('Who').selectOption({ label: 'Priya Raman' })
  await expect
    .poll(async () => (await entries(page).allTextContents()).every((text) => text.startsWith('Priya Raman')))
    .toBe(true)

  await page.goto('/audit')
  const first = await entries(page).allTextContents()
  expect(first).toHaveLength(50)
  await page.getByRole('link', { name: 'Older ones' }).click()
  await page.waitForURL(/after=/)
  const numbers = async () => {
    await entries(page).first().click()
    return Number(
      /^(\d+) ·/.exec(
        (await page
          .getByText(/^\d+ · [a-z-]+\.[a-z-]+$/)
          .first()
          .textContent()) ?? '',
      )?.[1],
    )
  }
  const total = await it.db.prisma.auditEvent.count({ where: { workspaceId: it.workspaceId } })
  expect(await numbers()).toBe(total - 50)

  await record('secret.store', { kind: 'secret', id: 'sec_needle' }, { name: 'needle.token' })
  await page.goto('/audit')
  await page.getByLabel('Text in an event').fill('needle.tok')
  await page.waitForURL(/q=needle/)
  await expect.poll(() => entries(page).count()).toBe(1)
  await page.goto('/audit?from=2031-01-01')
  await page.getByText('Nothing like that was recorded').waitFor()
  const today = new Date().toISOString().slice(0, 10)
  await page.goto(`/audit?from=${today}&q=needle`)
  await expect.poll(() => entries(page).count()).toBeGreaterThan(0)
})

afterEach(() => mend())
let mend: () => Promise<unknown> = async () => {}

test('verifying says that the chain is intact, and which event is broken after somebody went past the trigger', async () => {
  const page = await open()
  const said = page.getByRole('region', { name: 'The chain' }).getByRole('status')
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await said.getByText(/^Intact: [\d,]+ events, each fits the one before\.$/).waitFor()
  const verdict = await verifyAudit(it.db, it.workspaceId)
  expect(await said.locator('code').textContent()).toBe(verdict.ok ? verdict.head : '')

  const rewrite = (action: string) =>
    it.db.prisma.$transaction([
      it.db.prisma.$executeRawUnsafe('ALTER TABLE audit_events DISABLE TRIGGER USER'),
      it.db.prisma.$executeRawUnsafe(
        `UPDATE audit_events SET action = '${action}' WHERE workspace_id = '${it.workspaceId}' AND number = 7`,
      ),
      it.db.prisma.$executeRawUnsafe('ALTER TABLE audit_events ENABLE TRIGGER USER'),
    ])
  const { action } = await it.db.prisma.auditEvent.findFirstOrThrow({
    where: { workspaceId: it.workspaceId, number: 7 },
  })
  mend = () => rewrite(action)
  await rewrite('nothing.happened')
  await page.getByRole('button', { name: 'Verify', exact: true }).click()
  await said.getByText('Broken at event 7.').waitFor()
  await said.getByText('Event 7 was edited: its hash is not that of its content.').waitFor()
  expect(await said.getByText('Intact').count()).toBe(0)
})

test('the export has every event once, in each format, with the filters of the page', async () => {
  await record('secret.store', { kind: 'secret', id: 'sec_x' }, { note: 'two\nlines', formula: '=1+1' })
  const { request } = await it.context({ as: it.people.admin })
  const get = async (query: string) => (await request.get(`/api/audit/export?${query}`)).text()
  const total = await it.db.prisma.auditEvent.count({ where: { workspaceId: it.workspaceId } })
  const jsonl = (await get('format=jsonl'))
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(jsonl.map(({ number }) => number)).toEqual(Array.from({ length: total }, (_, index) => total - index))
  expect(jsonl.at(0)).toMatchObject({ action: 'secret.store', subject: 'secret:sec_x', data: { note: 'two\nlines' } })
  const lines = (await get('format=log')).trimEnd().split('\n')
  expect(lines).toHaveLength(total)
  expect(lines[0]).toMatch(
    /^\[\d{4}-\d\d-\d\dT[\d:.]+Z\] SECRET_STORE number=\d+ actor=member:.* note="two\\u\{a\}|^\[/,
  )
  const csv = await get('format=csv&action=member.*')
  expect(csv.split('\r\n')[0]).toBe('number,at,actor,action,subject,data,previous_hash,hash')
  expect(csv).not.toContain('secret.')
  // What is not understood must not become an export of everything.
  for (const wrong of ['format=xml', 'action=everything', 'actor=somebody', 'from=yesterday', 'subjekt=a:b'])
    expect([wrong, (await request.get(`/api/audit/export?${wrong}`)).status()]).toEqual([wrong, 400])

  const page = await open('/audit?action=member.*')
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'CSV', exact: true }).click(),
  ])
  expect(download.suggestedFilename()).toBe('audit.csv')
})

test('only admins get the log, by session or by a key with its scope, and only of their own workspace', async () => {
  const other = await createTestWorkspace(it.db)
  await record('secret.store', { kind: 'secret', id: 'x' }, { name: 'canary-of-others' }, other.workspaceId)
  const status = async (path: string, options: { as?: typeof it.people.admin; key?: string; workspace?: string }) => {
    const { request } = await it.context(options.as ? { as: options.as } : {})
    const answer = await request.get(path, {
      headers: {
        ...(options.key ? { authorization: `Bearer ${options.key}` } : {}),
        ...(options.workspace ? { 'x-workspace-id': options.workspace } : {}),
      },
    })
    expect(await answer.text()).not.toContain('canary-of-others')
    return answer.status()
  }
  const keyOf = async (memberId: string, scope: string) =>
    (
      await createApiKey(it.db, {
        ...{ workspaceId: it.workspaceId, memberId, name: 'test', scopes: [scope] },
        actor: { kind: 'member', id: memberId },
      })
    ).key
  const admin = it.people.admin.memberId
  for (const path of ['/api/audit/export', '/api/audit/verification']) {
    expect(await status(path, {})).toBe(401)
    expect(await status(path, { as: it.people.approver })).toBe(403)
    expect(await status(path, { as: it.people.admin })).toBe(200)
    expect(await status(path, { as: it.people.admin, workspace: other.workspaceId })).toBe(404)
    expect(await status(path, { key: await keyOf(admin, 'audit') })).toBe(200)
    expect(await status(path, { key: await keyOf(admin, 'runs') })).toBe(403)
    expect(await status(path, { key: await keyOf(it.people.member.memberId, 'audit') })).toBe(403)
  }
  const page = await open('/audit?q=canary')
  expect(await page.content()).not.toContain('canary-of-others')
})
