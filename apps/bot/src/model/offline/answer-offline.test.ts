import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '@quartermaster/db'
import { wrapUntrusted } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { answerOffline, offlineFooter } from './answer-offline.ts'
import { phrases, renderPhraseTable } from './phrases.ts'
import type { RequestBlock, RequestMessage, RequestTool } from './reply.ts'

const tool = (name: string, ...properties: string[]): RequestTool => ({
  name,
  input_schema: { properties: Object.fromEntries(properties.map((property) => [property, {}])) },
})
const tools = [
  tool('file_list', 'path', 'recursive'),
  tool('file_read', 'path'),
  tool('file_grep', 'pattern', 'path'),
  tool('file_write', 'path', 'content'),
  tool('shell_exec', 'command', 'cwd'),
  tool('ask_user', 'question', 'options'),
  tool('memory_add', 'content', 'memory_type'),
  tool('memory_search', 'query', 'limit'),
  tool('web_fetch', 'url'),
  tool('file_edit', 'path', 'search', 'replace'),
  tool('python_exec', 'code'),
  tool('browser_navigate', 'url'),
  tool('browser_screenshot'),
  tool('media_send', 'path'),
  tool('mcp__github__search', 'query'),
]

const ask = (messages: RequestMessage[], given = tools) =>
  answerOffline({ model: 'any', max_tokens: 100, messages, tools: given })
const say = (text: string, given = tools) => ask([{ role: 'user', content: text }], given)
const callsIn = (reply: ReturnType<typeof ask>) => (reply.content ?? []).filter((part) => 'tool' in part)
const textIn = (reply: ReturnType<typeof ask>) =>
  (reply.content ?? []).map((part) => ('text' in part ? part.text : '')).join('')

/** The conversation after a tool was asked for and gave this. */
function afterTool(said: string, result: Partial<RequestBlock>, name = 'file_read'): RequestMessage[] {
  return [
    { role: 'user', content: said },
    { role: 'assistant', content: [{ type: 'tool_use', id: 't1', name, input: {} }] },
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't1', ...result }] },
  ]
}

test.each([
  ['list files', 'file_list', { path: '.' }],
  ['list files in src', 'file_list', { path: 'src' }],
  ['Show me the files in docs.', 'file_list', { path: 'docs' }],
  ['read README.md', 'file_read', { path: 'README.md' }],
  ['search for TODO in src', 'file_grep', { pattern: 'TODO', path: 'src' }],
  ['search for "two words"', 'file_grep', { pattern: 'two words' }],
  ['run npm test -- --bail.', 'shell_exec', { command: 'npm test -- --bail.' }],
  ['write hello world to notes.txt', 'file_write', { path: 'notes.txt', content: 'hello world' }],
  ['write to notes.txt: one\ntwo', 'file_write', { path: 'notes.txt', content: 'one\ntwo' }],
  ['remember that the demo is on Friday', 'memory_add', { content: 'the demo is on Friday', memory_type: 'fact' }],
  ['what do you remember about the demo?', 'memory_search', { query: 'the demo' }],
  ['fetch https://example.com/a?b=c', 'web_fetch', { url: 'https://example.com/a?b=c' }],
  ['open https://example.com', 'web_fetch', { url: 'https://example.com' }],
])('"%s" asks for %s with the values that were said', (said, name, input) => {
  expect(callsIn(say(said))).toEqual([{ tool: name, input }])
})

test('"ask me to choose" asks, with the choices that were said or with its own', () => {
  const options = (said: string) => (callsIn(say(said))[0] as { input: { options: string[] } }).input.options
  expect(options('ask me to choose between tea, coffee and water')).toEqual(['tea', 'coffee', 'water'])
  expect(options('ask me to choose')).toHaveLength(3)
})

test('every example of the table is understood as what its row says', () => {
  for (const phrase of phrases)
    for (const example of phrase.says) {
      const names = phrase.tools.map((name) => name.toLowerCase().replace(/[^a-z0-9]/g, ''))
      const [call] = callsIn(say(example)) as { tool: string }[]
      expect(names, example).toContain(call?.tool.replaceAll('_', ''))
    }
})

test('docs/model.md shows the table as it is', () => {
  expect(readFileSync(join(projectRoot, 'docs/model.md'), 'utf8')).toContain(renderPhraseTable())
})

test('it never asks for a tool that it was not given, and says which one is missing', () => {
  const given = tools.filter(({ name }) => name !== 'shell_exec')
  const reply = say('run npm test', given)
  expect(callsIn(reply)).toEqual([])
  expect(textIn(reply)).toContain('`shell.exec`')
  expect(callsIn(say('run npm test'))).toHaveLength(1)
})

