// File patterns: `*` and `?` within a name, `**` across folders, `[a-z]`, `{ts,tsx}`. They become linear-time regular
// expressions, because a model writes them.

/** Characters of a pattern; a longer one is refused. */
const mostCharacters = 1_000

/** The source of a regular expression, anchored. With `groups`, each wildcard is a group: $1, $2 … Throws a sentence. */
export function globToRegExp(glob: string, { groups = false } = {}): string {
  if (glob.length > mostCharacters) throw new Error(`The pattern has more than ${mostCharacters} characters.`)
  const open = groups ? '(' : '(?:'
  let source = ''
  let braces = 0
  for (let at = 0; at < glob.length; at++) {
    const character = glob[at]!
    if (character === '*') {
      const isDouble = glob[at + 1] === '*'
      const startsName = at === 0 || glob[at - 1] === '/'
      if (isDouble) while (glob[at + 1] === '*') at++
      if (isDouble && startsName && glob[at + 1] === '/') {
        source += `${open}(?:[^/]+/)*)`
        at++
      } else source += isDouble && startsName && at + 1 === glob.length ? `${open}[^]*)` : `${open}[^/]*)`
    } else if (character === '?') source += `${open}[^/])`
    else if (character === '[') {
      const end = classEnd(glob, at)
      if (end < 0) throw new Error(`The pattern ${glob} has a [ without its ]. Write \\[ for the sign itself.`)
      source += `${open}${classOf(glob.slice(at + 1, end))})`
      at = end
    } else if (character === '{') {
      braces++
      source += open
    } else if (character === '}' && braces > 0) {
      braces--
      source += ')'
    } else if (character === ',' && braces > 0) source += '|'
    else if (character === '\\' && at + 1 < glob.length) source += literal(glob[++at]!)
    else source += literal(character)
  }
  if (braces > 0) throw new Error(`The pattern ${glob} has a { without its }. Write \\{ for the sign itself.`)
  return `^${source}$`
}

/** `]` right after the opening, or after its negation, is a member. */
function classEnd(glob: string, at: number): number {
  const first = at + (/[!^]/.test(glob[at + 1] ?? '') ? 2 : 1)
  return glob.indexOf(']', first + 1)
}

function classOf(inner: string): string {
  const isNegated = /^[!^]/.test(inner)
  const members = (isNegated ? inner.slice(1) : inner).replace(/[\\[\]^]/g, '\\$&')
  // A class never reaches across folders.
  return isNegated ? `[^/${members}]` : `[${members}]`
}

const literal = (character: string) => character.replace(/[\\^$.*+?()[\]{}|/]/, '\\$&')

/** The folders that a pattern begins with by name, and what is left of it. */
export function splitGlob(glob: string): { folder: string; rest: string } {
  const names = glob.split('/')
  let plain = 0
  while (plain < names.length - 1 && !/[*?[\]{}\\]/.test(names[plain]!)) plain++
  return { folder: names.slice(0, plain).join('/'), rest: names.slice(plain).join('/') }
}
