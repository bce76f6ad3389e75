import { randomBytes } from 'node:crypto'
import { AxeBuilder } from '@axe-core/playwright'
import { beat, newId } from '@quartermaster/db'
import type { BrowserContext, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { narrow, useConsole, wide } from './console.ts'
import { findAreas } from './find-areas.ts'

const it = useConsole()

/**
 * By all rules that axe has on: WCAG A and AA, and good practice. Between light and dark nothing differs but colours, and
 * between wide and narrow everything but colours.
 */
type Rules = 'all' | 'colours' | 'all but colours'

async function findingsOn(page: Page, rules: Rules = 'all', part?: string) {
  const axe = new AxeBuilder({ page })
  if (part) axe.include(part)
  if (rules === 'colours') axe.withRules(['color-contrast'])
  if (rules === 'all but colours') axe.disableRules(['color-contrast'])
  const { violations } = await axe.analyze()
  return violations.flatMap(({ id, nodes }) => nodes.map((node) => `${id}: ${node.html.slice(0, 160)}`))
}

const opened = '[role=dialog], [role=menu]'

const looks = [
  { colorScheme: 'light', size: 'wide', viewport: wide, rules: 'all' },
  { colorScheme: 'light', size: 'narrow', viewport: narrow, rules: 'all but colours' },
  { colorScheme: 'dark', size: 'wide', viewport: wide, rules: 'colours' },
] as const

type Look = (typeof looks)[number]

/** A page that is open, in another look: what a person sees who turns their phone to dark or makes the window narrow. */
async function lookAs(page: Page, { colorScheme, viewport }: Look): Promise<void> {
  await page.setViewportSize(viewport)
  await page.emulateMedia({ colorScheme })
  await page.waitForFunction(
    (dark) => document.documentElement.classList.contains('dark') === dark,
    colorScheme === 'dark',
  )
}

/** Two at a time: while one page is fetched, the other one is looked at. */
async function visitAll(paths: readonly string[], look: (page: Page, path: string) => Promise<void>): Promise<void> {
  const waiting = [...paths]
  const visit = async () => {
    const page = await it.page({ as: it.people.admin, colorScheme: 'light' })
    for (let path = waiting.shift(); path; path = waiting.shift()) {
      await lookAs(page, looks[0])
      await page.goto(path)
      await look(page, path)
    }
  }
  await Promise.all([visit(), visit()])
}

async function everyPath(): Promise<string[]> {
  const areas = await findAreas()
  const more = await Promise.all(areas.map((area) => area.looks?.(it) ?? []))
  return [...areas.flatMap((area) => Object.keys(area.pages ?? {})), ...more.flat()]
}

test('axe finds nothing on the pages of the console, in any look', { timeout: 600_000 }, async () => {
  await beatAsBot()
  const paths = (await everyPath()).filter((path) => path !== '/settings')
  const found: string[] = []
  await visitAll([...paths, '/nowhere'], async (page, path) => {
    if (path === '/overview') await page.locator('[data-chart]').nth(2).waitFor()
    if (path === '/settings/account') {
      await page.getByRole('button', { name: 'Get a code' }).click()
      await page.getByText(/^\/link /).waitFor()
    }
    // What is folded away is hidden from axe as well.
    await page.evaluate(() => {
      for (const fold of document.querySelectorAll('details')) fold.open = true
    })
    for (const look of looks) {
      await lookAs(page, look)
      for (const finding of await findingsOn(page, look.rules))
        found.push(`${path}, ${look.colorScheme} and ${look.size}: ${finding}`)
    }
  })
  // All findings are told, and not the first.
  expect(found).toEqual([])
})

test('axe finds nothing in any dialog and any menu that they open', { timeout: 600_000 }, async () => {
  const found: string[] = []
  const seen = new Set<string>()
  await visitAll(await everyPath(), async (page, path) => {
    const openers = page.getByRole('main').locator('button[aria-haspopup]')
    const labels = await openers.evaluateAll((all) =>
      all.map((each) => (each.checkVisibility() ? (each.getAttribute('aria-label') ?? each.textContent ?? '') : '')),
    )
    for (const [at, label] of labels.entries()) {
      // Of those that are alike but for a name one is enough.
      const kind = `${path.split(/[/?]/)[1]} ${label.split(' ')[0]}`
      if (!label || seen.has(kind)) continue
      seen.add(kind)
      await openers.nth(at).click()
      await page.locator(opened).last().waitFor()
      // A narrow one is the same one.
      for (const look of looks.filter(({ size }) => size === 'wide')) {
        await lookAs(page, look)
        for (const finding of await findingsOn(page, look.rules, opened))
          found.push(`${path}, “${label}”, ${look.colorScheme}: ${finding}`)
      }
      await lookAs(page, looks[0])
      await page.keyboard.press('Escape')
      await page.locator(opened).last().waitFor({ state: 'detached' })
    }
  })
  expect(found).toEqual([])
  expect(seen.size).toBeGreaterThan(15)
})

describe.for(looks)('axe finds nothing in $colorScheme on a $size screen', ({ colorScheme, viewport, rules }) => {
  const look = { colorScheme, viewport }

  test('at the door: sign-in, refused sign-in, forbidden page', async () => {
    const page = await it.page(look)
    await page.goto('/sign-in?error=CredentialsSignin')
    await page.getByText('First time here, or password lost?').click()
    await page.getByText('do not belong together').waitFor()
    expect(await findingsOn(page, rules)).toEqual([])
    const viewer = await it.page({ as: it.people.viewer, ...look })
    await viewer.goto('/settings/workspace')
    expect(await findingsOn(viewer, rules)).toEqual([])
  })

  test('in what opens: palette, menu, drawer, dialog, a form with mistakes, the empty workspace', async () => {
    const context = await it.context({ as: it.first.email, ...look })
    await secondBrowserOf(it.first.email)
    const page = await inEmptyWorkspace(context)
    await page.goto('/overview')
    await page.getByRole('region', { name: 'First steps' }).waitFor()
    expect(await findingsOn(page, rules)).toEqual([])

    await page.goto('/channels')
    await page.getByRole('region', { name: 'Connect Slack' }).waitFor()
    expect(await findingsOn(page, rules)).toEqual([])

    await page.keyboard.press('Control+k')
    await page.getByRole('option', { name: 'Settings' }).waitFor()
    expect(await findingsOn(page, rules)).toEqual([])
    await page.keyboard.press('Escape')

    const drawer = page.getByRole('button', { name: 'Open the navigation' })
    if (await drawer.isVisible()) {
      await drawer.click()
      await page.getByRole('dialog', { name: 'Navigation' }).waitFor()
      expect(await findingsOn(page, rules)).toEqual([])
    }
    await page.getByRole('button', { name: /^First Owner .*sign out$/ }).click()
    await page.getByRole('menu').waitFor()
    expect(await findingsOn(page, rules)).toEqual([])

    await page.goto('/settings/account')
    await page.getByLabel('Your name').fill('  ')
    await page.getByRole('button', { name: 'Save name' }).click()
    await page.getByText('Expected a name.').waitFor()
    expect(await findingsOn(page, rules)).toEqual([])
    await page
      .getByRole('button', { name: /^Sign out / })
      .first()
      .click()
    await page.getByRole('dialog').waitFor()
    expect(await findingsOn(page, rules)).toEqual([])
  })
})

test('axe does find what is wrong', async () => {
  // A page of its own: what is planted into one of the console's is taken away again while React wakes up.
  const page = await it.page()
  await page.setContent('<main><button></button><p style="color: #ccc; background: #fff">pale</p></main>')
  const found = (await findingsOn(page)).map((finding) => finding.split(':')[0])
  expect(found).toEqual(expect.arrayContaining(['button-name', 'color-contrast']))
  const pale = await findingsOn(page, 'colours')
  expect(pale.map((finding) => finding.split(':')[0])).toEqual(['color-contrast'])
})

async function inEmptyWorkspace(context: BrowserContext): Promise<Page> {
  await context.addCookies([{ name: 'qm.workspace', value: it.emptyWorkspaceId, url: it.url }])
  return context.newPage()
}

async function secondBrowserOf(email: string): Promise<void> {
  await it.db.pool.query(
    `INSERT INTO login_sessions (id, login_id, token_hash, user_agent, expires_at)
     SELECT $2, id, $3, 'Mozilla/5.0 (Macintosh; Mac OS X) Safari/605', now() + interval '1 day'
     FROM logins WHERE email = $1`,
    [email, newId('ses'), randomBytes(32)],
  )
}

/** One of each state of health, so that each of their colours is looked at. */
async function beatAsBot(): Promise<void> {
  const part = (state: 'ok' | 'off' | 'warning' | 'problem') => ({ state, detail: `It is ${state}.`, next: 'Do this.' })
  await beat(it.db, {
    id: newId('prc'),
    kind: 'bot',
    version: '0.1.0',
    host: 'test',
    pid: 1,
    roles: ['worker'],
    health: { slack: part('off'), telegram: part('warning'), model: part('problem'), sandbox: part('ok') },
  })
}
