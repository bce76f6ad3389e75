// Regular expressions of schemas, run on RE2: time linear in the text, whatever the pattern. What ECMAScript means and
// RE2 would read otherwise is rewritten; what RE2 has no linear way for (lookaround, backreferences) is refused here,
// when a tool is registered, and not at its first call.
import { RE2JS } from 're2js'
import { limits } from './limits.ts'

/** Work that is left for one value; `spend` throws when there is none. */
export interface Budget {
  spend(steps: number): void
}

export class LinearRegExp {
  readonly source: string
  readonly #compiled: RE2JS
  readonly #budget: Budget | null
  readonly #size: number

  /** Throws a sentence that names the pattern. */
  constructor(source: string, budget: Budget | null = null) {
    this.source = source
    this.#budget = budget
    this.#compiled = compile(source)
    this.#size = this.#compiled.programSize()
  }

  test(text: string): boolean {
    // Measured: up to 1.3 µs a character for 2,000 instructions, so about 100 instructions a step of 60 ns.
    this.#budget?.spend(1 + (text.length * this.#size) / 100)
    return this.#compiled.test(text)
  }

  /** Ajv keys its table of patterns by this. */
  toString(): string {
    return this.source
  }
}

function compile(source: string): RE2JS {
  const shown = JSON.stringify(source.length > 80 ? `${source.slice(0, 80)}…` : source)
  if (source.length > limits.patternLength)
    throw new Error(`The pattern ${shown} has ${source.length} characters; the limit is ${limits.patternLength}.`)
  let compiled: RE2JS
  try {
    if (!isEcmaScript(source)) throw new Error('it is not a regular expression')
    compiled = RE2JS.compile(toRe2(source))
  } catch (error) {
    const reason = (error as Error).message.replace('error parsing regexp: ', '')
    throw new Error(`The pattern ${shown} cannot be used: ${reason}.`)
  }
  if (compiled.programSize() > limits.patternInstructions)
    throw new Error(`The pattern ${shown} is too large once its repetitions are written out.`)
  return compiled
}

/** With the `u` flag as the specification says, or without, because many servers escape more than `u` allows. */
function isEcmaScript(source: string): boolean {
  for (const flags of ['u', '']) {
    try {
      new RegExp(source, flags)
      return true
    } catch {}
  }
  return false
}

// ECMAScript's white space, and everything but it; RE2's \s is ASCII.
const space = '\\t-\\r \\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
const notSpace =
  '\\x00-\\x08\\x0e-\\x1f!-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'

/** One token of a pattern a step: an escape, a group's opening, or one character. */
const token =
  /\\(?:u\{([0-9a-fA-F]+)\}|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|c([A-Za-z])|([pP])\{([^}]*)\}|(.))|\(\?(<?[=!]|<[^>]*>|.)|[\s\S]/gu

function toRe2(source: string): string {
  let inClass = false
  let translated = ''
  for (const match of source.matchAll(token)) {
    const [text, braced, unit, byte, control, property, category, escaped, group] = match
    const code = braced ?? unit ?? byte
    if (code !== undefined) translated += `\\x{${code}}`
    else if (control) translated += `\\x{${(control.charCodeAt(0) % 32).toString(16)}}`
    else if (property) translated += `\\${property}{${categoryOf(category!)}}`
    else if (escaped) translated += escapeOf(escaped, inClass)
    else if (group && !inClass) translated += groupOf(group)
    else if (text === '[' && inClass) translated += '\\['
    else if (text === '[') {
      inClass = true
      translated += isAnything(source, match.index) ? '[\\x00-\\x{10ffff}' : '['
    } else if (text === '^' && isAnything(source, match.index - 1)) {
      // Said already: the class of everything is spelt `[^]` in ECMAScript.
    } else if (text === ']') {
      inClass = false
      translated += ']'
    } else if (text === '.' && !inClass) translated += '[^\\n\\r\\x{2028}\\x{2029}]'
    else translated += text
  }
  return translated
}

const isAnything = (source: string, at: number) => source.startsWith('[^]', at) && source[at - 1] !== '\\'

function escapeOf(letter: string, inClass: boolean): string {
  if (letter === 's') return inClass ? space : `[${space}]`
  if (letter === 'S') return inClass ? notSpace : `[${notSpace}]`
  if ('dDwWtnrvf'.includes(letter)) return `\\${letter}`
  if (letter === 'b') return inClass ? '\\x08' : '\\b'
  if (letter === 'B' && !inClass) return '\\B'
  if (letter === '0') return '\\x00'
  if (/[1-9k]/.test(letter)) throw new Error('it refers back to a group, which cannot be done in linear time')
  if (/[A-Za-z]/.test(letter)) throw new Error(`it has the unknown escape \\${letter}`)
  // An escaped sign or a letter of another script stands for itself.
  return /[\x20-\x7e]/.test(letter) ? `\\${letter}` : letter
}

function groupOf(kind: string): string {
  if (kind === ':') return '(?:'
  if (/^<?[=!]$/.test(kind)) throw new Error('it looks ahead or behind, which cannot be done in linear time')
  if (/^<[^=!]/.test(kind)) return '('
  throw new Error(`it has the group (?${kind}, which is not supported`)
}

const categories: Readonly<Record<string, string>> = {
  Letter: 'L',
  Lowercase_Letter: 'Ll',
  Uppercase_Letter: 'Lu',
  Titlecase_Letter: 'Lt',
  Modifier_Letter: 'Lm',
  Other_Letter: 'Lo',
  Mark: 'M',
  Nonspacing_Mark: 'Mn',
  Spacing_Mark: 'Mc',
  Number: 'N',
  Decimal_Number: 'Nd',
  digit: 'Nd',
  Letter_Number: 'Nl',
  Other_Number: 'No',
  Punctuation: 'P',
  Symbol: 'S',
  Separator: 'Z',
  Space_Separator: 'Zs',
  Other: 'C',
  Control: 'Cc',
  Format: 'Cf',
  Any: 'Any',
}

/** ECMAScript's long and qualified property names, in RE2's spelling. */
function categoryOf(property: string): string {
  const name = property.replace(/^(?:General_Category|gc|Script|sc)=/, '')
  return Object.hasOwn(categories, name) ? categories[name]! : name
}
