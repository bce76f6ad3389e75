// How much JavaScript a first visit brings: everything that a page loads by itself until it rests, as it crosses the wire.
import type { Request } from 'playwright-core'
import { expect, test } from 'vitest'
import { useConsole } from './console.ts'

const it = useConsole()

const most = 200 * 1024

test.for(['/sign-in', '/overview', '/executions'])(
  '%s brings less than 200 KB of compressed JavaScript to a browser that has nothing yet',
  async (path) => {
    const page = await it.page(path === '/sign-in' ? {} : { as: it.people.owner })
    const scripts = new Map<string, Request>()
    page.on('requestfinished', (request) => {
      if (request.resourceType() === 'script' || new URL(request.url()).pathname.endsWith('.js'))
        scripts.set(request.url(), request)
    })
    await page.goto(path)
    if (path === '/overview') await page.locator('[data-chart]').nth(2).waitFor()
    // What comes after the page, like the palette, has come.
    await page.evaluate(() => new Promise((done) => requestIdleCallback(done)))
    const all = await Promise.all(
      [...scripts].map(async ([url, request]) => ({ url, size: (await request.sizes()).responseBodySize })),
    )
    const total = all.reduce((sum, { size }) => sum + size, 0)
    expect(total, JSON.stringify(all.sort((a, b) => b.size - a.size))).toBeGreaterThan(10 * 1024)
    expect(total, JSON.stringify(all, null, 1)).toBeLessThan(most)
  },
)
