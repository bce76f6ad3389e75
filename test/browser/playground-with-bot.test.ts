// The Playground with a real bot beside the console, and no key anywhere: the offline model answers.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Page } from 'playwright-core'
import { expect, onTestFinished, test } from 'vitest'
import { startBot } from '../e2e/start-bot.ts'
import { useConsole } from './console.ts'

const it = useConsole()

/** Reads the agent's files, in the folder of the first workspace. */
async function useBot(): Promise<(name: string) => string> {
  const dataDir = mkdtempSync(join(tmpdir(), 'qm-playground-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const bot = await startBot({ DATABASE_URL: it.databaseUrl, QM_DATA_DIR: dataDir })
  expect(bot.ready, bot.output().stderr).not.toBeNull()
  return (name) => readFileSync(join(dataDir, 'files', it.emptyWorkspaceId, name), 'utf8')
}

/** The first workspace: its agent has the default tools and asks before it writes. */
async function openPlayground(): Promise<Page> {
  const context = await it.context({ as: it.first.email })
  await context.addCookies([{ name: 'qm.workspace', value: it.emptyWorkspaceId, url: it.url }])
  const page = await context.newPage()
  await page.goto('/playground')
  return page
}

async function say(page: Page, text: string): Promise<void> {
  await page.getByRole('textbox', { name: 'Message' }).fill(text)
  await page.keyboard.press('Enter')
}

const log = (page: Page) => page.getByRole('log')
const ended = (page: Page) => page.getByText('done', { exact: true }).waitFor()

test('the empty page teaches a phrase, and the phrase is answered', async () => {
  await useBot()
  const page = await openPlayground()
  await page.getByRole('button', { name: 'what can you do?' }).click()
  const message = page.getByRole('textbox', { name: 'Message' })
  await expect.poll(() => message.inputValue()).toBe('what can you do?')
  await message.press('Enter')
  await page.waitForURL(/\/playground\/cnv_/)
  await log(page).getByText('Offline model').waitFor()
  await ended(page)
  await page.getByRole('navigation', { name: 'Sessions' }).getByText('what can you do?').waitFor()
})

test('a write is asked about; approved it is done, denied it is not, and for the thread it is not asked again', async () => {
  const read = await useBot()
  const page = await openPlayground()
  await say(page, 'write hello to notes.txt')
  await page.waitForURL(/\/playground\/cnv_/)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await log(page).getByText('Approved by First Owner').waitFor()
  await log(page).getByText('Created notes.txt (5 bytes)').last().waitFor()
  await ended(page)

  await say(page, 'write bad to notes.txt')
  await page.getByRole('button', { name: 'Deny with reason…' }).click()
  await page.getByLabel('Why not').fill('It is fine as it is.')
  await page.getByRole('button', { name: 'Deny for this reason' }).click()
  await log(page).getByText('Denied by First Owner: It is fine as it is.').waitFor()
  await ended(page)
  await say(page, 'write one to leased.txt')
  await page.getByRole('button', { name: 'Approve for this thread' }).click()
  await ended(page)
  await say(page, 'write two to leased.txt')
  await log(page).getByText('Replaced leased.txt (3 bytes)').last().waitFor()
  await ended(page)
  expect([read('notes.txt'), read('leased.txt')]).toEqual(['hello', 'two'])

  const calls = await it.db.prisma.toolCall.findMany({
    where: { workspaceId: it.emptyWorkspaceId },
    orderBy: { id: 'asc' },
  })
  expect(calls.map(({ status }) => status)).toEqual(['succeeded', 'denied', 'succeeded', 'succeeded'])
})

test('edited arguments are checked, and what runs is what was edited', async () => {
  const read = await useBot()
  const page = await openPlayground()
  await say(page, 'write draft to edited.txt')
  await page.waitForURL(/\/playground\/cnv_/)
  await page.getByRole('button', { name: 'Edit…' }).click()
  await page.getByLabel('path').fill('')
  await page.getByRole('button', { name: 'Approve these arguments' }).click()
  // The mistake stands beside its field, with what was typed still there.
  await page.getByText('Is required and missing.').waitFor()
  await page.getByRole('button', { name: 'Edit as JSON' }).click()
  const field = page.getByLabel('Arguments to run it with')
  await field.fill('{ "path": 7 }')
  await page.getByRole('button', { name: 'Approve these arguments' }).click()
  await page
    .getByRole('article')
    .getByRole('alert')
    .filter({ hasText: /path|content/ })
    .waitFor()
  await field.fill('{ "path": "edited.txt", "content": "final" }')
  await page.getByRole('button', { name: 'Approve these arguments' }).click()
  await log(page).getByText('Created edited.txt (5 bytes)').last().waitFor()
  expect(read('edited.txt')).toBe('final')
})

test('by hand: a file is edited by its diff, a command run, a sum computed, a file sent', async () => {
  const read = await useBot()
  const page = await openPlayground()
  const approve = () => page.getByRole('button', { name: 'Approve', exact: true }).click()
  await say(page, 'write hello to hand.txt')
  await page.waitForURL(/\/playground\/cnv_/)
  await approve()
  await log(page).getByText('Created hand.txt').last().waitFor()
  await ended(page)
  await say(page, 'replace hello with goodbye in hand.txt')
  const card = page.getByRole('article', { name: 'Edit hand.txt' })
  await card.getByText('goodbye').first().waitFor()
  await approve()
  await log(page).getByText('Replaced 1 occurrence').last().waitFor()
  await ended(page)
  expect(read('hand.txt')).toBe('goodbye')
  await say(page, 'list files')
  await log(page).getByText('hand.txt (7 bytes)').last().waitFor()
  await ended(page)
  await say(page, 'run wc -c hand.txt')
  await page.getByRole('article', { name: 'Run wc -c hand.txt' }).waitFor()
  await approve()
  await log(page).getByText('7 hand.txt').last().waitFor()
  await ended(page)
  await say(page, 'compute 6 * 7')
  await log(page).getByText('42', { exact: true }).last().waitFor()
  await ended(page)
  await say(page, 'send me hand.txt')
  await page.getByRole('link', { name: 'hand.txt' }).waitFor()
})

test('the agent lets somebody choose, and goes on with the choice', async () => {
  await useBot()
  const page = await openPlayground()
  await say(page, 'ask me to choose between tea, coffee and water')
  await page.waitForURL(/\/playground\/cnv_/)
  await page.getByRole('button', { name: 'coffee', exact: true }).click()
  await log(page).getByText('Answered by First Owner: coffee').waitFor()
  await ended(page)
  await log(page).getByRole('article', { name: 'Answer' }).last().getByText('coffee').first().waitFor()
})

test('what is remembered in one session is recalled in another', async () => {
  await useBot()
  const page = await openPlayground()
  await say(page, 'remember that the demo is on Friday')
  await page.waitForURL(/\/playground\/cnv_/)
  await log(page).getByText('Noted in knowledge.').last().waitFor()
  await ended(page)
  await page.goto('/playground')
  await say(page, 'what do you remember about the demo?')
  await page.waitForURL(/\/playground\/cnv_/)
  await log(page).getByText('the demo is on Friday').last().waitFor()
  await ended(page)
})

test('a question that waits is withdrawn when the run is stopped', async () => {
  await useBot()
  const page = await openPlayground()
  await say(page, 'write hello to stop.txt')
  await page.waitForURL(/\/playground\/cnv_/)
  await page.getByRole('button', { name: 'Approve', exact: true }).waitFor()
  await page.keyboard.press('Escape')
  await log(page)
    .getByText(/^Withdrawn/)
    .waitFor()
  await page.getByText('stopped', { exact: true }).waitFor()
})

test('a run that is forked really goes on: nothing is written twice, and the bot answers with what it was copied', async () => {
  const read = await useBot()
  const page = await openPlayground()
  await say(page, 'write hello to forked.txt')
  await page.waitForURL(/\/playground\/cnv_/)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await log(page).getByText('Created forked.txt (5 bytes)').last().waitFor()
  await ended(page)
  const first = page.url()
  const { id } = await it.db.prisma.run.findFirstOrThrow({
    where: { conversationId: first.split('/').at(-1) as string },
  })
  const calls = () =>
    it.db.prisma.toolCall.findMany({
      where: { workspaceId: it.emptyWorkspaceId },
      select: { runId: true, toolName: true, arguments: true, status: true },
      orderBy: { id: 'asc' },
    })
  const before = await calls()

  await page.goto(`/runs/${id}?item=s1`)
  await page.getByRole('button', { name: 'Fork from here' }).click()
  await page.getByRole('dialog').getByLabel('Your message').fill('what can you do?')
  await page.getByRole('button', { name: 'Fork it' }).click()
  await page.waitForURL((url) => url.pathname.startsWith('/playground/cnv_') && url.href !== first)
  await page.getByRole('article', { name: 'Your message' }).getByText('what can you do?').waitFor()
  await log(page).getByText('Offline model').last().waitFor()
  await log(page).getByText('it was not run again').waitFor({ state: 'attached' })
  expect(await calls()).toEqual(before)
  expect(read('forked.txt')).toBe('hello')

  // The same request once more is a new run: it asks again, and is answered again.
  await page.goto(`/runs/${id}`)
  await page.getByRole('button', { name: 'Re-run' }).click()
  await page.getByRole('button', { name: 'Run it again' }).click()
  await page.waitForURL(/\/playground\/cnv_/)
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await ended(page)
  expect((await calls()).slice(before.length)).toEqual([
    expect.objectContaining({ toolName: 'file.write', arguments: before.at(-1)?.arguments, status: 'succeeded' }),
  ])
})
