// Reads a command line for everything it might run: the commands of every list, pipe, subshell, function, loop and
// substitution, what `env`, `sudo` or `xargs` start, and what `sh -c` and `eval` are told, as deep as it goes.
//
// It errs on the side of suspicion. A word that is made by an expansion may be any word, or several; a line that cannot
// be parsed, is too long or too deep, or feeds a shell from a pipe, is opaque: it may run anything. What it cannot see
// is what is in a file: `./deploy.sh` is a program named deploy.sh, whatever it does.
import { forEachChild, parse, type SyntaxNode, type WordPart } from 'unbash'
import { isTreacherous } from './shell-plain.ts'
import { containers, evaluators, isInterpreter, shells, takesOneFirst, wrappers } from './shell-programs.ts'

/** Characters; a longer line counts as everything. */
const longestLine = 64 * 1024
const deepest = 8
const mostCommands = 2_000

/** One word that nobody knows. */
export const ONE = Symbol('one unknown word')
/** Unknown words, any number of them. */
export const MANY = Symbol('any number of unknown words')
export type SuspectWord = string | typeof ONE | typeof MANY

export interface Suspicion {
  /** May run anything. */
  opaque: boolean
  commands: readonly (readonly SuspectWord[])[]
  /** Code of other languages that a command was given. */
  code: readonly string[]
}

/** `args`: words that follow the line as they are, as `process.start` takes them. */
export function suspect(line: string, args: readonly string[] = []): Suspicion {
  const found: Found = { opaque: false, commands: [], code: [], size: 0 }
  readLine(line, 0, found, args)
  return found
}

interface Found {
  opaque: boolean
  commands: (readonly SuspectWord[])[]
  code: string[]
  size: number
}

function readLine(line: string, depth: number, found: Found, args: readonly SuspectWord[] = []): void {
  found.size += line.length
  if (found.opaque) return
  if (depth > deepest || found.size > longestLine || line.includes('\0')) {
    found.opaque = true
    return
  }
  const readable = withPlainSpaces(line)
  try {
    const visit = (node: SyntaxNode): void => {
      if (found.opaque) return
      if (node.type === 'Script' && node.errors?.length) found.opaque = true
      else if ((node.type === 'CommandExpansion' || node.type === 'ProcessSubstitution') && !node.script)
        found.opaque = true
      else if (node.type === 'Command') {
        readAssignments(node, depth, found)
        readCommand([...wordsOf(node), ...args], depth, found)
      }
      forEachChild(node, visit)
    }
    visit(parse(readable))
  } catch {
    found.opaque = true
  }
}

/** A no-break space is no space to a shell, but it is to whoever reads the line, and to some programs. */
function withPlainSpaces(line: string): string {
  let plain = ''
  for (let i = 0; i < line.length; i++) plain += isTreacherous(line.charCodeAt(i)) ? ' ' : line[i]
  return plain
}

type Command = Extract<SyntaxNode, { type: 'Command' }>

/** `GIT_EDITOR='…' git commit`: many programs take a command line from a variable. */
function readAssignments(command: Command, depth: number, found: Found): void {
  if (!command.name) return
  for (const node of command.prefix)
    if (node.type === 'Assignment' && node.value.type === 'Word')
      readStrings(
        [readWord(node.value.value, node.value.parts)].filter((word) => typeof word === 'string'),
        depth,
        found,
      )
}

function wordsOf(command: Command): SuspectWord[] {
  const words: SuspectWord[] = []
  // Git can be configured by its environment.
  const setsGit = command.prefix.some((node) => node.type === 'Assignment' && node.name.startsWith('GIT_CONFIG'))
  if (command.name) words.push(readWord(command.name.value, command.name.parts))
  if (setsGit) words.push(MANY)
  for (const node of command.suffix) {
    if (node.type === 'Word') words.push(readWord(node.value, node.parts))
    else if (node.type === 'Assignment') {
      const value = node.value.type === 'Word' ? readWord(node.value.value, node.value.parts) : MANY
      words.push(typeof value === 'string' ? `${node.name}=${value}` : MANY)
    }
  }
  return words
}

