// The questions of the whole workspace on one page: who sees which, answered there, live, and by their link.
import { answerQuestion, askQuestion, type NewQuestion, newId } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { requestCall, startRun } from '../../packages/db/src/testing-workspace.ts'
import { useConsole } from './console.ts'
import { otherTenant } from './other-tenant.ts'

const it = useConsole()

/** A question about a call in a new conversation of the workspace. */
async function ask(title: string, question: Partial<NewQuestion> = {}): Promise<string> {
  const { rows } = await it.db.pool.query(
    `SELECT a.id AS agent, c.id AS channel FROM agents a JOIN channels c ON c.workspace_id = a.workspace_id
     WHERE a.workspace_id = $1 AND c.kind = 'web' AND a.archived_at IS NULL LIMIT 1`,
    [it.workspaceId],
  )
  const { agent: agentId, channel: channelId } = rows[0]
  const members = Object.fromEntries(Object.entries(it.people).map(([role, { memberId }]) => [role, memberId]))
  const run = await startRun(it.db, { workspaceId: it.workspaceId, agentId, channelId, members } as never)
  const toolCallId = await requestCall(it.db, run, { toolUseId: newId('use') })
  const asked = await askQuestion(it.db, run, {
    toolCallId,
    kind: 'confirmation',
    prompt: { title, tool: 'file.write' },
    ...question,
  })
  if (!asked) throw new Error('expected a question')
  return asked
}

test('each person is shown what waits for them first, and all that is open where they ask for it', async () => {
  const title = `For approvers ${newId('t')}`
  await ask(title, { approvers: { roles: ['approver'] } })
  const approver = await it.page({ as: it.people.approver })
  await approver.goto('/approvals')
  const card = approver.getByRole('article', { name: title })
  await card.getByRole('button', { name: 'Approve', exact: true }).waitFor()

  const viewer = await it.page({ as: it.people.viewer })
  await viewer.goto('/approvals')
  await viewer.getByText('Nothing waits for you').waitFor()
  expect(await viewer.getByRole('article', { name: title }).count()).toBe(0)
  await viewer.getByRole('link', { name: 'All open' }).click()
  await viewer.getByRole('article', { name: title }).getByText('You may not answer this').waitFor()
  expect(await viewer.getByRole('article', { name: title }).getByRole('button', { name: 'Approve' }).count()).toBe(0)
})

test('an answer counts, the card leaves the inbox, and the history says who decided what', async () => {
  const title = `Approved here ${newId('t')}`
  const questionId = await ask(title, { approvers: { roles: ['approver'] } })
  const page = await it.page({ as: it.people.approver })
  await page.goto('/approvals')
  const card = page.getByRole('article', { name: title })
  await card.getByRole('button', { name: 'Approve', exact: true }).click()
  await card.waitFor({ state: 'detached' })
  const question = await it.db.prisma.question.findUniqueOrThrow({ where: { id: questionId } })
  expect(question).toMatchObject({ status: 'answered', verdict: 'approve' })
  await page.getByRole('link', { name: 'History' }).click()
  await page
    .getByRole('article', { name: title })
    .getByText(/^Approved by /)
    .waitFor()
})

test('a question comes by itself, and goes when somebody answers it elsewhere', async () => {
  const page = await it.page({ as: it.people.approver })
  await page.goto('/approvals')
  await page.getByText('Live', { exact: true }).waitFor()
  const title = `Comes and goes ${newId('t')}`
  const questionId = await ask(title, { approvers: { roles: ['approver'] } })
  const card = page.getByRole('article', { name: title })
  await card.waitFor()
  await answerQuestion(it.db, { questionId, memberId: it.people.owner.memberId, verdict: 'deny', surface: 'slack' })
  await card.waitFor({ state: 'detached' })
})

test('a link leads to one question, open or over; another workspace has none of it', async () => {
  const title = `By its link ${newId('t')}`
  const questionId = await ask(title, { approvers: { roles: ['approver'] } })
  const page = await it.page({ as: it.people.approver })
  await page.goto('/approvals')
  await page.getByRole('link', { name: `Link to “${title}”` }).click()
  await page.waitForURL(`**/approvals/${questionId}`)
  await page.getByRole('button', { name: 'Deny', exact: true }).click()
  await page.getByText(/^Denied by /).waitFor()

  const other = await otherTenant(it.db)
  const { id } = await it.db.prisma.question.findFirstOrThrow({ where: { workspaceId: other.workspaceId } })
  const answer = await page.request.get(`/approvals/${id}`)
  expect(answer.status()).toBe(404)
  expect(await answer.text()).not.toContain(other.canary)
  for (const shelf of ['mine', 'open', 'history'])
    expect(await (await page.request.get(`/approvals?show=${shelf}`)).text()).not.toContain(other.canary)
})

test('older ones are a page further, each shown once', async () => {
  const marker = newId('t')
  for (let count = 0; count < 23; count++) await ask(`Many ${marker} ${count}`, { approvers: { roles: ['owner'] } })
  const page = await it.page({ as: it.people.owner })
  await page.goto('/approvals?show=open')
  const shown = new Set<string>()
  const read = async () => {
    for (const name of await page.getByRole('article').getByRole('heading').allTextContents()) {
      if (name.includes(marker)) {
        expect(shown.has(name)).toBe(false)
        shown.add(name)
      }
    }
  }
  await read()
  expect(shown.size).toBe(20)
  await page.getByRole('link', { name: 'Older ones' }).click()
  await page.getByRole('article', { name: `Many ${marker} 0` }).waitFor()
  await read()
  expect(shown.size).toBe(23)
})

test('the stream of changes is for members of the workspace only', async () => {
  const nobody = await it.page()
  expect((await nobody.request.get('/api/questions/events')).status()).toBe(401)
})
