// Whether a page reaches this machine, whatever it tries. Judged by a sentinel, and compared with a browser that nobody
// guards: an attempt that does not arrive there either would prove nothing.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { get } from 'node:http'
import { tmpdir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { chromium } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { createConnectionGuard } from '../guard/outbound/checked-connection.ts'
import { type Site, startSite } from '../guard/outbound/sentinel.ts'
import { runAsOrdinaryUser } from '../sandbox/testing/as-ordinary-user.ts'
import { describeNeeding } from '../sandbox/testing/needs.ts'
import { findBrowser } from './find-browser.ts'
import { startGuardedProxy } from './guarded-proxy.ts'
import { probeReach, type ReachProbe } from './reach-probe.ts'
import { attemptNames, leavingPages, type ReachSentinel, startReachSentinel, tryingSite } from './reach-sentinel.ts'

let control: ReachSentinel
let site: Site
beforeAll(async () => {
  control = await startReachSentinel()
  site = await startSite(tryingSite(control))
})
afterAll(() => Promise.all([site.close(), control.close()]))

function nothingArrived({ tried, arrived, contacts }: ReachProbe): void {
  expect(tried).toEqual(attemptNames)
  expect(arrived).toEqual([])
  expect(contacts).toBe(0)
}

test('there are more than 100 ways, each another one, and all of them arrive where nobody guards', async () => {
  const names = [...attemptNames, ...Object.values(leavingPages)]
  expect(new Set(names).size).toBeGreaterThanOrEqual(100)
  const found = await findBrowser()
  const plain = await chromium.launch({ executablePath: found!.executablePath, args: found!.args, env: found!.env })
  try {
    await Promise.all(
      ['/try', ...Object.keys(leavingPages)].map(async (path) => {
        const page = await plain.newPage()
        await page.goto(`${site.origin}${path}`, { waitUntil: 'commit' }).catch(() => {})
      }),
    )
    const missing = () => names.filter((name) => !control.arrived.has(name))
    await expect.poll(missing, { timeout: 60_000 }).toEqual([])
  } finally {
    await plain.close()
  }
}, 120_000)

test('a page begins all of them in the guarded browser, and none arrives', async () => {
  nothingArrived(await probeReach())
}, 120_000)

describeNeeding(['root'], 'for an ordinary user as well as for root', () => {
  test('none of them arrives', { timeout: 120_000 }, async () => {
    // The one that was unpacked for root is root's alone; every other is everybody's.
    const { executablePath, source } = (await findBrowser())!
    const folder = mkdtempSync(join(tmpdir(), 'qm-browser-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const isOurs = source === 'packaged'
    if (isOurs) cpSync(dirname(executablePath), folder, { recursive: true })
    execFileSync('chmod', ['-R', 'a+rX', folder])
    const browser = isOurs ? join(folder, basename(executablePath)) : executablePath
    const script = join(import.meta.dirname, 'reach-probe.ts')
    const { uid, ...result } = JSON.parse(await runAsOrdinaryUser(script, browser))
    expect(uid).toBeGreaterThan(0)
    nothingArrived(result)
  })
})

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
