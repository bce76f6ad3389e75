import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { holdsUnlikePlantedBug } from './planted-bug.ts'
import { Redactor, StreamingRedactor } from './redact.ts'

const value = 'ghp_R4nd0m/Secret+Value="quoted" \\ é'
const secrets = (secret: string = value) => new Map([['TOKEN', secret]])
const redact = (text: string, secret: string = value) => new Redactor(secrets(secret)).redact(text)
const base64 = (text: string) => Buffer.from(text).toString('base64')
const wrapAt = (width: number, text: string) => text.replace(new RegExp(`.{${width}}`, 'g'), '$&\n')
const percentEverything = (text: string) =>
  Array.from(Buffer.from(text), (byte) => `%${byte.toString(16).padStart(2, '0')}`).join('')

const forms: Record<string, (secret: string) => string> = {
  raw: (secret) => secret,
  base64: base64,
  'base64, one byte in': (secret) => base64(`x${secret}yy`),
  'base64, two bytes in': (secret) => base64(`xx${secret}y`),
  'base64 for URLs': (secret) => Buffer.from(`xx${secret}`).toString('base64url'),
  'base64 in lines of 76': (secret) => wrapAt(76, base64(`user:${secret}${secret}`)),
  'base64 in lines of 16': (secret) => wrapAt(16, base64(secret)),
  hex: (secret) => Buffer.from(secret).toString('hex'),
  'hex in capitals': (secret) => Buffer.from(secret).toString('hex').toUpperCase(),
  'a hex dump in columns': (secret) => Buffer.from(secret).toString('hex').replace(/../g, '$& '),
  'URL-encoded': encodeURIComponent,
  'URL-encoded in lower case': (secret) => encodeURIComponent(secret).replace(/%../g, (byte) => byte.toLowerCase()),
  'form-encoded': (secret) => new URLSearchParams({ secret }).toString(),
  'JSON-escaped': (secret) => JSON.stringify({ secret }),
  'JSON within JSON': (secret) => JSON.stringify(JSON.stringify({ secret })),
  'escaped as Unicode': (secret) =>
    Array.from(secret, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  'HTML-escaped': (secret) => secret.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;'),
  'HTML-escaped by number': (secret) => Array.from(secret, (character) => `&#${character.codePointAt(0)};`).join(''),
}

/** What a thief would do with the output: undo every encoding and look for the value. */
function reveals(output: string, secret: string): boolean {
  const squeezed = output.replace(/\s/g, '')
  const views = [output, undoEntities(output), undoEscapes(output), undoEscapes(undoEscapes(output))]
  for (const spelled of [output, output.replaceAll('+', ' ')]) {
    try {
      views.push(decodeURIComponent(spelled))
    } catch {}
  }
  for (const run of squeezed.match(/[A-Za-z0-9+/_-]{8,}/g) ?? []) {
    for (const start of [0, 1, 2, 3]) views.push(Buffer.from(run.slice(start), 'base64').toString())
    for (const start of [0, 1]) views.push(Buffer.from(run.slice(start), 'hex').toString())
  }
  return views.some((view) => view.includes(secret))
}
const undoEntities = (text: string) =>
  text
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replaceAll('&lt;', '<')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&')
const undoEscapes = (text: string) =>
  text.replace(/\\(?:u([0-9a-f]{4})|(.))/g, (_, code, plain) =>
    code ? String.fromCharCode(parseInt(code, 16)) : plain,
  )

describe('a secret in the output', () => {
  for (const [form, encode] of Object.entries(forms)) {
    it(`is not shown when it is ${form}`, async () => {
      await holdsUnlikePlantedBug(
        (text: string) => redact(text),
        // The bug that is planted: only the value as it stands is replaced.
        (text) => (form === 'raw' ? text : text.replaceAll(value, '[redacted]')),
        (guard) => {
          const output = guard(`before ${encode(value)} after`)
          expect(reveals(output, value)).toBe(false)
          expect(output).toContain('[redacted:TOKEN]')
          expect(output.startsWith('before ')).toBe(true)
          expect(output.endsWith(' after')).toBe(true)
        },
      )
    })
  }

  it('is not shown when every byte of an ASCII value is percent-encoded', () => {
    expect(redact(percentEverything('plain-ascii-token'), 'plain-ascii-token')).toBe('[redacted:TOKEN]')
  })

  it('is not shown line by line when it has several', () => {
    const key = '-----BEGIN KEY-----\nMIIEvQIBADANBg\nkqhkiG9w0BAQEF\n-----END KEY-----'
    const output = redact('the second line is kqhkiG9w0BAQEF.', key)
    expect(output).toBe('the second line is [redacted:TOKEN].')
  })

  it('leaves everything else as it was', () => {
    const text = 'nothing here: ghp_R4nd0m/Secret, 100% \\ \\u00e9 and %41 + %zz'
    expect(redact(text)).toBe(text)
    expect(redact(value)).toBe('[redacted:TOKEN]')
  })

  it('replaces a short value only where it is a whole word', () => {
    expect(redact('pin 1234, not 12345 nor x1234', '1234')).toBe('pin [redacted:TOKEN], not 12345 nor x1234')
  })

  it('is named after the longest where one value contains another', () => {
    const redactor = new Redactor(
      new Map([
        ['SHORT', 'abcdefgh'],
        ['LONG', 'abcdefgh-ijklmnop'],
      ]),
    )
    expect(redactor.redact('abcdefgh-ijklmnop abcdefgh')).toBe('[redacted:LONG] [redacted:SHORT]')
    expect([...redactor.found]).toEqual(['LONG', 'SHORT'])
  })

  it('is taken out of data, keys too, without touching prototypes', () => {
    const redactor = new Redactor(secrets('top-secret'))
    const data = JSON.parse('{"a":["top-secret",1,null],"top-secret":{"__proto__":"top-secret"}}')
    expect(JSON.stringify(redactor.redactAll(data))).toBe(
      '{"a":["[redacted:TOKEN]",1,null],"[redacted:TOKEN]":{"__proto__":"[redacted:TOKEN]"}}',
    )
  })

  it('costs nothing where there are none', () => {
    const redactor = new Redactor(new Map())
    const data = { a: 1 }
    expect(redactor.idle).toBe(true)
    expect(redactor.redactAll(data)).toBe(data)
  })
})

it('shows no value of any sort, in no form, within any text', () => {
  const character = fc.oneof(
    { arbitrary: fc.constantFrom(...'abcXYZ019-_./+= "\\\n\t%&<>\''), weight: 4 },
    { arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 }), weight: 1 },
  )
  const anyValue = fc.array(character, { minLength: 8, maxLength: 60 }).map((characters) => characters.join(''))
  const text = fc.string({ maxLength: 20 })
  fc.assert(
    fc.property(anyValue, fc.constantFrom(...Object.keys(forms)), text, text, (secret, form, before, after) => {
      fc.pre(secret.trim().length >= 8 && !before.includes(secret) && !after.includes(secret))
      const output = redact(`${before} ${forms[form]?.(secret)} ${after}`, secret)
      expect(reveals(output, secret), `${form}: ${output}`).toBe(false)
    }),
    { numRuns: 2_000 },
  )
})