function readWord(value: string, parts: readonly WordPart[] | undefined): SuspectWord {
  if (!parts) return value
  let unknown: SuspectWord | null = null
  for (const part of parts) {
    if (part.type === 'Literal' || part.type === 'SingleQuoted' || part.type === 'AnsiCQuoted') continue
    if (part.type === 'DoubleQuoted' || part.type === 'LocaleString') {
      for (const child of part.parts)
        if (child.type !== 'Literal') unknown = unknown === MANY || /[@*]/.test(child.text) ? MANY : ONE
    } else unknown = MANY
  }
  return unknown ?? value
}

export const baseName = (program: string): string => program.slice(program.lastIndexOf('/') + 1)

function readCommand(words: readonly SuspectWord[], depth: number, found: Found): void {
  if (words.length === 0 || found.opaque) return
  if (found.commands.length >= mostCommands || depth > deepest) {
    found.opaque = true
    return
  }
  const [first, ...rest] = words
  if (typeof first !== 'string') {
    found.opaque = true
    return
  }
  const program = baseName(first).toLowerCase()
  // git-push is git push by its other name.
  if (program.startsWith('git-')) readCommand(['git', program.slice(4), ...rest], depth, found)
  else {
    found.commands.push([program, ...rest])
    readArguments(program, rest, depth, found)
  }
}

/** What a program that runs others is told to run. */
function readArguments(program: string, words: readonly SuspectWord[], depth: number, found: Found): void {
  if (program === 'git') readGit(words, depth, found)
  else if (program === 'alias') readAliases(words, depth, found)
  else if (shells.has(program)) readShell(words, depth, found)
  else if (isInterpreter(program)) readInterpreter(words, found)
  else if (program === 'find' || program === 'fd') {
    words.forEach((word, i) => {
      if (typeof word === 'string' && /^-+(x|X|exec|execdir|ok|okdir|exec-batch)$/.test(word))
        readCommand(words.slice(i + 1), depth + 1, found)
    })
  } else {
    if (evaluators.has(program)) readStrings(program === 'eval' ? [joined(words)] : words, depth, found)
    if (containers.has(program)) {
      words.forEach((word, i) => {
        if (typeof word === 'string') readCommand(words.slice(i), depth + 1, found)
      })
    } else if (wrappers.has(program) || takesOneFirst.has(program)) {
      const fed = program === 'xargs' || program === 'parallel'
      const given = fed ? withInput(words) : words
      for (const start of starts(program, given)) readCommand(given.slice(start), depth + 1, found)
    }
  }
}

/** What xargs runs gets words from its input: at the end, or wherever the words say (`{}`, or what `-I` names). */
function withInput(words: readonly SuspectWord[]): SuspectWord[] {
  const marks = ['{']
  words.forEach((word, i) => {
    if (typeof word !== 'string') return
    const mark = /^(?:-[IiJ]|--replace=?)(.*)$/.exec(word)?.[1] || (/^-[IJ]$/.test(word) ? words[i + 1] : undefined)
    if (typeof mark === 'string' && mark !== '') marks.push(mark)
  })
  const isMarked = (word: SuspectWord) =>
    typeof word === 'string' && !word.startsWith('-') && marks.some((mark) => word.includes(mark))
  return [...words.map((word, i) => (isMarked(word) && !/^-[IJ]$/.test(String(words[i - 1])) ? MANY : word)), MANY]
}

const joined = (words: readonly SuspectWord[]): SuspectWord =>
  words.every((word) => typeof word === 'string') ? words.join(' ') : MANY

/** Where the wrapped command may begin: after options, their values, assignments, and what the wrapper takes first. */
function starts(program: string, words: readonly SuspectWord[]): number[] {
  const found = new Set<number>()
  let toSkip = takesOneFirst.has(program) ? 1 : 0
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!
    if (typeof word !== 'string') {
      found.add(at)
      break
    }
    if (word.startsWith('-') || word.startsWith('+')) {
      // Its value may follow, or already the command.
      const next = words[at + 1]
      if (typeof next === 'string' && !next.startsWith('-')) {
        found.add(at + 1)
        if (at + 2 < words.length) found.add(at + 2)
        at++
      }
      continue
    }
    if (/^[A-Za-z_]\w*=/.test(word)) continue
    found.add(at)
    if (toSkip-- <= 0) break
  }
  return [...found].filter((at) => {
    const word = words[at]
    return typeof word !== 'string' || !word.startsWith('-')
  })
}

