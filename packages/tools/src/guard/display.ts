// What a person sees before they approve must be what will run: characters that are invisible, that turn the reading
// direction or that move the cursor are shown as their code, and words that mix look-alike scripts are pointed out.
// Markup is the platform renderer's business, which knows what its platform takes for markup.

// Control characters, soft hyphen, zero-width, direction marks, Arabic letter mark, Hangul fillers, line separators,
// interlinear anchors, variation selectors of the supplement, tag characters, lone surrogates.
const hidden =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what it is looking for.
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: single characters are meant, not what they combine to.
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb\ud800-\udfff]|[\u{e0000}-\u{e0fff}]/gu

/** One line for a card. */
export const escapeForDisplay = (text: string): string => text.replace(hidden, showCode)

/** Several lines: line feeds and tabs stay. */
export const escapeLinesForDisplay = (text: string): string =>
  text.replace(hidden, (character) => (character === '\n' || character === '\t' ? character : showCode(character)))

const showCode = (character: string): string =>
  `\\u{${(character.codePointAt(0) as number).toString(16).padStart(4, '0')}}`

// Scripts whose letters pass for Latin ones. Han, kana and Hangul stand beside Latin in ordinary writing.
const scripts: [name: string, pattern: RegExp][] = [
  ['Latin', /\p{Script=Latin}/u],
  ['Cyrillic', /\p{Script=Cyrillic}/u],
  ['Greek', /\p{Script=Greek}/u],
  ['Armenian', /\p{Script=Armenian}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Coptic', /\p{Script=Coptic}/u],
  ['Lisu', /\p{Script=Lisu}/u],
]

export interface MixedWord {
  word: string
  scripts: string[]
}

/** Words such as `pаypal` with a Cyrillic `а`; at most `most` of them. */
export function findMixedScripts(text: string, most = 10): MixedWord[] {
  const found: MixedWord[] = []
  // biome-ignore lint/suspicious/noControlCharactersInRegex: almost every text is ASCII and has none.
  if (/^[\u0000-\u007f]*$/.test(text)) return found
  for (const [word] of text.matchAll(/[\p{L}\p{M}\p{N}_]+/gu)) {
    const mixed = scripts.filter(([, pattern]) => pattern.test(word)).map(([name]) => name)
    if (mixed.length < 2) continue
    found.push({ word: word.length > 60 ? `${word.slice(0, 60)}…` : word, scripts: mixed })
    if (found.length === most) break
  }
  return found
}
