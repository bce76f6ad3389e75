// Whether a page reaches this machine, whatever it tries. Judged by a sentinel, and compared with a browser that nobody
// guards: an attempt that does not arrive there either would prove nothing.
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Site, startSite } from '../guard/outbound/sentinel.ts'
import { type BrowserManager, createBrowserManager } from './browser-manager.ts'
import { findBrowser } from './find-browser.ts'
import { attemptNames, type ReachSentinel, startReachSentinel, tryingSite } from './reach-sentinel.ts'

const settleMs = 2_500
const pages = ['/try', '/redirect', '/refresh', '/location']
const topLevel = ['top-redirect', 'top-refresh', 'top-location']

let sentinel: ReachSentinel
let control: ReachSentinel
let site: Site
let controlSite: Site
let manager: BrowserManager
beforeAll(async () => {
  ;[sentinel, control] = await Promise.all([startReachSentinel(), startReachSentinel()])
  ;[site, controlSite] = await Promise.all([startSite(tryingSite(sentinel)), startSite(tryingSite(control))])
  manager = createBrowserManager({ allowPrivate: [`127.0.0.1:${site.port}`] })
})
afterAll(async () => {
  await manager.stop()
  await Promise.all([site.close(), controlSite.close(), sentinel.close(), control.close()])
})

const settle = () => new Promise((resolve) => setTimeout(resolve, settleMs))

test('every attempt is made, and none of them arrives; most arrive where nobody guards', async () => {
  const { signal } = new AbortController()
  const tried = await Promise.all(
    pages.map((path) =>
      manager.use(`conversation-${path}`, signal, async (session) => {
        const page = await session.ready()
        await page.goto(`${site.origin}${path}`, { waitUntil: 'commit' }).catch(() => {})
        await settle()
        return path === '/try' ? page.evaluate<string[]>('window.tried') : []
      }),
    ),
  )
  expect(tried.flat()).toEqual(attemptNames)
  expect([...sentinel.arrived]).toEqual([])
  expect(sentinel.contacts).toBe(0)

  const found = await findBrowser()
  const plain = await chromium.launch({ executablePath: found!.executablePath, args: found!.args, env: found!.env })
  try {
    await Promise.all(
      pages.map(async (path) => {
        const page = await plain.newPage()
        await page.goto(`${controlSite.origin}${path}`, { waitUntil: 'commit' }).catch(() => {})
        await settle()
      }),
    )
  } finally {
    await plain.close()
  }
  const missing = [...attemptNames, ...topLevel].filter((name) => !control.arrived.has(name))
  expect(missing).toEqual([])
}, 40_000)
