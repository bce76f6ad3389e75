// The page of one conversation: its own cookies, its own pass through the proxy, one window. What a page does beside
// that (windows, dialogs, downloads) is answered here, and what a reader should know of it is noted.
import type { Browser, BrowserContext, Download, Page } from 'playwright-core'
import type { Media } from '../contract.ts'
import type { ProxyPass } from './guarded-proxy.ts'
import { runPageScript } from './page-script.ts'

export interface ConversationPageOptions {
  server: string
  pass: ProxyPass
  allowDownloads: boolean
}

/** Windows that a page may open (they are closed at once) before it is closed itself. */
const mostWindows = 20
/** Windows of a page that was closed for them go on arriving; they are not the next page's. */
const aftermathMs = 5_000
const mostNotes = 10
const downloadBytes = 10 * 1024 * 1024

export class ConversationPage {
  readonly pass: ProxyPass
  readonly #context: BrowserContext
  readonly #allowDownloads: boolean
  #page: Page | null = null
  /** A window that we open ourselves is announced like any other. */
  #opening = 0
  #windows = 0
  #aftermathUntil = 0
  #notes: string[] = []
  #downloads: Promise<Media | null>[] = []

  private constructor(context: BrowserContext, { pass, allowDownloads }: ConversationPageOptions) {
    this.#context = context
    this.pass = pass
    this.#allowDownloads = allowDownloads
    context.setDefaultTimeout(10_000)
    context.on('page', (page) => {
      if (page !== this.#page && this.#opening === 0) this.#refuseWindow(page)
    })
  }
  static async open(browser: Browser, options: ConversationPageOptions): Promise<ConversationPage> {
    const { server, pass } = options
    const context = await browser.newContext({
      proxy: { server, username: pass.username, password: pass.password, bypass: '<-loopback>' },
      acceptDownloads: options.allowDownloads,
      viewport: { width: 1280, height: 800 },
      permissions: [],
    })
    return new ConversationPage(context, options)
  }

  /** Null where none was opened yet, or it crashed, or was closed for what it did. */
  get current(): Page | null {
    return this.#page !== null && !this.#page.isClosed() ? this.#page : null
  }

  /** For a navigation: the window there is, or a new one. */
  async ready(): Promise<Page> {
    this.#windows = 0
    const current = this.current
    if (current !== null) return current
    this.#opening++
    try {
      const page = await this.#context.newPage()
      this.#page = page
      // Windows that the last page opened just now were taken for ours.
      for (const other of this.#context.pages()) if (other !== page) this.#refuseWindow(other)
      page.on('crash', () => this.#drop(page, 'The page crashed. Open it again with browser.navigate.'))
      page.on('dialog', (dialog) => {
        // "Leave this page?" is the one that has to be said yes to: otherwise the page keeps the window.
        const answered = dialog.type() === 'beforeunload' ? dialog.accept() : dialog.dismiss()
        void answered.catch(() => {})
        if (dialog.type() !== 'beforeunload')
          this.note(`The page asked "${dialog.message().slice(0, 200)}"; it was dismissed.`)
      })
      page.on('download', (download) => this.#takeDownload(download))
      return page
    } finally {
      this.#opening--
    }
  }

  /** Whether the page still does anything at all: one that loops for ever does not. */
  async answers(): Promise<boolean> {
    const page = this.current
    if (page === null) return false
    return runPageScript(page, 'true', { timeoutMs: 500, world: 'own' }).then(Boolean, () => false)
  }

  /** Closes the page; the next navigation opens another one. */
  async discard(): Promise<void> {
    const page = this.#page
    this.#page = null
    await page?.close().catch(() => {})
  }

  note(line: string): void {
    if (this.#notes.length < mostNotes) this.#notes.push(line)
  }

  takeNotes(): string[] {
    return this.#notes.splice(0)
  }

  /** A navigation that turns out to be a download fails a moment before the download is announced. */
  async downloadBegins(ms: number): Promise<boolean> {
    for (const end = performance.now() + ms; performance.now() < end && this.#downloads.length === 0; )
      await new Promise((resolve) => setTimeout(resolve, 20))
    return this.#downloads.length > 0
  }

  get allowsDownloads(): boolean {
    return this.#allowDownloads
  }

  async takeDownloads(): Promise<Media[]> {
    const files = await Promise.all(this.#downloads.splice(0))
    return files.filter((file) => file !== null)
  }

  async close(): Promise<void> {
    this.pass.revoke()
    await this.#context.close()
  }

  #refuseWindow(page: Page): void {
    void page.close().catch(() => {})
    if (performance.now() < this.#aftermathUntil) return
    this.#windows++
    if (this.#windows > mostWindows) {
      this.#aftermathUntil = performance.now() + aftermathMs
      if (this.#page) this.#drop(this.#page, `The page opened more than ${mostWindows} windows, and was closed.`)
      return
    }
    const url = page.url()
    const where = /^https?:/.test(url) ? ` at ${url.slice(0, 300)} (open it with browser.navigate)` : ''
    if (this.#windows <= 3) this.note(`The page opened a window${where}; it was closed.`)
  }

  #drop(page: Page, why: string): void {
    if (this.#page !== page) return
    this.#page = null
    this.note(why)
    void page.close().catch(() => {})
  }

  #takeDownload(download: Download): void {
    const name = download.suggestedFilename().slice(0, 200)
    if (!this.#allowDownloads) {
      this.note(`A download (${name}) was refused: downloads are not allowed here.`)
      void download.cancel().catch(() => {})
      return
    }
    if (this.#downloads.length < 5) this.#downloads.push(this.#readDownload(download, name))
  }

  async #readDownload(download: Download, filename: string): Promise<Media | null> {
    try {
      const chunks: Buffer[] = []
      let size = 0
      for await (const chunk of await download.createReadStream()) {
        size += chunk.length
        if (size > downloadBytes) {
          this.note(`The download ${filename} is larger than ${downloadBytes} bytes, and was left out.`)
          return null
        }
        chunks.push(chunk)
      }
      return { mimeType: 'application/octet-stream', data: Buffer.concat(chunks).toString('base64'), filename }
    } catch {
      this.note(`The download ${filename} did not come through.`)
      return null
    } finally {
      await download.delete().catch(() => {})
    }
  }
}
