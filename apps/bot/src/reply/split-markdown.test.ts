import { describe, expect, test } from 'vitest'
import { splitMarkdown } from './split-markdown.ts'

const split = (markdown: string, messageLength = 300) => splitMarkdown(markdown, { messageLength, maxParts: 10_000 })
const words = (count: number, word = 'word') => Array.from({ length: count }, (_, index) => `${word}${index}`).join(' ')

/** Open fences at the end of a text, read the way CommonMark reads them. */
function openFence(text: string): string | null {
  let open: string | null = null
  for (const line of text.split('\n')) {
    const marker: string | undefined = /^[ \t>]*(`{3,20}(?!`)|~{3,20}(?!~))/.exec(line)?.[1]
    if (!marker) continue
    if (open === null) {
      if (!(marker[0] === '`' && line.slice(line.indexOf(marker) + marker.length).includes('`'))) open = marker
    } else if (marker[0] === open[0] && marker.length >= open.length && /^[ \t>]*[`~]+[ \t]*$/.test(line)) open = null
  }
  return open
}

test('a text that fits stays as it is, and one of nothing but space is no message', () => {
  expect(split('One.\n\n\n\nTwo.')).toEqual({ parts: ['One.\n\n\n\nTwo.'], attachment: null })
  expect(split(' \n\n ')).toEqual({ parts: [], attachment: null })
})

test('a long text is broken between its paragraphs', () => {
  const [first, second, third] = [words(30, 'a'), words(40, 'b'), words(35, 'c')]
  expect(split(`${first}\n\n${second}\n\n${third}`).parts).toEqual([`${first}\n\n${second}`, third])
})

test('a paragraph that is too long is broken after a sentence, else between words', () => {
  const sentence = `${words(35)}. `
  for (const part of split(sentence.repeat(4).trim()).parts) expect(part).toMatch(/\.$/)
  for (const part of split(words(400)).parts) expect(part).toMatch(/^word\d+( word\d+)*$/)
})

test('a code fence is closed at the end of a message and opened again with its language in the next', () => {
  const code = Array.from({ length: 40 }, (_, index) => `  const line${index} = ${index}`)
  const { parts } = split(`Look:\n\n\`\`\`ts title="a b"\n${code.join('\n')}\n\`\`\`\n\nDone.`)
  expect(parts.length).toBeGreaterThan(2)
  expect(parts[0]).toContain('```ts title="a b"\n')
  for (const part of parts) expect(openFence(part)).toBeNull()
  for (const part of parts.slice(1, -1)) expect(part).toMatch(/^```ts\n[\s\S]*\n```$/)
  const lines = parts.flatMap((part) => part.split('\n').filter((line) => line.startsWith('  const')))
  expect(lines).toEqual(code)
})

test('a fence in a list, in a quote, of tildes, or with a fence inside stays whole', () => {
  for (const [open, close] of [
    ['   ```js', '   ```'],
    ['> ```js', '> ```'],
    ['~~~', '~~~'],
    ['````md\n```js\ninner\n```', '````'],
  ]) {
    const body = Array.from({ length: 30 }, (_, index) => `> row ${index} of the code`).join('\n')
    const { parts } = split(`${open}\n${body}\n${close}\n\nafter`)
    expect(parts.length).toBeGreaterThan(1)
    for (const part of parts) expect(openFence(part)).toBeNull()
  }
})

test('a fence that the model never closed is closed', () => {
  for (const part of split(`\`\`\`py\n${'x = 1\n'.repeat(200)}`).parts) expect(openFence(part)).toBeNull()
})

test('a block that fits into a message is not torn', () => {
  const list = Array.from({ length: 12 }, (_, index) => `- item ${index}`).join('\n')
  const table = ['| a | b |', '|---|---|', ...Array.from({ length: 10 }, (_, index) => `| ${index} | x |`)].join('\n')
  const fence = `\`\`\`\n${'code\n'.repeat(30)}\`\`\``
  for (const block of [list, table, fence])
    expect(split(`${words(35)}\n\n${block}\n\n${words(30)}`).parts.filter((part) => part.includes(block))).toHaveLength(
      1,
    )
})

test('a table that is too long is broken between rows, and each piece has the head', () => {
  const rows = Array.from({ length: 40 }, (_, index) => `| row${index} | value |`)
  const { parts } = split(['| name | value |', '| --- | --- |', ...rows].join('\n'))
  expect(parts.length).toBeGreaterThan(1)
  for (const part of parts) expect(part).toMatch(/^\| name \| value \|\n\| --- \| --- \|\n\| row/)
  expect(parts.flatMap((part) => part.split('\n').slice(2))).toEqual(rows)
})

test('a list that is too long is broken between its items', () => {
  const items = Array.from({ length: 20 }, (_, index) => `${index}. first line\n   second line of ${index}`)
  const { parts } = split(items.join('\n'))
  expect(parts.length).toBeGreaterThan(1)
  for (const part of parts) expect(part).toMatch(/^\d+\. first line/)
  expect(parts.join('\n')).toBe(items.join('\n'))
})

test('a line is not broken where the rest of it would open a fence', () => {
  for (const marker of ['```js', '~~~'])
    for (let shift = 1; shift <= 12; shift++)
      // The marker comes to stand just before, at and behind the end of the first message.
      for (const part of split(`${'x'.repeat(shift)} ${'word '.repeat(58)}${marker} ${'word '.repeat(58)}`).parts)
        expect(openFence(part)).toBeNull()
})

test('a heading goes with what it is the heading of', () => {
  const { parts } = split(`${words(35)}\n\n## Heading\n\n${words(30, 'b')}`)
  expect(parts).toEqual([words(35), `## Heading\n\n${words(30, 'b')}`])
})