describe('a secret that arrives in pieces', () => {
  const pieces = (text: string, cuts: readonly number[]) => {
    const redactor = new StreamingRedactor(new Redactor(secrets()))
    let shown = ''
    let from = 0
    for (const at of [...cuts].sort((a, b) => a - b)) {
      shown += redactor.push(text.slice(from, at))
      from = Math.max(from, at)
    }
    return shown + redactor.push(text.slice(from)) + redactor.end()
  }

  it('is not shown wherever the pieces are cut, in whatever form', async () => {
    const each = Object.values(forms)
    const arbitrary = fc.record({
      form: fc.constantFrom(...each),
      before: fc.nat(3_000),
      after: fc.nat(3_000),
      cuts: fc.array(fc.nat(7_000), { maxLength: 30 }),
    })
    const plantedBug = (text: string, cuts: readonly number[]) => {
      let shown = ''
      let from = 0
      for (const at of [...cuts].sort((a, b) => a - b)) {
        shown += redact(text.slice(from, at))
        from = Math.max(from, at)
      }
      return shown + redact(text.slice(from))
    }
    await holdsUnlikePlantedBug(pieces, plantedBug, (guard) =>
      fc.assert(
        fc.property(arbitrary, ({ form, before, after, cuts }) => {
          const text = `${'.'.repeat(before)} ${form(value)} ${'.'.repeat(after)}`
          const output = guard(text, cuts)
          expect(reveals(output, value)).toBe(false)
          expect(output.startsWith('.'.repeat(before))).toBe(true)
          expect(output.endsWith('.'.repeat(after))).toBe(true)
        }),
        { numRuns: 300, seed: 7 },
      ),
    )
  })

  it('is held back in bounded memory, byte by byte', () => {
    const redactor = new Redactor(secrets())
    const stream = new StreamingRedactor(redactor)
    let shown = 0
    let most = 0
    for (let index = 0; index < 200_000; index++) {
      shown += stream.push('a').length
      most = Math.max(most, index + 1 - shown)
    }
    expect(most).toBeLessThanOrEqual(redactor.reach * 2)
    expect(shown + stream.end().length).toBe(200_000)
  })
})
