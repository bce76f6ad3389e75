import { expect, it } from 'vitest'
import { limits } from '../limits.ts'
import { summarizeCall } from './summarize-call.ts'
import { testTool } from './testing.ts'

it('shows every argument of a tool without a summary of its own', () => {
  expect(summarizeCall(testTool(), { path: 'a.txt', lines: [1, 2], deep: { x: null } })).toEqual({
    title: 'Test',
    facts: [
      { label: 'path', value: 'a.txt' },
      { label: 'lines', value: '[1,2]' },
      { label: 'deep', value: '{"x":null}' },
    ],
  })
  expect(summarizeCall(testTool(), {})).toEqual({ title: 'Test' })
})

it('says how much of a long argument is not shown', () => {
  const { facts } = summarizeCall(testTool(), { text: 'x'.repeat(5_000) })
  expect(facts?.[0]?.value).toBe(`${'x'.repeat(limits.cardValueCharacters)}… (5,000 characters in all)`)
})

it('counts the arguments that do not fit on a card', () => {
  const args = Object.fromEntries(Array.from({ length: 100_000 }, (_, index) => [`a${index}`, index]))
  const { facts } = summarizeCall(testTool(), args)
  expect(facts).toHaveLength(limits.cardFacts + 1)
  expect(facts?.at(-1)).toEqual({ label: '…', value: `${100_000 - limits.cardFacts} more arguments` })
})

it("shows the tool's own summary, and the plain arguments where that fails", () => {
  const written = testTool(undefined, {
    summarize: () => ({ title: 'Delete 3 files', recipients: ['ops@example.com'] }),
  })
  expect(summarizeCall(written, {})).toEqual({ title: 'Delete 3 files', recipients: ['ops@example.com'] })
  const broken = [
    () => {
      throw new Error('no')
    },
    () => undefined,
    () => ({ title: '' }),
  ]
  for (const summarize of broken) {
    expect(summarizeCall(testTool(undefined, { summarize: summarize as never }), { a: 1 }).facts).toEqual([
      { label: 'a', value: '1' },
    ])
  }
})

it('escapes what would trick the reader, in every part of the card', () => {
  const summarize = () => ({
    title: 'Run \u202etxt',
    facts: [{ label: 'a\nb', value: 'line\nline\u200b' }],
    diff: { path: 'x\u0000', before: 'a\tb', after: '\u2066' },
    recipients: ['evil\u202e@example.com'],
  })
  expect(summarizeCall(testTool(undefined, { summarize }), {})).toEqual({
    title: 'Run \\u{202e}txt',
    facts: [{ label: 'a\\u{000a}b', value: 'line\nline\\u{200b}' }],
    diff: { path: 'x\\u{0000}', before: 'a\tb', after: '\\u{2066}' },
    recipients: ['evil\\u{202e}@example.com'],
  })
})

it('points out look-alike letters in the arguments', () => {
  const { facts } = summarizeCall(testTool(), { to: 'billing@pаypal.com' })
  expect(facts?.at(-1)).toEqual({ label: 'Look-alike letters', value: 'pаypal (Latin and Cyrillic)' })
})