test('a word that is longer than a message is cut between characters, never within one', () => {
  const { parts } = split('😀'.repeat(1_000), 301)
  expect(parts.join('')).toBe('😀'.repeat(1_000))
  for (const part of parts) expect(part.isWellFormed()).toBe(true)
})

test('an answer for too many messages comes as its beginning and a file with all of it', () => {
  const text = Array.from({ length: 60 }, (_, index) => words(30, `p${index}w`)).join('\n\n')
  const { parts, attachment } = splitMarkdown(text, { messageLength: 300, maxParts: 4 })
  expect(parts).toHaveLength(4)
  expect(parts[0]).toContain('p0w0')
  expect(parts[3]).toContain('answer.md')
  expect(attachment).toEqual({ filename: 'answer.md', mimeType: 'text/markdown', text })
  expect(splitMarkdown(words(100), { messageLength: 300, maxParts: 4 }).attachment).toBeNull()
})

describe('whatever a model writes', () => {
  // A generator of its own with a seed, so that a failure can be had again.
  function random(seed: number): () => number {
    let state = seed + 0x6d2b79f5
    return () => {
      state = Math.imul(state ^ (state >>> 15), state | 1)
      state ^= state + Math.imul(state ^ (state >>> 7), state | 61)
      return ((state ^ (state >>> 14)) >>> 0) / 4_294_967_296
    }
  }

  function write(next: () => number): string {
    const pick = <T>(list: readonly T[]) => list[Math.floor(next() * list.length)] as T
    let id = 0
    const word = () =>
      pick(['alpha', 'ünïcode', '漢字', '😀x', '`tick`', '**bold**', 'a|b', '#', '-', '~~~x', 'e.', '```in```']) + id++
    const line = (most: number) =>
      Array.from({ length: Math.floor(next() * most) + 1 }, word).join(pick([' ', ' ', '  ']))
    const lines = (most: number, each: () => string) =>
      Array.from({ length: Math.floor(next() * most) + 1 }, each).join('\n')
    const blocks: (() => string)[] = [
      () => line(120),
      () => lines(6, () => line(20)),
      () => `## ${line(6)}`,
      () => lines(30, () => `${pick(['- ', '  - ', '1. ', '   '])}${line(12)}`),
      () => `| ${word()} | ${word()} |\n|---|---|\n${lines(30, () => `| ${line(5)} | ${word()} |`)}`,
      () =>
        `\`\`\`${pick(['', 'ts', 'a very long line of words after it'])}\n${lines(40, () => pick(['', '    ', '\t']) + line(14))}\n\`\`\``,
      () => `~~~~\n${lines(10, () => pick(['```js', '```', '~~~', line(9)]))}\n~~~~`,
      () => `> ${line(10)}\n> \`\`\`\n${lines(20, () => `> ${line(6)}`)}\n> \`\`\``,
      () => `\`\`\`\n${lines(20, () => line(10))}`,
    ]
    return Array.from({ length: Math.floor(next() * 12) + 1 }, () => pick(blocks)()).join(
      pick(['\n\n', '\n\n', '\n', '\n\n\n']),
    )
  }

  test('every part is within the limit, stands by itself, and no word is lost or cut', () => {
    for (let seed = 0; seed < 1_500; seed++) {
      const next = random(seed)
      const text = write(next)
      const limit = 300 + Math.floor(next() * 1_500)
      const { parts } = split(text, limit)
      const wanted = text.match(/[^\s|>]*\d+/g) ?? []
      const kept = new Set(parts.flatMap((part) => part.match(/[^\s|>]*\d+/g) ?? []))
      for (const part of parts) {
        if (part.length > limit) expect.fail(`seed ${seed}: ${part.length} > ${limit}`)
        if (!part.trim() || !part.isWellFormed()) expect.fail(`seed ${seed}: an empty or broken part`)
        if (parts.length > 1 && openFence(part)) expect.fail(`seed ${seed}: an open fence in\n${part}`)
      }
      for (const word of wanted) if (!kept.has(word)) expect.fail(`seed ${seed}: lost ${word}`)
    }
  })

  test('the order of the words is kept', () => {
    for (let seed = 0; seed < 300; seed++) {
      const text = write(random(seed)).replace(/\||~~~x/g, '')
      const numbers = (joined: string) => (joined.match(/\d+(?=\s|$)/g) ?? []).filter((each) => each !== '1').join(' ')
      expect(numbers(split(text, 400).parts.join('\n')), `seed ${seed}`).toBe(numbers(text))
    }
  })
})

test.each([
  ['one word', 'x'.repeat(1_000_000)],
  ['spaces', `a${' '.repeat(1_000_000)}b|`],
  ['short lines', 'a\n'.repeat(500_000)],
  ['open fences', '```\n~~~\n'.repeat(120_000)],
  ['a fence of one line', `\`\`\`\n${'word '.repeat(200_000)}`],
  ['a list', '- item\n'.repeat(140_000)],
  ['a table', `| a | b |\n|---|---|\n${'| 1 | 2 |\n'.repeat(100_000)}`],
  ['dividers', `${'| - : '.repeat(160_000)}x`],
  ['headings', '# a\n\n'.repeat(200_000)],
  ['backticks', '`'.repeat(1_000_000)],
])('a megabyte of %s takes no more than linear time', (_name, text) => {
  const started = performance.now()
  split(text, 4_000)
  // Linear is some tens of milliseconds; anything quadratic is minutes.
  expect(performance.now() - started).toBeLessThan(5_000)
})
