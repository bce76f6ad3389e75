import { existsSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type BrowserManager, createBrowserManager } from '../../browser/browser-manager.ts'
import type { AnyTool, ToolContext, ToolResult } from '../../contract.ts'
import { type Sentinel, type Site, startSentinel, startSite } from '../../guard/outbound/sentinel.ts'
import { sampleContext } from '../../testing/sample-tools.ts'
import { describeToolContract } from '../../testing/tool-contract.ts'
import { compileSchema } from '../../validate.ts'
import { createBrowserTools } from './index.ts'

const pages: Record<string, string> = {
  '/': `<title>Home</title><h1>Welcome</h1><p style="display:none">hidden words</p><a id=go href=/next>Go on</a>
    <form action=/search><input name=q placeholder="Search here"><button>Find</button></form><button class=twin>A</button><button class=twin>B</button>`,
  '/next': '<title>Next</title><p>The next page</p>',
  '/long': `<title>Long</title><p>${'word '.repeat(20_000)}</p><div style="height:50000px"></div>`,
  '/windows': '<title>Windows</title><script>for (let i = 0; i < 1000; i++) window.open("/next?" + i)</script>',
  '/popup': '<title>Popup</title><a id=p target=_blank href=/next>Open</a>',
  '/dialogs': '<title>Dialogs</title><script>alert("hello"); confirm("sure?"); prompt("name?")</script><p>After</p>',
  '/loop': '<title>Loop</title><script>for (;;);</script>',
  '/shouts': '<title>Shouts</title><p>x<script>console.log("\\u0001".repeat(1.5e7))</script>',
  '/throws': '<title>Throws</title><p>x<script>throw "\\u0001".repeat(1.5e7)</script>',
  '/tampered':
    '<title>T</title><p>true text</p><script>String.prototype.slice = () => "tampered"; Object.defineProperty(HTMLElement.prototype, "innerText", { get: () => "tampered" })</script>',
}
let site: Site
let sentinel: Sentinel
let manager: BrowserManager
beforeAll(async () => {
  sentinel = await startSentinel()
  site = await startSite((request, response) => {
    const path = new URL(request.url ?? '/', 'http://site').pathname
    if (path === '/hang') return
    if (path === '/to-sentinel')
      return response.writeHead(302, { location: `http://127.0.0.1:${sentinel.port}/` }).end()
    if (path === '/file')
      return response.writeHead(200, { 'content-disposition': 'attachment; filename=a.txt' }).end('file content')
    if (path === '/search')
      return response.end(
        `<title>Results</title><p>You searched ${new URL(request.url ?? '', 'http://site').searchParams.get('q')}</p>`,
      )
    response
      .writeHead(pages[path] === undefined ? 404 : 200, { 'content-type': 'text/html' })
      .end(pages[path] ?? '<title>Gone</title>')
  })
  manager = createBrowserManager({ allowPrivate: [`127.0.0.1:${site.port}`] })
})
afterAll(async () => {
  await manager.stop()
  await Promise.all([site.close(), sentinel.close()])
})

// The contract is declared before the manager is there.
const late: BrowserManager = {
  use: (...args) => manager.use(...args),
  state: () => manager.state(),
  stop: () => manager.stop(),
}
const tools = new Map(createBrowserTools(late).map((tool) => [tool.name.replace('browser.', ''), tool]))
const toolOf = (name: string): AnyTool => tools.get(name) as AnyTool

async function call(name: string, args: object = {}, more: Partial<ToolContext> = {}, of = late): Promise<ToolResult> {
  const tool = createBrowserTools(of).find((each) => each.name === `browser.${name}`) as AnyTool
  const valid = compileSchema(tool.inputSchema).validate(args)
  if (!valid.ok) throw new Error(JSON.stringify(valid.violations))
  return (await tool.execute(valid.value, sampleContext(more))) as ToolResult
}
const open = (path: string, more: Partial<ToolContext> = {}) => call('navigate', { url: `${site.origin}${path}` }, more)

const argumentsOf: Record<string, Record<string, unknown>> = {
  navigate: { url: 'http://127.0.0.1:9/' },
  screenshot: { full_page: true },
  click: { selector: '#go' },
  type: { selector: 'input', text: 'x' },
  content: { format: 'text' },
  eval: { script: '1 + 1' },
}
for (const [name, validArguments] of Object.entries(argumentsOf))
  describeToolContract(toolOf(name), { validArguments, context: { conversationId: 'contract' } })

