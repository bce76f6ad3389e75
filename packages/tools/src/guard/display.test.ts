import { expect, it } from 'vitest'
import { escapeForDisplay, escapeLinesForDisplay, findMixedScripts } from './display.ts'
import { holdsUnlikePlantedBug } from './planted-bug.ts'

it('shows what is invisible or turns the reading direction', async () => {
  await holdsUnlikePlantedBug(
    escapeForDisplay,
    // The bug that is planted: only ASCII controls are escaped.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: see above.
    (text) => text.replace(/[\u0000-\u001f]/g, (character) => `\\x${character.charCodeAt(0)}`),
    (escaped) => {
      expect(escaped('rm \u202egpj.sh')).toBe('rm \\u{202e}gpj.sh')
      expect(escaped('a\u200bb\u2066c\u{e0041}\ud800')).toBe('a\\u{200b}b\\u{2066}c\\u{e0041}\\u{d800}')
      expect(escaped('\u001b[2Jline\r\nnext\u0085')).toBe('\\u{001b}[2Jline\\u{000d}\\u{000a}next\\u{0085}')
    },
  )
})

it('leaves what people write as it is', () => {
  for (const text of ['naïve café', 'Пример', '日本語 text', '👨👩', 'a — b … “c”'])
    expect(escapeForDisplay(text)).toBe(text)
})

it('keeps lines and tabs where there are several lines', () => {
  expect(escapeLinesForDisplay('a\n\tb\r\n')).toBe('a\n\tb\\u{000d}\n')
})

it('points out words that mix look-alike scripts, and only those', async () => {
  await holdsUnlikePlantedBug(
    findMixedScripts,
    () => [],
    (find) => {
      expect(find('pay at pаypal.com now')).toEqual([{ word: 'pаypal', scripts: ['Latin', 'Cyrillic'] }])
    },
  )
  for (const text of ['paypal', 'Привет world', 'αβγ abc', 'Tシャツ', 'x²']) expect(findMixedScripts(text)).toEqual([])
})
