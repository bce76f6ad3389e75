// Dates in the zone of whoever looks: in the server's markup already, and by themselves where it did not know the zone.
import { newId } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { fillSignIn, useConsole } from './console.ts'
import { password } from './people.ts'
import { startSession } from './playground-session.ts'

const it = useConsole()

const formatted = (date: Date, timeZone: string) =>
  `${new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone }).format(date)} (${timeZone})`

/** A run of now, and when it was queued as its row says it in a zone. */
async function makeRun() {
  const title = `Zoned ${newId('t')}`
  const { runId } = await startSession(it, it.people.member, title)
  const { queuedAt } = await it.db.prisma.run.findUniqueOrThrow({ where: { id: runId } })
  return { title, runId, saidIn: (zone: string) => formatted(queuedAt, zone) }
}

test('somebody in another zone than the workspace reads dates in their own, from the first page after signing in', async () => {
  const { title, runId, saidIn } = await makeRun()
  const page = await it.page({ timezoneId: 'Pacific/Auckland' })
  await page.goto('/sign-in')
  await fillSignIn(page, { email: it.people.viewer.email, password })
  await page.waitForURL('**/overview')
  // As the server writes it, before any script has run.
  for (const path of ['/overview', '/runs', `/runs/${runId}`]) {
    const text = await (await page.request.get(path)).text()
    expect([path, text.includes(saidIn('Pacific/Auckland'))]).toEqual([path, true])
    expect([path, text.includes('(Europe/Berlin)')]).toEqual([path, false])
  }
  await page.goto('/runs')
  const time = page.getByRole('row').filter({ hasText: title }).locator('time')
  expect(await time.getAttribute('title')).toBe(saidIn('Pacific/Auckland'))
})

test('a browser that never said its zone is shown the workspace’s, says it, and is shown its own without a reload', async () => {
  const { title, saidIn } = await makeRun()
  const context = await it.context({ as: it.people.viewer, timezoneId: 'America/New_York' })
  expect(await (await context.request.get('/runs')).text()).toContain(saidIn('Europe/Berlin'))
  const page = await context.newPage()
  await page.goto('/runs')
  await page.evaluate(() => Object.assign(window, { sameDocument: true }))
  const time = page.getByRole('row').filter({ hasText: title }).locator('time')
  await expect.poll(() => time.getAttribute('title')).toBe(saidIn('America/New_York'))
  expect(await page.evaluate(() => 'sameDocument' in window)).toBe(true)
})

test('what is no zone counts as not said', async () => {
  const { saidIn } = await makeRun()
  const context = await it.context({ as: it.people.viewer })
  for (const value of ['Nowhere/City', '+02:00', '<script>', ''])
    for (const encoded of new Set([value, encodeURIComponent(value)])) {
      await context.addCookies([{ name: 'qm.zone', value: encoded, url: it.url }])
      const answer = await context.request.get('/runs')
      expect([encoded, answer.status()]).toEqual([encoded, 200])
      expect(await answer.text()).toContain(saidIn('Europe/Berlin'))
    }
})

test('a day of a filter is the workspace’s for everybody, so that a link means the same to both', async () => {
  const { title } = await makeRun()
  const day = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin', dateStyle: 'short' }).format(new Date())
  const found = async (timezoneId: string) => {
    const context = await it.context({ as: it.people.viewer, timezoneId })
    await context.addCookies([{ name: 'qm.zone', value: encodeURIComponent(timezoneId), url: it.url }])
    return (await (await context.request.get(`/runs?from=${day}&to=${day}`)).text()).includes(title)
  }
  expect(await Promise.all(['Pacific/Kiritimati', 'Pacific/Pago_Pago'].map(found))).toEqual([true, true])
})
