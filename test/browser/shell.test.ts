import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { narrow, useConsole } from './console.ts'

const it = useConsole()

/** What a screen reader calls the element that has the focus. */
const focused = async (page: Page) => /"([^"]*)"/.exec(await page.locator(':focus').ariaSnapshot())?.[1] ?? ''
const isDark = (page: Page) => page.evaluate(() => document.documentElement.classList.contains('dark'))
async function openPalette(page: Page) {
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Go to, or do' }).waitFor()
}

describe('the palette', () => {
  test('opens with ⌘K and Ctrl K, goes where a few letters say, and closes with Escape', async () => {
    const page = await it.page({ as: it.people.viewer })
    await page.goto('/overview')
    const palette = page.getByRole('dialog', { name: 'Go to, or do' })
    for (const keys of ['Meta+k', 'Control+k']) {
      await page.keyboard.press(keys)
      await palette.waitFor()
      await page.keyboard.press('Escape')
      await palette.waitFor({ state: 'hidden' })
    }
    await openPalette(page)
    await page.keyboard.type('passw')
    expect((await palette.getByRole('option').allTextContents())[0]).toBe(' Settings')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/settings/account')
    await palette.waitFor({ state: 'hidden' })
  })

  test('says so when nothing has that name', async () => {
    const page = await it.page({ as: it.people.viewer })
    await page.goto('/overview')
    await page.getByRole('button', { name: /^Search/ }).click()
    await page.getByRole('dialog', { name: 'Go to, or do' }).waitFor()
    await page.keyboard.type('zzzz')
    await page.getByText('Nothing has that name.').waitFor()
  })

  test('switches the workspace, like the switcher, and signs out', async () => {
    const page = await it.page({ as: it.first.email })
    await page.goto('/overview')
    await openPalette(page)
    await page.keyboard.type('switch')
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Workspace: House. Choose another' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Workspace: House. Choose another' }).click()
    await page.getByRole('menuitem', { name: 'Northwind' }).click()
    await page.getByRole('button', { name: 'Workspace: Northwind. Choose another' }).waitFor()
    await openPalette(page)
    await page.keyboard.type('log out')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/sign-in')
  })
})

describe('by keyboard alone', () => {
  test('the first stop skips the navigation, and the next ones walk through it', async () => {
    const page = await it.page({ as: it.people.admin })
    await page.goto('/overview')
    await page.keyboard.press('Tab')
    expect(await focused(page)).toBe('Skip to the content')
    const stops = []
    for (let stop = 0; stop < 17; stop++) {
      await page.keyboard.press('Tab')
      // How many questions wait is not the business of this test.
      stops.push((await focused(page)).replace(/ \d\+? waiting for you$/, ''))
    }
    expect(stops).toEqual([
      'Search ⌘K',
      'Overview',
      'Approvals',
      'Runs',
      'Executions',
      'Playground',
      'Agents',
      'Tools',
      'Policies',
      'Secrets',
      'Files',
      'Channels',
      'Members',
      'API keys',
      'Audit',
      'Settings',
      'Adam Admin admin Account, theme, sign out',
    ])
    await page.keyboard.press('Shift+Tab')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/settings/account')

    await page.reload()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    expect(await page.evaluate(() => document.activeElement?.id)).toBe('content')
  })

  test('whatever is reached is visibly marked', async () => {
    const page = await it.page({ as: it.people.admin })
    await page.goto('/settings/workspace')
    for (let stop = 0; stop < 14; stop++) {
      await page.keyboard.press('Tab')
      const mark = () =>
        page.evaluate(() => {
          const { outlineWidth, outlineStyle } = getComputedStyle(document.activeElement as Element)
          return `${outlineWidth} ${outlineStyle}`
        })
      await expect.poll(mark, { message: await focused(page) }).toBe('2px solid')
    }
  })

  test('the person menu opens, moves and chooses, and gives the focus back', async () => {
    const page = await it.page({ as: it.people.viewer })
    await page.goto('/overview')
    const trigger = page.getByRole('button', { name: /^Vera Viewer .*sign out$/ })
    await trigger.focus()
    await page.keyboard.press('Enter')
    await page.getByRole('menu').waitFor()
    await page.keyboard.press('Escape')
    await expect.poll(() => trigger.evaluate((button) => button === document.activeElement)).toBe(true)
    await page.keyboard.press('Enter')
    await expect.poll(() => focused(page)).toBe('Your account')
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => focused(page)).toBe('Light')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => focused(page)).toBe('Your account')
    await page.keyboard.press('Enter')
    await page.waitForURL('**/settings/account')
  })
})