/** Arguments that are command lines themselves. */
function readStrings(words: readonly SuspectWord[], depth: number, found: Found): void {
  for (const word of words) {
    if (typeof word !== 'string') found.opaque ||= word === MANY && words.length === 1
    else if (/[\s;&|`$(]/.test(word)) {
      readLine(word, depth + 1, found)
      // `-Sgit push` and `--exec=git push`: an option with its value.
      const value = /^(?:--[\w-]+=|-\w)(.*)$/s.exec(word)?.[1]
      if (value) readLine(value, depth + 1, found)
    }
  }
}

function readShell(words: readonly SuspectWord[], depth: number, found: Found): void {
  if (asksForVersion(words)) return
  const plain = words.filter((word) => typeof word !== 'string' || !/^[-+]/.test(word))
  const takesCode = words.some((word) => typeof word === 'string' && /^-[A-Za-z]*c/.test(word))
  // Without a file it reads commands from wherever its input comes from.
  const readsInput =
    plain.length === 0 || words.some((word) => word === '-' || (typeof word === 'string' && /^-\w*s/.test(word)))
  if (readsInput || (takesCode && plain.some((word) => typeof word !== 'string'))) {
    found.opaque = true
    return
  }
  if (!takesCode && typeof plain[0] !== 'string') found.opaque = true
  for (const word of plain) if (typeof word === 'string') readLine(word, depth + 1, found)
}

function readInterpreter(words: readonly SuspectWord[], found: Found): void {
  if (asksForVersion(words)) return
  const plain = words.filter((word) => typeof word !== 'string' || !word.startsWith('-'))
  if (plain.length === 0 || words.includes('-')) found.opaque = true
  for (const word of words) {
    if (typeof word !== 'string')
      found.opaque ||= words.some((other) => typeof other === 'string' && /^-\w*[ceErp]/.test(other))
    else if (/[\s()!;'"`]/.test(word)) found.code.push(word)
  }
}

const asksForVersion = (words: readonly SuspectWord[]): boolean =>
  words.length === 1 && typeof words[0] === 'string' && /^(--version|-V|-v|--help|-h)$/.test(words[0])

/** Git runs other programs, and other git commands, where it is told to. */
function readGit(words: readonly SuspectWord[], depth: number, found: Found): void {
  words.forEach((word, i) => {
    // What is configured may be a command: an editor, a pager, a transport.
    if (typeof word === 'string' && (words[i - 1] === '-c' || /^-c./.test(word)) && word.includes('='))
      readStrings([word.slice(word.indexOf('=') + 1)], depth, found)
  })
  for (const word of words) {
    if (typeof word !== 'string') continue
    const alias = word.toLowerCase().indexOf('alias.')
    if (alias === 0 || (alias > 0 && word.startsWith('-')) || word.startsWith('--config-env')) {
      found.commands.push(['git', MANY])
      const bang = word.indexOf('!')
      if (bang >= 0) readLine(word.slice(bang + 1), depth + 1, found, [MANY])
    }
  }
  const runs = words.findIndex(
    (word) => typeof word === 'string' && /^(rebase|submodule|bisect|filter-branch|for-each-repo)$/.test(word),
  )
  if (runs < 0) return
  const told = words.slice(runs + 1)
  readStrings(told, depth, found)
  told.forEach((word, i) => {
    if (word === 'run' || word === 'foreach') readCommand(told.slice(i + 1), depth + 1, found)
  })
}

function readAliases(words: readonly SuspectWord[], depth: number, found: Found): void {
  for (const word of words) {
    if (typeof word !== 'string') found.opaque = true
    else if (word.includes('=')) readLine(word.slice(word.indexOf('=') + 1), depth + 1, found, [MANY])
  }
}
