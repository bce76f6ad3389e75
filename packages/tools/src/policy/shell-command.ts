// Command patterns: `git status*`, `npm run *`, `git push`.
//
// A pattern is words. A `*` in a word stands for any characters of that word; at the end of the pattern it stands for
// any further words too. It is matched in one of two directions, never by the text of the line:
//
// - `covers` is for rules that allow, and for leases. It is true only of ONE simple command, plainly written, whose
//   words match. Anything chained, piped, substituted, redirected, expanded, escaped, put in the background, wrapped
//   (`env`, `sudo`, `sh -c`), or prefixed with an assignment is not covered, and neither are options that have the
//   program do something else (`git -c alias.status=!rm status`), unless the pattern spells them out.
// - `mayContain` is for rules that deny or ask. It is true if any command anywhere in the line may match: after `;`, in
//   a substitution, inside `sh -c '…'`, behind `sudo`, in quotes, made by an expansion. Options between the words do
//   not hide it (`git -C x push`). What cannot be read counts as matching.
//
// So of one pattern both may be true, or neither; and a line for which only `mayContain` holds asks or is denied.
import { compileGlob } from './glob.ts'
import { isPlainWord, readPlainLine } from './shell-plain.ts'
import { isEscape, shells, startsPrograms, wrappers } from './shell-programs.ts'
import { baseName, MANY, ONE, type SuspectWord, type Suspicion, suspect } from './shell-suspicion.ts'

export interface CommandMatcher {
  /** `args`: words that follow as they are, where the program gets them without a shell. */
  covers(line: string, args?: readonly string[]): boolean
  mayContain(line: string, args?: readonly string[]): boolean
}

interface CommandPattern {
  words: readonly { text: string; wild: boolean; matches(word: string): boolean }[]
  /** Further words may follow. */
  open: boolean
}

const longestPattern = 500

/** Throws a sentence that names the pattern. */
export function parseCommandPattern(pattern: unknown): CommandPattern {
  if (typeof pattern !== 'string') throw new Error(`a command pattern is a string, not ${typeof pattern}`)
  const shown = JSON.stringify(pattern)
  const texts = pattern.split(' ').filter((word) => word !== '')
  if (texts.length === 0) throw new Error('the command pattern is empty')
  if (pattern.length > longestPattern)
    throw new Error(`the command pattern is longer than ${longestPattern} characters`)
  for (const character of pattern)
    if (!/[\w@%+=:,./^~* -]/.test(character))
      throw new Error(
        `the command pattern ${shown} has ${JSON.stringify(character)}; it is made of words and *, and matches one command`,
      )
  if (texts[0]!.startsWith('-') || texts[0]!.includes('='))
    throw new Error(`the command pattern ${shown} does not begin with a program`)
  const open = texts.at(-1)!.endsWith('*')
  if (texts.at(-1) === '*') texts.pop()
  return { open, words: texts.map((text) => ({ text, wild: text.includes('*'), matches: compileGlob(text) })) }
}

export function compileCommand(text: string): CommandMatcher {
  const pattern = parseCommandPattern(text)
  return {
    covers: (line, args) => covers(pattern, line, args),
    mayContain: (line, args) => mayContain(pattern, line, args),
  }
}

/** Why a pattern can never cover anything; null where it can. For the check of an allow rule. */
export function neverCovers(text: string): string | null {
  const program = parseCommandPattern(text).words[0]?.text
  if (program === undefined || !wrappers.has(baseName(program))) return null
  return `the command pattern ${JSON.stringify(text)} can allow nothing: ${baseName(program)} runs other commands`
}

function covers(pattern: CommandPattern, line: string, args: readonly string[] = []): boolean {
  const read = plainly(line)
  if (read === null || !args.every(isPlainWord)) return false
  const words = args.length === 0 ? read : [...read, ...args]
  const program = baseName(words[0]!)
  if (wrappers.has(program)) return false
  if (shells.has(program) && (words.length < 2 || /^[-+]/.test(words[1]!))) return false
  if (words.length < pattern.words.length || (!pattern.open && words.length > pattern.words.length)) return false
  return words.every((word, i) => {
    const expected = pattern.words[i]
    if (expected && !expected.matches(word)) return false
    return (expected && !expected.wild) || !isEscape(program, word, i)
  })
}

function mayContain(pattern: CommandPattern, line: string, args: readonly string[] = []): boolean {
  const suspicion = suspiciously(line, args)
  if (suspicion.opaque) return true
  if (suspicion.commands.some((words) => mayMatch(pattern, words))) return true
  if (suspicion.code.length === 0) return false
  const program = pattern.words[0]
  return suspicion.code.some((code) => {
    const text = code.toLowerCase()
    return (
      program === undefined ||
      program.wild ||
      text.includes(baseName(program.text).toLowerCase()) ||
      startsPrograms.some((name) => text.includes(name))
    )
  })
}

/** Every way to leave out options, and one value after each, is tried at once: `reached[i]`: i words are matched. */
function mayMatch(pattern: CommandPattern, words: readonly SuspectWord[]): boolean {
  const wanted = pattern.words
  const [program, ...rest] = words
  if (typeof program !== 'string') return true
  const first = wanted[0]
  if (first === undefined) return true
  const name = baseName(first.text).toLowerCase()
  if (!(first.wild ? compileGlob(name)(program) : name === program)) return false
  let reached = new Set([1])
  let next = new Set<number>()
  for (const word of rest) {
    if (pattern.open && reached.has(wanted.length)) return true
    const now = reached
    reached = next
    next = new Set()
    for (const i of now) {
      const expected = wanted[i]
      if (word === MANY) for (let more = i; more <= wanted.length; more++) reached.add(more)
      else if (word === ONE) reached.add(Math.min(i + 1, wanted.length))
      else {
        if (expected?.matches(word)) reached.add(i + 1)
        if (word.startsWith('-')) {
          reached.add(i)
          next.add(i)
        }
      }
    }
  }
  return reached.has(wanted.length)
}

// Several rules look at the same line one after the other.
let lastPlain: { line: string; words: readonly string[] | null } | null = null
const plainly = (line: string): readonly string[] | null => {
  if (lastPlain?.line !== line) lastPlain = { line, words: readPlainLine(line) }
  return lastPlain.words
}

let lastSuspicion: { line: string; suspicion: Suspicion } | null = null
const suspiciously = (line: string, args: readonly string[]): Suspicion => {
  if (args.length > 0) return suspect(line, args)
  if (lastSuspicion?.line !== line) lastSuspicion = { line, suspicion: suspect(line) }
  return lastSuspicion.suspicion
}
