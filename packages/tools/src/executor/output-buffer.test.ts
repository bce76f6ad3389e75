import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holdsUnlikePlantedBug } from '../guard/planted-bug.ts'
import { Redactor } from '../guard/redact.ts'
import { cutBytes, OutputBuffer } from './output-buffer.ts'

const write = (limit: number, chunks: readonly (string | Uint8Array)[], redactor: Redactor | null = null) => {
  const buffer = new OutputBuffer(limit, redactor)
  const accepted = chunks.map((chunk) => buffer.append(chunk))
  return { ...buffer.end(), produced: buffer.produced, accepted }
}

it('keeps what fits and counts the rest in bytes', () => {
  expect(write(5, ['abc', 'def', 'ghi'])).toEqual({
    text: 'abcde',
    hiddenBytes: 4,
    produced: 9,
    accepted: [true, false, false],
  })
  expect(write(6, ['abc', 'def'])).toEqual({ text: 'abcdef', hiddenBytes: 0, produced: 6, accepted: [true, true] })
})

it('cuts between characters, never within one', async () => {
  await holdsUnlikePlantedBug(
    cutBytes,
    (text, most) => Buffer.from(text).subarray(0, most).toString(),
    (cut) =>
      fc.assert(
        fc.property(fc.string({ unit: 'grapheme', maxLength: 50 }), fc.nat(80), (text, most) => {
          const kept = cut(text, most)
          expect(text.startsWith(kept)).toBe(true)
          expect(Buffer.byteLength(kept)).toBeLessThanOrEqual(most)
          const next = String.fromCodePoint(text.codePointAt(kept.length) ?? 0)
          if (kept !== text) expect(Buffer.byteLength(kept + next)).toBeGreaterThan(most)
        }),
        { seed: 3, numRuns: 500 },
      ),
  )
})

it('counts every byte, however the output is cut into chunks', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.uint8Array().map((bytes) => Buffer.from(Buffer.from(bytes).toString('latin1'))),
        ),
      ),
      fc.nat(40),
      (chunks, limit) => {
        const { text, hiddenBytes, produced } = write(limit, chunks)
        expect(produced).toBe(chunks.reduce((sum, chunk) => sum + Buffer.byteLength(chunk), 0))
        expect(Buffer.byteLength(text)).toBeLessThanOrEqual(limit)
        if (chunks.every((chunk) => typeof chunk === 'string'))
          expect(Buffer.byteLength(text) + hiddenBytes).toBe(produced)
      },
    ),
  )
})

it('puts characters together that arrive in two chunks', () => {
  const bytes = Buffer.from('é€😀')
  expect(
    write(
      100,
      [...bytes].map((byte) => Uint8Array.of(byte)),
    ).text,
  ).toBe('é€😀')
})

describe('with secrets', () => {
  const secret = 'sk-0123456789abcdef'
  const redactor = () => new Redactor(new Map([['KEY', secret]]))

  it('never shows the first half of one that the limit cuts through', async () => {
    await holdsUnlikePlantedBug(
      (limit: number, text: string) => write(limit, [text], redactor()).text,
      // The bug that is planted: cut first, then redact.
      (limit, text) => redactor().redact(cutBytes(text, limit)),
      (guard) => {
        for (let before = 0; before < 40; before++) {
          const shown = guard(30, `${'.'.repeat(before)}${secret}${'.'.repeat(1_000)}`)
          expect(shown).not.toContain('sk-0')
        }
      },
    )
  })

  it('shows everything else', () => {
    expect(write(1_000, ['token sk-0123', '456789abcdef end'], redactor()).text).toBe('token [redacted:KEY] end')
  })
})

it('holds a gigabyte in the memory of its limit', () => {
  const chunk = Buffer.alloc(1024 * 1024, 'x')
  const before = process.memoryUsage().rss
  const buffer = new OutputBuffer(100 * 1024, new Redactor(new Map([['KEY', 'not-in-there']])))
  let most = 0
  for (let written = 0; written < 1024; written++) {
    buffer.append(chunk)
    if (written % 64 === 0) most = Math.max(most, process.memoryUsage().rss - before)
  }
  const { text, hiddenBytes } = buffer.end()
  expect(text.length).toBe(100 * 1024)
  expect(buffer.produced).toBe(1024 ** 3)
  expect(hiddenBytes).toBeGreaterThan(1024 ** 3 - 200 * 1024)
  expect(most).toBeLessThan(100 * 1024 * 1024)
})
