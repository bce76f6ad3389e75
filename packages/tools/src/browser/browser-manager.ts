// One browser for the process, started when a page is first wanted; in it one context for each conversation. Contexts
// that nobody used for a while are closed, and with the last of them the browser. A browser that is gone, for whatever
// reason, is started anew by the next call.
import { type ConnectionGuardOptions, createConnectionGuard } from '../guard/outbound/checked-connection.ts'
import { orEnded } from '../guard/outbound/or-ended.ts'
import { ConversationPage } from './conversation-page.ts'
import { type Browser, type FindBrowserOptions, findBrowser } from './find-browser.ts'
import { type GuardedProxy, startGuardedProxy } from './guarded-proxy.ts'
import { type GuardedBrowser, launchGuarded } from './launch-guarded.ts'

export interface BrowserManagerOptions extends ConnectionGuardOptions {
  /** Finds the browser of this machine; null where there is none. */
  find?: () => Promise<Browser | null>
  /** What QM_BROWSER holds, for the usual way to find one. */
  setting?: FindBrowserOptions['setting']
  idleMs?: number
  /** Contexts at a time; for one more, the one that is idle for longest is closed. */
  maxContexts?: number
  allowDownloads?: boolean
}

export interface BrowserManager {
  /**
   * Runs `work` with the page of the conversation, one after the other. Throws a BrowserProblem where there is no
   * browser to be had.
   */
  use<T>(conversation: string, signal: AbortSignal, work: (page: ConversationPage) => Promise<T>): Promise<T>
  /** For people and tests: what there is right now. */
  state(): { pid: number | null; contexts: number }
  /** Ends the browser; nothing of it is left. */
  stop(): Promise<void>
}

/** A sentence for the model. */
export class BrowserProblem extends Error {}

interface Running extends GuardedBrowser {
  proxy: GuardedProxy
  entries: Map<string, Entry>
}

interface Entry {
  page: Promise<ConversationPage>
  /** The last call of the conversation, ended or not. */
  tail: Promise<unknown>
  busy: number
  usedAt: number
}

const defaultIdleMs = 10 * 60_000
const defaultContexts = 8

export function createBrowserManager(options: BrowserManagerOptions = {}): BrowserManager {
  const { idleMs = defaultIdleMs, maxContexts = defaultContexts, allowDownloads = false } = options
  const find = options.find ?? (() => findBrowser({ setting: options.setting }))
  const guard = createConnectionGuard(options)
  let running: Promise<Running> | null = null
  let current: Running | null = null
  let stopped = false

  async function start(): Promise<Running> {
    const found = await find()
    if (found === null)
      throw new BrowserProblem(
        'There is no browser on this machine. An owner can set QM_BROWSER to a Chromium or Chrome.',
      )
    const proxy = await startGuardedProxy(guard)
    try {
      const launched = await launchGuarded(found, proxy.server)
      const started: Running = { ...launched, proxy, entries: new Map() }
      const forget = () => {
        if (current === started) {
          current = null
          running = null
        }
        clearInterval(sweeper)
        void proxy.stop()
      }
      const sweeper = setInterval(() => void sweep(started), Math.max(50, Math.min(idleMs / 4, 60_000)))
      sweeper.unref()
      launched.browser.on('disconnected', forget)
      if (stopped) {
        await launched.close()
        throw new BrowserProblem('The browser was stopped.')
      }
      current = started
      return started
    } catch (error) {
      await proxy.stop()
      if (error instanceof BrowserProblem) throw error
      throw new BrowserProblem(
        `The browser could not be started (${firstLine(error)}). An owner can check it with npm run doctor.`,
      )
    }
  }

  function started(): Promise<Running> {
    if (stopped) return Promise.reject(new BrowserProblem('The browser was stopped.'))
    if (running === null) {
      const starting = start()
      running = starting
      starting.catch(() => {
        if (running === starting) running = null
      })
    }
    return running
  }

  async function sweep(of: Running): Promise<void> {
    const limit = performance.now() - idleMs
    for (const [key, entry] of of.entries)
      if (entry.busy === 0 && entry.usedAt <= limit) await closeEntry(of, key, entry)
    if (of.entries.size === 0 && current === of) {
      // Forgotten first: a call that comes now starts another one, instead of one that is ending.
      current = null
      running = null
      await of.close()
    }
  }

  function entryOf(of: Running, key: string): Entry {
    const known = of.entries.get(key)
    if (known) return known
    if (of.entries.size >= maxContexts) {
      const idle = [...of.entries].filter(([, { busy }]) => busy === 0).sort(([, a], [, b]) => a.usedAt - b.usedAt)[0]
      if (!idle)
        throw new BrowserProblem(`The browser is in use by ${maxContexts} other conversations. Try again in a minute.`)
      void closeEntry(of, ...idle)
    }
    const { proxy, browser } = of
    const page = ConversationPage.open(browser, { server: proxy.server, pass: proxy.issuePass(), allowDownloads })
    page.catch(() => of.entries.delete(key))
    const entry: Entry = { page, tail: page, busy: 0, usedAt: performance.now() }
    of.entries.set(key, entry)
    return entry
  }

  return {
    async use(conversation, signal, work) {
      if (signal.aborted) throw new BrowserProblem('Stopped.')
      const of = await orEnded(started(), signal)
      const entry = entryOf(of, conversation)
      entry.busy++
      const before = entry.tail.catch(() => {})
      const turn = before.then(async () => {
        signal.throwIfAborted()
        return work(await entry.page)
      })
      entry.tail = orEnded(turn, signal)
      try {
        return await (entry.tail as Promise<Awaited<ReturnType<typeof work>>>)
      } finally {
        entry.busy--
        entry.usedAt = performance.now()
      }
    },
    state: () => ({ pid: current?.pid ?? null, contexts: current?.entries.size ?? 0 }),
    async stop() {
      stopped = true
      const ending = await running?.catch(() => null)
      running = null
      current = null
      if (!ending) return
      await ending.close()
      await ending.proxy.stop()
    },
  }
}

async function closeEntry(of: Running, key: string, entry: Entry): Promise<void> {
  of.entries.delete(key)
  // A context of a browser that is gone is closed already.
  await entry.page.then((page) => page.close()).catch(() => {})
}

const firstLine = (error: unknown): string =>
  ((error as Error)?.message ?? String(error)).split('\n', 1)[0]?.slice(0, 300) ?? ''
