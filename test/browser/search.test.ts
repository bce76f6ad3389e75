// What ⌘K finds beside the pages: by name, or by a pasted id; of one's own workspace and role only.
import { newId } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { requestCall } from '../../packages/db/src/testing-workspace.ts'
import { useConsole } from './console.ts'
import { otherTenant } from './other-tenant.ts'

const it = useConsole()

test('a pasted id leads to what it names', async () => {
  const { id, toolName } = await it.db.prisma.toolCall.findFirstOrThrow({ where: { workspaceId: it.workspaceId } })
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/overview')
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Go to, or do' })
  await palette.getByRole('combobox').fill(` ${id} `)
  await palette.getByRole('option', { name: toolName }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(`**/executions/${id}`)
  // It begins empty the next time.
  await page.keyboard.press('Control+k')
  expect(await palette.getByRole('combobox').inputValue()).toBe('')
})

test('a page that has the letters in its name comes first', async () => {
  const page = await it.page({ as: it.people.viewer })
  await page.goto('/overview')
  await page.keyboard.press('Control+k')
  const palette = page.getByRole('dialog', { name: 'Go to, or do' })
  await palette.waitFor()
  const answered = page.waitForResponse((answer) => answer.url().includes('/api/search?q=exec'))
  await page.keyboard.type('exec')
  await answered
  expect((await palette.getByRole('option').allTextContents())[0]).toBe(' Executions')
})

test('nothing of another workspace is found, neither by its id nor by its name', async () => {
  const other = await otherTenant(it.db)
  const { id, claimNumber } = await it.db.prisma.run.findFirstOrThrow({
    where: { workspaceId: other.workspaceId, status: 'running' },
  })
  const call = await requestCall(it.db, { runId: id, claimNumber } as never, { toolName: other.canary })
  const question = await it.db.prisma.question.findFirstOrThrow({ where: { workspaceId: other.workspaceId } })
  const agent = await it.db.prisma.agent.findFirstOrThrow({ where: { workspaceId: other.workspaceId } })
  const { request } = await it.page({ as: it.people.owner })
  const find = async (q: string) => (await request.get(`/api/search?${new URLSearchParams({ q })}`)).json()
  for (const theirs of [id, call, question.id, agent.id, agent.name, other.canary, 'canary-'])
    expect([theirs, await find(theirs)]).toEqual([theirs, { found: [] }])
  const own = await it.db.prisma.question.findFirstOrThrow({ where: { workspaceId: it.workspaceId } })
  expect((await find(own.id)).found).toMatchObject([{ kind: 'question', href: `/approvals/${own.id}` }])
})

test('too little, too much and what is no text find nothing; strangers are not answered', async () => {
  const { request } = await it.page({ as: it.people.viewer })
  expect((await request.get('/api/search?q=a%00b')).status()).toBe(400)
  for (const q of ['', 'a', 'x'.repeat(101), newId('run')])
    expect(await (await request.get(`/api/search?${new URLSearchParams({ q })}`)).json()).toEqual({ found: [] })
  const nobody = await it.page()
  expect((await nobody.request.get('/api/search?q=anything')).status()).toBe(401)
})