describe('the theme', () => {
  test('follows the system until somebody chooses, and the choice stays in this browser', async () => {
    const context = await it.context({ as: it.people.viewer, colorScheme: 'dark' })
    const page = await context.newPage()
    await page.goto('/settings/appearance')
    expect(await isDark(page)).toBe(true)
    await page.emulateMedia({ colorScheme: 'light' })
    await expect.poll(() => isDark(page)).toBe(false)

    await page.getByRole('radio', { name: 'Dark' }).check({ force: true })
    await expect.poll(() => isDark(page)).toBe(true)
    await page.reload()
    expect(await isDark(page)).toBe(true)
    expect(await page.getByRole('radio', { name: 'Dark' }).isChecked()).toBe(true)
    const other = await context.newPage()
    await other.goto('/overview')
    expect(await isDark(other)).toBe(true)

    await openPalette(other)
    await other.keyboard.type('light')
    await other.keyboard.press('Enter')
    await expect.poll(() => isDark(other)).toBe(false)
    await other.reload()
    expect(await isDark(other)).toBe(false)
  })

  test('is chosen in the person menu too, and is there before anything is painted', async () => {
    const page = await it.page({ as: it.people.viewer, colorScheme: 'light' })
    await page.goto('/overview')
    await page.getByRole('button', { name: /^Vera Viewer .*sign out$/ }).click()
    await page.getByRole('menuitem', { name: 'Dark' }).click()
    await expect.poll(() => isDark(page)).toBe(true)
    await page.addInitScript(() => {
      const seen: boolean[] = []
      Object.assign(window, { seen })
      requestAnimationFrame(() => {
        if (document.body) seen.push(document.documentElement.classList.contains('dark'))
      })
    })
    await page.reload()
    expect(await page.evaluate(() => (window as unknown as { seen: boolean[] }).seen)).not.toContain(false)
    expect(await isDark(page)).toBe(true)
  })
})

describe('on a phone', () => {
  test('the navigation is behind a button, leads everywhere, and closes when it has', async () => {
    const page = await it.page({ as: it.people.admin, viewport: narrow, hasTouch: true })
    await page.goto('/overview')
    expect(await page.getByRole('link', { name: 'Settings' }).isVisible()).toBe(false)
    const button = page.getByRole('button', { name: 'Open the navigation' })
    await button.tap()
    const drawer = page.getByRole('dialog', { name: 'Navigation' })
    await drawer.getByRole('link', { name: 'Settings' }).tap()
    await page.waitForURL('**/settings/account')
    await drawer.waitFor({ state: 'hidden' })

    await button.tap()
    await drawer.getByRole('button', { name: /^Search/ }).tap()
    await page.getByRole('option', { name: 'Overview' }).tap()
    await page.waitForURL('**/overview')

    await button.tap()
    // The page that is open already: nothing changes, and the drawer is in the way no longer.
    await drawer.getByRole('link', { name: 'Overview' }).tap()
    await drawer.waitFor({ state: 'hidden' })

    await button.tap()
    await drawer.getByRole('button', { name: /^Adam Admin .*sign out$/ }).tap()
    await page.getByRole('menuitem', { name: 'Your account' }).tap()
    await page.waitForURL('**/settings/account')
    await drawer.waitFor({ state: 'hidden' })
  })

  test('what is tapped is large enough', async () => {
    const page = await it.page({ as: it.people.admin, viewport: narrow, hasTouch: true })
    await page.goto('/overview')
    await page.getByRole('button', { name: 'Open the navigation' }).tap()
    const drawer = page.getByRole('dialog', { name: 'Navigation' })
    for (const target of [...(await drawer.getByRole('link').all()), ...(await drawer.getByRole('button').all())]) {
      const box = await target.boundingBox()
      expect([await target.textContent(), (box?.height ?? 0) >= 36]).toEqual([expect.any(String), true])
    }
  })
})

test('an address that leads nowhere says so, with 404 and a way back', async () => {
  const page = await it.page({ as: it.people.viewer })
  const answer = await page.goto('/nowhere')
  expect(answer?.status()).toBe(404)
  await page.getByRole('heading', { level: 1, name: 'There is nothing at this address' }).waitFor()
  await page.getByRole('link', { name: 'Go to the Overview' }).click()
  await page.waitForURL('**/overview')
})

test('a page that the role does not open says so, inside the frame and with a way back', async () => {
  const page = await it.page({ as: it.people.approver })
  const answer = await page.goto('/settings/installation')
  expect(answer?.status()).toBe(403)
  await page.getByRole('heading', { level: 1, name: 'Your role does not open this page' }).waitFor()
  await page.getByText('You are an approver of this workspace.').waitFor()
  await page.getByRole('main').getByRole('link', { name: 'Go to the Overview' }).click()
  await page.waitForURL('**/overview')
})