test('hooks and trust are as the table has them', () => {
  for (const [name, tool] of tools)
    expect([name, tool.hook, tool.untrusted]).toEqual([name, name === 'eval' ? 'confirm' : 'log', true])
})

describe('a visit', () => {
  test('opens, reads, fills in, clicks, evaluates and shows a page', async () => {
    expect((await open('/')).output).toContain('# Home\n\nWelcome')
    const elements = await call('content', { format: 'elements' })
    expect(elements.output).toContain(`link "Go on" → ${site.origin}/next  #go`)
    expect((await call('content')).output).not.toContain('hidden words')
    expect((await call('content', { format: 'html', selector: '#go' })).output).toContain('<a id="go"')
    const typed = await call('type', { selector: 'input[name=q]', text: 'cats', submit: true })
    expect(typed).toMatchObject({ success: true, data: { url: `${site.origin}/search?q=cats`, navigated: true } })
    expect((await call('content')).output).toContain('You searched cats')
    await open('/')
    expect(await call('click', { selector: 'text=Go on' })).toMatchObject({
      data: { url: `${site.origin}/next`, title: 'Next' },
    })
    expect(
      await call('eval', { script: 'const t = await Promise.resolve(document.title); ({ t, n: [1, 2] })' }),
    ).toMatchObject({
      data: { value: { t: 'Next', n: [1, 2] } },
    })
    const shot = await call('screenshot')
    expect(shot.media).toMatchObject([{ mimeType: 'image/png', filename: 'screenshot.png' }])
    expect(
      Buffer.from(shot.media?.[0]?.data ?? '', 'base64')
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
  })

  test('conversations do not share a page', async () => {
    await open('/next')
    expect((await call('content', {}, { conversationId: 'another' })).error).toMatch(/browser\.navigate first/)
  })

  test('long pages are cut, in text and in pictures', async () => {
    await open('/long')
    expect((await call('content', { limit: 100 })).output).toMatch(/more characters: call again with offset 100/)
    expect((await call('screenshot', { full_page: true })).output).toMatch(/8000 are shown/)
  })

  test('a page cannot make the reader see something else', async () => {
    await open('/tampered')
    expect((await call('content')).output).toContain('true text')
  })
})

describe('what goes wrong is said, with the next step', () => {
  test.each([
    ['click', { selector: '#nowhere' }, /No element matches.*browser\.content/],
    ['click', { selector: '.twin' }, /2 elements match/],
    ['click', { selector: '>>>[' }, /is not a selector/],
    ['type', { selector: '#go', text: 'x' }, /not a field/],
    ['content', { selector: '#nowhere' }, /No element matches/],
    ['eval', { script: 'nowhere.to.be.found' }, /ReferenceError/],
    ['eval', { script: 'for (;;);', timeout: 200 }, /did not end within 200 ms|did not answer/],
    ['eval', { script: 'new Promise(() => {})', timeout: 200 }, /did not (?:end|answer)/],
  ])(
    '%s %j',
    async (name, args, error) => {
      await open('/')
      expect((await call(name, args)).error).toMatch(error)
    },
    30_000,
  )

  test.each([
    'file:///etc/passwd',
    'chrome://version',
    'data:text/html,x',
    'view-source:http://example.com',
    'javascript:alert(1)',
    'about:blank',
  ])('%s is not opened', async (url) =>
    expect((await call('navigate', { url })).error).toMatch(/Only http: and https:/),
  )

  test('nothing of this machine is opened, by a redirect either, and only allowed hosts', async () => {
    for (const url of [
      `http://127.0.0.1:${sentinel.port}/`,
      `https://localhost:${sentinel.port}/`,
      `${site.origin}/to-sentinel`,
    ])
      expect((await call('navigate', { url })).error).toMatch(/not on the public internet/)
    expect(sentinel.connections).toBe(0)
    expect((await open('/', { config: { allowed_hosts: ['example.com'] } })).error).toMatch(/not one of the hosts/)
    expect(await open('/')).toMatchObject({ success: true })
  })

  test('a server that never answers, and a page that loops, end within the limit', async () => {
    for (const path of ['/hang', '/loop']) {
      const start = performance.now()
      const result = await call('navigate', { url: `${site.origin}${path}`, timeout: 500 })
      expect([path, result.success]).toEqual([path, false])
      expect(performance.now() - start).toBeLessThan(5_000)
    }
    expect(await open('/next')).toMatchObject({ success: true })
  })

  test('a download is refused, dialogs are dismissed, a window is closed', async () => {
    const file = await open('/file')
    expect(`${file.error} ${file.output}`).toMatch(/download|file instead/i)
    expect((await open('/dialogs')).output).toMatch(/After[\s\S]*asked "hello"; it was dismissed/)
    await open('/popup')
    expect((await call('click', { selector: '#p' })).output).toMatch(/opened a window/)
  })

  test.each([
    ['writes to its console', () => open('/shouts')],
    ['throws', () => open('/throws')],
    ['returns to a script', () => call('eval', { script: '"\\u0001".repeat(1.5e7)', timeout: 20_000 })],
  ])(
    'what a page %s may be too long for us, and ends the browser only',
    async (_what, say) => {
      await open('/next')
      const before = late.state().pid
      await say()
      await expect.poll(() => late.state().pid, { timeout: 20_000 }).not.toBe(before)
      expect(await open('/next')).toMatchObject({ success: true })
    },
    60_000,
  )

  test('a script may return a million characters, which are cut', async () => {
    await open('/next')
    const before = late.state().pid
    const { output } = await call('eval', { script: '"x".repeat(1e6)' })
    expect(output).toMatch(/^x{50000}\n\n\(950000 more characters: return less\.\)$/)
    expect(late.state().pid).toBe(before)
  })

  test('a page that opens a thousand windows leaves none', async () => {
    const start = performance.now()
    const result = await open('/windows')
    expect(performance.now() - start).toBeLessThan(15_000)
    expect(`${result.error} ${result.output}`).toMatch(/window/)
    expect(await open('/next')).toMatchObject({ success: true })
    const count = await manager.use('workspace-1/conversation-1', new AbortController().signal, async (session) => {
      await expect.poll(() => session.current?.context().pages().length, { timeout: 8_000 }).toBe(1)
      return session.current?.context().pages().length
    })
    expect(count).toBe(1)
  }, 40_000)
})

describe('the life of the browser', () => {
  const isThere = (pid: number | null) => pid !== null && existsSync(`/proc/${pid}`)
  const of = (more: object) => createBrowserManager({ allowPrivate: [`127.0.0.1:${site.port}`], ...more })
  const visit = (own: BrowserManager, conversationId: string) =>
    call('navigate', { url: `${site.origin}/next` }, { conversationId }, own)

  test('one that crashed is started anew, and stop leaves no process', async () => {
    const own = of({})
    await visit(own, 'a')
    const first = own.state().pid
    process.kill(first!, 'SIGKILL')
    await expect.poll(() => own.state().pid).toBeNull()
    expect(await visit(own, 'a')).toMatchObject({ success: true })
    const second = own.state().pid
    expect(second).not.toBe(first)
    await own.stop()
    await expect.poll(() => isThere(second)).toBe(false)
    expect((await visit(own, 'a')).error).toMatch(/stopped/)
  })

  test('contexts have a cap, idle ones are closed, and then the browser', async () => {
    const own = of({ idleMs: 400, maxContexts: 2 })
    for (const name of ['a', 'b', 'c']) expect(await visit(own, name)).toMatchObject({ success: true })
    expect(own.state().contexts).toBe(2)
    const { pid } = own.state()
    await expect.poll(() => own.state(), { timeout: 5_000 }).toEqual({ pid: null, contexts: 0 })
    await expect.poll(() => isThere(pid), { timeout: 5_000 }).toBe(false)
    await own.stop()
  })

  test('where there is none it says what to do; allowed downloads arrive as files', async () => {
    expect((await visit(of({ find: async () => null }), 'a')).error).toMatch(/QM_BROWSER/)
    const own = of({ allowDownloads: true })
    const result = await call('navigate', { url: `${site.origin}/file` }, {}, own)
    expect(result.media).toMatchObject([{ filename: 'a.txt', data: Buffer.from('file content').toString('base64') }])
    await own.stop()
  })
})