test('a value goes into the argument that the offered tool has for it', () => {
  expect(callsIn(say('read a.txt', [tool('Read', 'file_path'), tool('read_file', 'file_path')]))).toEqual([
    { tool: 'read_file', input: { file_path: 'a.txt' } },
  ])
})

test('lines with an exclamation mark call tools by name, all of one message at once', () => {
  const reply = say('!file.read {"path": "a"}\n!mcp:github:search {"query": "b"}\n!file_list')
  expect(callsIn(reply)).toEqual([
    { tool: 'file_read', input: { path: 'a' } },
    { tool: 'mcp__github__search', input: { query: 'b' } },
    { tool: 'file_list', input: {} },
  ])
})

test('a call by name that cannot be made is explained, and none of its neighbours is made', () => {
  const reply = say('!file.read {"path": "a"}\n!file.burn {}\n!file.list [1]\n!file.grep {oops')
  expect(callsIn(reply)).toEqual([])
  expect(textIn(reply)).toContain('no tool `file.burn`')
  expect(textIn(reply)).toContain('`file.list` is no JSON object')
  expect(textIn(reply)).toContain('`file.grep` is no JSON object')
})

test('steps joined by "then" are done one after the other', () => {
  const said = 'read a.txt, then run npm test'
  expect(callsIn(say(said))).toEqual([{ tool: 'file_read', input: { path: 'a.txt' } }])
  const second = ask(afterTool(said, { content: 'the file' }))
  expect(textIn(second)).toContain('the file')
  expect(callsIn(second)).toEqual([{ tool: 'shell_exec', input: { command: 'npm test' } }])
})

test('a result is repeated in a short final answer, inside a fence it cannot close', () => {
  const reply = ask(afterTool('read a.md', { content: [{ type: 'text', text: '```js\nx\n```' }] }))
  expect(textIn(reply)).toContain('`file_read` returned:\n````\n```js\nx\n```\n````')
  expect(textIn(ask(afterTool('read a', { content: 'x'.repeat(100_000) }))).length).toBeLessThan(2500)
  expect(textIn(ask(afterTool('read a', {})))).toContain('returned nothing')
})

test('a refusal or failure is told as such, and the steps after it are not done', () => {
  const reply = ask(
    afterTool('run rm -rf /, then read a.txt', { content: 'Denied by Ada.', is_error: true }, 'shell_exec'),
  )
  expect(callsIn(reply)).toEqual([])
  expect(textIn(reply)).toContain('`shell_exec` was not done: Denied by Ada.')
  const content = 'no such script\n\nError: Exit code 1'
  const failed = ask(afterTool('run npm test', { content, is_error: true }, 'shell-exec'))
  expect(textIn(failed)).toContain('`shell.exec` failed:\n```\nno such script\n\nError: Exit code 1\n```')
})

test('what strangers wrote is shown to people without the marks that are for models', () => {
  const content = wrapUntrusted('Hello <b>there</b>', 'https://example.com/')
  expect(textIn(ask(afterTool('fetch https://example.com', { content }, 'web-fetch')))).toContain(
    '`web.fetch` returned:\n```\nHello <b>there</b>\n```',
  )
})

test('what a person says while a tool runs is answered after its result', () => {
  const [asked, called, result] = afterTool('read a.txt', { content: 'the file' }) as Required<RequestMessage[]>
  const content = [...(result?.content ?? []), { type: 'text', text: 'list files' }] as RequestBlock[]
  const reply = ask([asked, called, { role: 'user', content }] as RequestMessage[])
  expect(textIn(reply)).toContain('the file')
  expect(callsIn(reply)).toEqual([{ tool: 'file_list', input: { path: '.' } }])
})

test('every final answer ends with the line that says what it is and how to connect a model', () => {
  const finals = [
    say('help'),
    say('what can you do?'),
    say('compose a symphony'),
    say('run npm test', []),
    say('!nothing'),
    ask(afterTool('read a', { content: 'x' })),
    ask(afterTool('read a', { content: 'x', is_error: true })),
  ]
  for (const reply of finals) {
    expect(callsIn(reply)).toEqual([])
    expect(textIn(reply).split('\n').at(-1)).toBe(offlineFooter)
  }
  expect(offlineFooter).toContain('ANTHROPIC_API_KEY')
})

test('help names the tools that were given', () => {
  expect(textIn(say('help'))).toContain('`file_list`')
})

test('the same request has the same answer', () => {
  expect(say('list files in src')).toEqual(say('list files in src'))
})

test('a very long message does not keep it busy', () => {
  const began = performance.now()
  say(`search for ${'a in '.repeat(100_000)}`)
  say(`write ${' to'.repeat(100_000)}`)
  expect(performance.now() - began).toBeLessThan(2000)
})
