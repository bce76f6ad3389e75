// For tests: a page in the guarded browser that tries every way to this machine, as whoever runs this. Prints JSON.
//   node reach-probe.ts [path of a browser]
import { startSite } from '../guard/outbound/sentinel.ts'
import { createBrowserManager } from './browser-manager.ts'
import { leavingPages, startReachSentinel, tryingSite } from './reach-sentinel.ts'

/** What a page begins arrives within this time, where nobody guards (the control waits for it). */
const settleMs = 4_000

export interface ReachProbe {
  /** What the page began, by name. */
  tried: string[]
  arrived: string[]
  contacts: number
}

export async function probeReach(browser?: string): Promise<ReachProbe> {
  const sentinel = await startReachSentinel()
  const site = await startSite(tryingSite(sentinel))
  const manager = createBrowserManager({ allowPrivate: [`127.0.0.1:${site.port}`], setting: browser })
  try {
    const { signal } = new AbortController()
    const tried = await Promise.all(
      ['/try', ...Object.keys(leavingPages)].map((path) =>
        manager.use(`conversation-${path}`, signal, async (session) => {
          const page = await session.ready()
          await page.goto(`${site.origin}${path}`, { waitUntil: 'commit' }).catch(() => {})
          await new Promise((resolve) => setTimeout(resolve, settleMs))
          return path === '/try' ? page.evaluate<string[]>('window.tried') : []
        }),
      ),
    )
    return { tried: tried.flat(), arrived: [...sentinel.arrived], contacts: sentinel.contacts }
  } finally {
    await manager.stop()
    await Promise.all([site.close(), sentinel.close()])
  }
}

if (process.argv[1] === import.meta.filename)
  console.log(JSON.stringify({ uid: process.getuid?.(), ...(await probeReach(process.argv[2])) }))
