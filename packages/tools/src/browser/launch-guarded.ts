// A Chromium that reaches the network by the proxy and by nothing else, knows none of our environment, and ends for sure.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser as PlaywrightBrowser } from 'playwright-core'
import { boundMessages } from './bound-messages.ts'
import type { Browser } from './find-browser.ts'

export interface GuardedBrowser {
  browser: PlaywrightBrowser
  /** Of the browser's main process; the others end with it. */
  pid: number
  close(): Promise<void>
}

const launchMs = 15_000
const closeMs = 3_000

/** What could go round a proxy, or speak without being asked. */
export const guardingFlags: readonly string[] = [
  // WebRTC speaks UDP, which no proxy of ours takes; its TCP goes by the proxy.
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--disable-quic',
  // The proxy resolves names. The browser itself knows one host: the proxy.
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  '--dns-prefetch-disable',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-client-side-phishing-detection',
  '--no-pings',
  '--disable-sync',
  // A page has so much memory and no more: then it crashes, not the machine.
  '--js-flags=--max-old-space-size=512',
]

export async function launchGuarded(found: Browser, proxyServer: string): Promise<GuardedBrowser> {
  // Loaded when the first page is opened: it is large, and most runs never do.
  const { chromium } = await import('playwright-core')
  const home = await mkdtemp(join(tmpdir(), 'qm-browser-home-'))
  try {
    const launch = () =>
      chromium.launch({
        executablePath: found.executablePath,
        args: [...found.args, ...guardingFlags],
        // Playwright switches these protections off for its own tests.
        ignoreDefaultArgs: ['--disable-popup-blocking', '--disable-ipc-flooding-protection'],
        env: { PATH: process.env.PATH ?? '', HOME: home, LANG: 'en_US.UTF-8', ...found.env },
        // Without a pass: what is nobody's conversation reaches nothing.
        proxy: { server: proxyServer, bypass: '<-loopback>' },
        timeout: launchMs,
        handleSIGINT: false,
        handleSIGTERM: false,
        handleSIGHUP: false,
      })
    const browser = await boundMessages(launch)
    const pid = await pidOf(browser)
    // For one that ends by itself. Processes of it may still be writing, hence the patience.
    browser.on('disconnected', () => void remove(home).catch(() => {}))
    return { browser, pid, close: () => close(browser, pid).finally(() => remove(home)) }
  } catch (error) {
    await remove(home)
    throw error
  }
}

const remove = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 })

async function pidOf(browser: PlaywrightBrowser): Promise<number> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  return processInfo.find(({ type }) => type === 'browser')?.id ?? 0
}

async function close(browser: PlaywrightBrowser, pid: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<'late'>((resolve) => {
    timer = setTimeout(() => resolve('late'), closeMs)
  })
  const ended = await Promise.race([browser.close().then(() => 'closed' as const), late])
  clearTimeout(timer)
  if (ended === 'closed' || pid === 0) return
  try {
    // Playwright starts it as the leader of a group of its own.
    process.kill(-pid, 'SIGKILL')
  } catch {
    // It ended by itself in between.
  }
}
