// The promise of the first hour: a fresh start with no keys, a question that is open while everything is killed and started
// again, and the same card answered afterwards.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@quartermaster/db'
import { findRunningPostgres } from '@quartermaster/db/embedded-postgres'
import { afterEach, expect, test } from 'vitest'
import { launchBrowser } from '../../scripts/launch-browser.ts'
import { killAll, type Product, startProduct } from './product.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'qm-restart-'))
const owner = { QM_OWNER_EMAIL: 'olga@example.com', QM_OWNER_PASSWORD: 'a password for the restart' }

afterEach(() => {
  killAll(dataDir)
  rmSync(dataDir, { recursive: true, force: true })
})

/** Both of them: what is asked in the browser is answered by the bot. */
async function answers({ consoleUrl, botUrl }: Product): Promise<void> {
  const isUp = (url: string) =>
    fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
  for (const url of [`${consoleUrl}/sign-in`, `${botUrl}/healthz`])
    await expect.poll(() => isUp(url), { timeout: 90_000, interval: 200, message: url }).toBe(true)
}

async function stop(product: Product): Promise<void> {
  process.kill(-(product.child.pid as number), 'SIGINT')
  expect(await product.exit).toBe(0)
}

test('a card that is open while everything is killed is approved after the next start, done and recorded', async () => {
  const browser = await launchBrowser()
  try {
    const first = await startProduct(dataDir, owner)
    await answers(first)
    const page = await (await browser.newContext({ baseURL: first.consoleUrl })).newPage()
    page.setDefaultTimeout(30_000)
    await page.goto('/playground')
    await page.getByLabel('E-mail').fill(owner.QM_OWNER_EMAIL)
    await page.getByLabel('Password').fill(owner.QM_OWNER_PASSWORD)
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.waitForURL('**/playground')
    await page.getByRole('textbox', { name: 'Message' }).fill('write hello to notes.txt')
    await page.keyboard.press('Enter')
    await page.waitForURL(/\/playground\/cnv_/)
    const card = page.getByRole('article', { name: /notes\.txt/ })
    await card.getByRole('button', { name: 'Approve', exact: true }).waitFor()

    // Console, bot and database, as by kill -9.
    killAll(dataDir)
    await first.exit
    await page.getByText('connecting again').waitFor()
    const { PORT = '', QM_BOT_PORT = '' } = first.env
    const second = await startProduct(dataDir, { ...owner, PORT, QM_BOT_PORT })
    await answers(second)
    // The page that stayed open finds its way back by itself.
    await page.getByText('connecting again').waitFor({ state: 'detached' })
    await card.getByRole('button', { name: 'Approve', exact: true }).click()
    await card.getByText(/^Approved by/).waitFor()
    await page
      .getByText(/5 bytes.*notes\.txt|notes\.txt.*5 bytes/)
      .last()
      .waitFor()
    await page.getByText('done', { exact: true }).waitFor()

    const db = openDatabase(findRunningPostgres(dataDir) as string, { name: 'test' })
    try {
      expect(await db.prisma.toolCall.findMany()).toMatchObject([{ toolName: 'file.write', status: 'succeeded' }])
      expect(await db.prisma.answer.findMany()).toMatchObject([{ verdict: 'approve', surface: 'web' }])
      expect(await db.prisma.auditEvent.count({ where: { action: 'question.answer' } })).toBe(1)
    } finally {
      await db.close()
    }
    await stop(second)
  } finally {
    await browser.close()
  }
}, 240_000)
