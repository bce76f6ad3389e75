// Reads a command line that is plainly one simple command, and nothing that needs thinking about.
//
// Words are runs of harmless characters, or are quoted as a whole or in part without anything that a shell looks into
// within quotes. Everything else - operators, expansions, escapes, assignments, comments, newlines, control and
// look-alike characters - makes the line not plain. Two readers must agree: this one, which knows only what is
// harmless, and the parser of the whole language. So a mistake in one of them does not let a command through.
import { parse } from 'unbash'

/** Characters; a longer line is nobody's `git status`. */
const longestLine = 8 * 1024

/** The words of a plain line; null where it is not plain. */
export function readPlainLine(line: string): readonly string[] | null {
  if (line.length > longestLine) return null
  const words: string[] = []
  let at = 0
  while (at < line.length) {
    if (line[at] === ' ') {
      at++
      continue
    }
    const word = readWord(line, at)
    if (word === null) return null
    // A name in quotes is a disguise, and one with `=` is an assignment.
    if (words.length === 0 && (word.quoted || word.value.includes('='))) return null
    words.push(word.value)
    at = word.end
  }
  return words.length > 0 && parserAgrees(line, words) ? words : null
}

/** Whether a word that reaches the program as it is would reach it so through a shell too. */
export const isPlainWord = (word: string): boolean => {
  for (let i = 0; i < word.length; i++) if (!isPlain(word, i)) return false
  return word !== ''
}

function readWord(line: string, start: number): { value: string; end: number; quoted: boolean } | null {
  let value = ''
  let quoted = false
  let at = start
  while (at < line.length && line[at] !== ' ') {
    const quote = line[at]!
    if (quote === '"' || quote === "'") {
      const end = line.indexOf(quote, at + 1)
      if (end < 0) return null
      const inside = line.slice(at + 1, end)
      if (!isHarmlessInQuotes(inside, quote)) return null
      value += inside
      quoted = true
      at = end + 1
    } else if (isPlain(line, at)) value += line[at++]
    else return null
  }
  return { value, end: at, quoted }
}

function isPlain(line: string, at: number): boolean {
  const code = line.charCodeAt(at)
  if (isAlphanumeric(code)) return true
  const character = line[at]!
  if ('_@%+=:,./-'.includes(character)) return true
  // HEAD~1 and HEAD^ are harmless; a ~ at the start of a word, after = or after : is somebody's home.
  if (character === '~' || character === '^')
    return at > 0 && (isAlphanumeric(line.charCodeAt(at - 1)) || line[at - 1] === '^' || line[at - 1] === '~')
      ? line[at - 1] !== '~' || at > 1
      : false
  return false
}

const isAlphanumeric = (code: number): boolean =>
  (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)

function isHarmlessInQuotes(text: string, quote: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < 0x20 || isTreacherous(code)) return false
    if (quote === '"' && (code === 0x24 || code === 0x60 || code === 0x5c || code === 0x21)) return false
  }
  return true
}

/** Looks like a space, like nothing, or turns the line round; or half of a character. */
export const isTreacherous = (code: number): boolean =>
  (code >= 0x7f && code <= 0xa0) ||
  code === 0xad ||
  code === 0x1680 ||
  code === 0x180e ||
  (code >= 0x2000 && code <= 0x200f) ||
  (code >= 0x2028 && code <= 0x202f) ||
  (code >= 0x205f && code <= 0x206f) ||
  code === 0x3000 ||
  code === 0x3164 ||
  code === 0xfeff

function parserAgrees(line: string, words: readonly string[]): boolean {
  const script = parse(line)
  const statement = script.commands[0]
  if (script.errors?.length || script.shebang || script.commands.length !== 1 || statement?.background) return false
  const command = statement?.command
  if (command?.type !== 'Command' || command.prefix.length > 0 || command.redirects.length > 0) return false
  if (command.name?.value !== words[0] || command.suffix.length !== words.length - 1) return false
  return command.suffix.every((node, i) => {
    if (node.type === 'Word') return node.value === words[i + 1]
    // `export A=b`: a declaration, whose parts are plain as well.
    return false
  })
}
