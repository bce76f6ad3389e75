// The number beside "Approvals" in the navigation: how many questions wait for whoever looks, as it is right now.
import { answerQuestion, askQuestion, newId } from '@quartermaster/db'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { createTestWorkspace, startRun, type TestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { useConsole } from './console.ts'
import { addPerson } from './people.ts'

const it = useConsole()

/** A workspace without questions, and one of its approvers with a page open. */
async function ownWorkspace() {
  const workspace = await createTestWorkspace(it.db)
  const { workspaceId } = workspace
  const person = await addPerson(it.db, { name: `Anna ${newId('p')}`, role: 'approver', workspaceIds: [workspaceId] })
  return { workspace, person, page: await it.page({ as: person }) }
}

async function ask(workspace: TestWorkspace, approvers: object): Promise<string> {
  const run = await startRun(it.db, workspace)
  const question = { kind: 'confirmation', prompt: { title: 'May I?' }, approvers } as const
  return (await askQuestion(it.db, run, question)) as string
}

const link = (page: Page) => page.getByRole('navigation', { name: 'Areas' }).getByRole('link', { name: /^Approvals/ })
const said = async (page: Page) => (await link(page).textContent())?.trim()

test('it is there on every page, follows what is asked and answered, and counts only what one may answer', async () => {
  const { workspace, person, page } = await ownWorkspace()
  await page.goto('/settings/appearance')
  const first = await ask(workspace, { roles: ['approver'] })
  await expect.poll(() => said(page)).toBe('Approvals1 waiting for you')
  await ask(workspace, { memberIds: [workspace.members.owner] })
  await ask(workspace, { roles: ['approver'] })
  await expect.poll(() => said(page)).toBe('Approvals2 waiting for you')
  await page.reload()
  await expect.poll(() => said(page)).toBe('Approvals2 waiting for you')
  await answerQuestion(it.db, {
    questionId: first,
    memberId: person.memberId,
    verdict: 'approve',
    surface: 'slack',
  })
  await expect.poll(() => said(page)).toBe('Approvals1 waiting for you')
})

test('many are "9+"', async () => {
  const { workspace, page } = await ownWorkspace()
  for (let count = 0; count < 11; count++) await ask(workspace, { roles: ['approver'] })
  await page.goto('/overview')
  await expect.poll(() => said(page)).toBe('Approvals9+ waiting for you')
})

test('a page has one connection for all of it that is live, and none while nobody sees it', async () => {
  const { page } = await ownWorkspace()
  const opened: string[] = []
  page.on('request', (request) => {
    if (request.url().endsWith('/api/questions/events')) opened.push(request.url())
  })
  const ended = page.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/questions/events'))
  await page.goto('/approvals')
  await page.getByRole('main').getByText('Live', { exact: true }).waitFor()
  expect(opened).toHaveLength(1)
  const show = (state: string) =>
    page.evaluate((visibilityState) => {
      Object.defineProperty(document, 'visibilityState', { value: visibilityState, configurable: true })
      document.dispatchEvent(new Event('visibilitychange'))
    }, state)
  await show('hidden')
  await ended
  await show('visible')
  await page.getByRole('main').getByText('Live', { exact: true }).waitFor()
  expect(opened).toHaveLength(2)
})
