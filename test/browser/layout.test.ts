// Where things stand: no page moves under somebody's eyes, neither while it arrives nor while it lives, and none is wider
// than its screen. Every page of the console, and every look that axe has too.
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { narrow, useConsole, wide } from './console.ts'
import { findAreas } from './find-areas.ts'

const it = useConsole()

interface Shift {
  value: number
  of: string[]
}

/** Counts every shift from the first paint on, also those that the browser forgives because somebody has just pressed a key. */
async function watchShifts(page: Page): Promise<void> {
  await page.addInitScript(() => {
    const shifts: Shift[] = []
    Object.assign(window, { shifts })
    type Entry = PerformanceEntry & { value: number; sources: { node: Node | null }[] }
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries() as Entry[]) {
        const of = entry.sources.map(({ node }) => {
          const element = node instanceof Element ? node : node?.parentElement
          return element ? element.outerHTML.slice(0, 160) : 'what is gone'
        })
        shifts.push({ value: entry.value, of })
      }
    }).observe({ type: 'layout-shift', buffered: true })
  })
}

/** When the fonts are there and the browser has nothing left to do. */
async function settle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    await document.fonts.ready
    await new Promise((done) => requestIdleCallback(done, { timeout: 2_000 }))
    await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))
  })
}

const shiftsOf = (page: Page) => page.evaluate(() => (window as unknown as { shifts: Shift[] }).shifts)

/** How far the page can be pushed sideways; a table may scroll in its own frame. */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** What sticks out, for whoever mends it. */
const widest = (page: Page) =>
  page.evaluate(() => {
    const all = [...document.querySelectorAll('main *')].filter((each) => !each.closest('.overflow-x-auto *'))
    const right = (each: Element) => each.getBoundingClientRect().right
    return all.sort((one, other) => right(other) - right(one))[0]?.outerHTML.slice(0, 200) ?? ''
  })

async function everyPath(): Promise<string[]> {
  const areas = await findAreas()
  const looks = await Promise.all(areas.map((area) => area.looks?.(it) ?? []))
  const paths = areas.flatMap((area) => Object.keys(area.pages ?? {})).filter((path) => path !== '/settings')
  return [...paths, ...looks.flat(), '/nowhere']
}

/**
 * Half of what browsers call good. A font may come within the moment that the browser waits for it, and a column is then a
 * little wider: on a very busy machine up to 0.03 was seen.
 */
const mostShift = 0.05

test.for([wide, narrow])(
  'no page moves while it arrives on a screen of $width, and none is wider than it',
  { timeout: 600_000 },
  async (viewport) => {
    const waiting = await everyPath()
    const found: string[] = []
    const visit = async () => {
      const page = await it.page({ as: it.people.admin, viewport })
      await watchShifts(page)
      for (let path = waiting.shift(); path; path = waiting.shift()) {
        await page.setViewportSize(viewport)
        await page.goto(path)
        if (path === '/overview') await page.locator('[data-chart]').nth(2).waitFor()
        await settle(page)
        const shifts = await shiftsOf(page)
        if (shifts.reduce((sum, { value }) => sum + value, 0) > mostShift)
          found.push(
            `${path} moves: ${shifts.map(({ value, of }) => `${value.toFixed(4)} ${of.join(' | ')}`).join('; ')}`,
          )
        for (const width of viewport === narrow ? [390, 320] : [viewport.width]) {
          await page.setViewportSize({ ...viewport, width })
          // The charts learn of their new size in a frame after it.
          await settle(page)
          const over = await overflow(page)
          if (over > 0) found.push(`${path} at ${width} is ${over} too wide: ${await widest(page)}`)
        }
      }
    }
    await Promise.all([visit(), visit()])
    expect(found).toEqual([])
  },
)

test('a page that moves is found', async () => {
  const page = await it.page()
  await watchShifts(page)
  await page.goto('/sign-in')
  await settle(page)
  const before = (await shiftsOf(page)).length
  await page.evaluate(() =>
    document.querySelector('main')?.insertAdjacentHTML('beforebegin', '<p style="height: 90px">late</p>'),
  )
  await expect.poll(async () => (await shiftsOf(page)).length).toBeGreaterThan(before)
})
