// How long a person waits for a page: the first one of all, which starts the browser, and the next ones; through the
// tool, the proxy and the guard, beside a plain Chromium without any of them.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createBrowserManager, findBrowser } from '@quartermaster/tools'
import { sampleContext } from '@quartermaster/tools/testing'
import { chromium } from 'playwright-core'
import { createNavigateTool } from '../../packages/tools/src/builtin/browser/navigate.ts'
import { type Bench, percentile, timeEach } from './measure.ts'

const starts = 5
const times = 40

const bench: Bench = {
  about: `opening a page of this machine: ${starts} first ones, ${times} next ones, in ms`,
  async run() {
    const server = createServer((_request, response) =>
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Page</title><p>Hello</p>'),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const port = (server.address() as AddressInfo).port
    const durations = {
      first: [] as number[],
      next: [] as number[],
      plainFirst: [] as number[],
      plainNext: [] as number[],
    }
    // The packaged browser is unpacked once for all.
    const found = await findBrowser()
    if (!found) throw new Error('there is no browser')
    for (let start = 0; start < starts; start++) {
      const manager = createBrowserManager({ allowPrivate: [`127.0.0.1:${port}`] })
      const tool = createNavigateTool(manager)
      const visit = async (index: number) => {
        const result = await tool.execute(
          { url: `http://127.0.0.1:${port}/${index}`, timeout: 20_000 },
          sampleContext(),
        )
        if (!('success' in result) || !result.success) throw new Error('the page was not opened')
      }
      durations.first.push(...(await timeEach(1, visit)))
      durations.next.push(...(await timeEach(times / starts, visit)))
      await manager.stop()
      let plain: Awaited<ReturnType<typeof chromium.launch>> | null = null
      const [first] = await timeEach(1, async () => {
        plain = await chromium.launch({ executablePath: found.executablePath, args: found.args, env: found.env })
        const page = await plain.newPage()
        await page.goto(`http://127.0.0.1:${port}/`)
        durations.plainNext.push(
          ...(await timeEach(times / starts, (index) => page.goto(`http://127.0.0.1:${port}/${index}`))),
        )
      })
      const spent = durations.plainNext.slice(-times / starts).reduce((sum, each) => sum + each, 0)
      durations.plainFirst.push((first as number) - spent)
      await (plain as { close(): Promise<void> } | null)?.close()
    }
    server.closeAllConnections()
    server.close()
    const figures = (list: number[]) => ({ p50: percentile(list, 0.5), p95: percentile(list, 0.95) })
    return [
      { what: 'first browser.navigate', figures: figures(durations.first) },
      { what: 'first page, plain Chromium', figures: figures(durations.plainFirst) },
      { what: 'next browser.navigate', figures: figures(durations.next) },
      { what: 'next page, plain Chromium', figures: figures(durations.plainNext) },
    ]
  },
}
export default bench
