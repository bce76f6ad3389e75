// Which commands "Approve for this thread" speaks for: those that begin with the same program and sub-command, in the same
// folder, and are plainly written. A person who approves `npm test` for the thread did not approve `npm publish`, and not
// `npm test; curl …` either. Of everything else the lease is for that very command.
import type { LeaseScope } from '../../contract.ts'
import { isPlainWord, readPlainLine } from '../../policy/shell-plain.ts'
import { isEscape } from '../../policy/shell-programs.ts'

/** Programs whose second word says what they do. Of any other the words that follow may be all that matters (`rm`). */
const withSubCommands: ReadonlySet<string> = new Set(
  'git npm pnpm yarn bun deno cargo go make just gradle mvn dotnet pip pip3 uv poetry bundle rake mix composer gh turbo'.split(
    ' ',
  ),
)

/** Their sub-command is only the beginning: what they run is the third word. */
const runners: ReadonlySet<string> = new Set(['run', 'run-script'])

/** What they run is whatever follows, so that no beginning of it says enough. */
const runAnything: ReadonlySet<string> = new Set(['exec', 'x', 'dlx', 'eval', 'config', 'alias', 'set'])

/** `args`: words that the program gets as they are, without a shell. */
export function leaseOfCommand(command: string, cwd: string | undefined, args?: readonly string[]): LeaseScope {
  const prefix = prefixOf(command, args)
  return {
    key: JSON.stringify([prefix ? 'prefix' : 'command', prefix ?? [command, args ?? null], cwd ?? '.']),
    words: prefix ? `\`${prefix.join(' ')} …\` in this folder` : 'this very command in this folder',
  }
}

function prefixOf(command: string, args: readonly string[] = []): readonly string[] | null {
  const read = readPlainLine(command)
  if (!read || !args.every(isPlainWord)) return null
  const words = [...read, ...args]
  const [program = '', subCommand = ''] = words
  if (!withSubCommands.has(program) || runAnything.has(subCommand)) return null
  const prefix = words.slice(0, runners.has(subCommand) ? 3 : 2)
  const isWhole = prefix.length === (runners.has(subCommand) ? 3 : 2) && prefix.slice(1).every(isName)
  if (!isWhole) return null
  // An option may change what the sub-command does (`git push --force`). What follows `--` is for what it runs.
  const rest = words.slice(prefix.length)
  const own = rest.slice(0, rest.includes('--') ? rest.indexOf('--') : undefined)
  if (own.some((word) => word.startsWith('-') || word.includes('='))) return null
  return words.some((word, at) => isEscape(program, word, at)) ? null : prefix
}

const isName = (word: string): boolean => /^[A-Za-z][\w:.-]*$/.test(word)
