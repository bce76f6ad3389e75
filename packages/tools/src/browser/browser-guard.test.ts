// Whether a page reaches this machine, whatever it tries. Judged by a sentinel, and compared with a browser that nobody
// guards: an attempt that does not arrive there either would prove nothing.
import { get } from 'node:http'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createConnectionGuard } from '../guard/outbound/checked-connection.ts'
import { type Site, startSite } from '../guard/outbound/sentinel.ts'
import { type BrowserManager, createBrowserManager } from './browser-manager.ts'
import { findBrowser } from './find-browser.ts'
import { startGuardedProxy } from './guarded-proxy.ts'
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

test('every attempt is made, and none of them arrives; all arrive where nobody guards', async () => {
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
      }),
    )
    const missing = () => [...attemptNames, ...topLevel].filter((name) => !control.arrived.has(name))
    await expect.poll(missing, { timeout: 12_000 }).toEqual([])
  } finally {
    await plain.close()
  }
}, 40_000)

test('the proxy serves nobody without a pass, and nobody with one that was revoked', async () => {
  const proxy = await startGuardedProxy(createConnectionGuard({ allowPrivate: [`127.0.0.1:${site.port}`] }))
  const { hostname, port } = new URL(proxy.server)
  const ask = (headers: Record<string, string>) =>
    new Promise<number>((resolve, reject) => {
      get({ hostname, port, path: `${site.origin}/`, headers, agent: false }, (answer) => {
        answer.resume()
        resolve(answer.statusCode ?? 0)
      }).on('error', reject)
    })
  const pass = proxy.issuePass()
  const shown = {
    'proxy-authorization': `Basic ${Buffer.from(`${pass.username}:${pass.password}`).toString('base64')}`,
  }
  expect(await ask({})).toBe(407)
  expect(await ask({ 'proxy-authorization': 'Basic eDp5' })).toBe(407)
  expect(await ask(shown)).toBe(200)
  pass.limitHosts(['example.com'])
  expect(await ask(shown)).toBe(502)
  expect(pass.takeRefusals()).toEqual(['127.0.0.1 is not one of the hosts that may be reached here.'])
  pass.revoke()
  expect(await ask(shown)).toBe(407)
  await proxy.stop()
})
