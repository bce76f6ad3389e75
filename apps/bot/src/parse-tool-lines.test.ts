import { expect, test } from 'vitest'
import { parseToolLines } from './parse-tool-lines.ts'

test('a tool by hand is its name and a JSON object, several of them are several lines', () => {
  expect(parseToolLines('!file.read {"path": "a"}')).toEqual([{ name: 'file.read', input: { path: 'a' } }])
  expect(parseToolLines(' ! file.list\n\n!mcp:github:search {"q": 1}\n')).toEqual([
    { name: 'file.list', input: {} },
    { name: 'mcp:github:search', input: { q: 1 } },
  ])
})

test('arguments may go over several lines', () => {
  expect(parseToolLines('!file.write {\n  "path": "a",\n  "content": "!b"\n}')).toEqual([
    { name: 'file.write', input: { path: 'a', content: '!b' } },
  ])
})

test('arguments that are no JSON object are told apart from a text that is no call at all', () => {
  expect(parseToolLines('!file.list [1]')).toEqual([{ name: 'file.list', input: null }])
  expect(parseToolLines('!file.grep {oops')).toEqual([{ name: 'file.grep', input: null }])
  for (const text of ['', 'hello', '!', '!wow, that is good', '!file.list\nand then?', 'run !file.list {}', '!!'])
    expect(parseToolLines(text), text).toBeNull()
})
