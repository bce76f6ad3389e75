// Patterns that name tools: `file.read`, `file.*`, `mcp:github:*`, `group:fs`, `*`, and other systems' names (`Bash`).
//
// All patterns of a policy are compiled into one index of maps. A tool is looked up in it once, by its name, its
// aliases, its prefixes and its groups; what comes out is the list of patterns that match, the most specific first.
// So the cost of a tool does not grow with the number of patterns: 200 patterns over 10,000 tools are 40,000 lookups
// and not 2,000,000 comparisons. There are no regular expressions and no plain objects, so that neither an evil
// pattern nor a tool named `__proto__` can do anything.
import { builtinAliases } from '../builtin-aliases.ts'
import type { AnyTool } from '../contract.ts'
import { builtinGroups } from './groups.ts'
import type { Group } from './policy-config.ts'

export type Pattern =
  | { kind: 'name'; name: string }
  /** Ends in `.` or `:`. */
  | { kind: 'prefix'; prefix: string }
  | { kind: 'group'; group: string }
  | { kind: 'any' }

/**
 * The canonical names an alias stands for: two for `read_file`. A tool carries its aliases itself; this is here so that a
 * deny of `Bash` denies `shell.exec` also where the tool, or a list of bare names, does not say that it is called that.
 */
const meantBy = new Map<string, string[]>()
for (const [canonical, aliases] of builtinAliases)
  for (const { name } of aliases) meantBy.set(name, [...(meantBy.get(name) ?? []), canonical])

/** Characters of a pattern; a longer one is refused. */
const longest = 200

/** Throws a sentence that names the pattern. */
export function parsePattern(text: unknown): Pattern {
  if (typeof text !== 'string') throw new Error(`a pattern is a string, not ${text === null ? 'null' : typeof text}`)
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text)
  if (text === '') throw new Error('the pattern "" is empty')
  if (text.length > longest) throw new Error(`the pattern ${shown} is longer than ${longest} characters`)
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    // Outside of ASCII nothing names a tool, and much looks like something that does.
    if (code <= 0x20 || code >= 0x7f)
      throw new Error(`the pattern ${shown} has a character that no tool's name has, at ${i + 1}`)
  }
  if (text === '*') return { kind: 'any' }
  const star = text.indexOf('*')
  if (text.startsWith('group:')) {
    const group = text.slice('group:'.length)
    if (star >= 0 || group === '' || group.includes(':'))
      throw new Error(`the pattern ${shown} does not name one group, as group:fs does`)
    return { kind: 'group', group }
  }
  if (star < 0) return { kind: 'name', name: text }
  const before = text[star - 1]
  if (star !== text.length - 1 || (before !== '.' && before !== ':') || star < 2)
    throw new Error(
      `the pattern ${shown}: a * stands alone, or at the end after a . or a :, as in file.* or mcp:github:*`,
    )
  return { kind: 'prefix', prefix: text.slice(0, -1) }
}

/** How specific a pattern is: a name before a prefix, a longer prefix before a shorter one, a group before `*`. */
export function specificity(pattern: Pattern): number {
  if (pattern.kind === 'name') return 1000
  if (pattern.kind === 'prefix') return 2 + pattern.prefix.length
  return pattern.kind === 'group' ? 1 : 0
}

/** All tools that the same patterns match are alike to the policy, and share one of these. */
export interface Signature {
  readonly id: number
  /** The patterns that match, the most specific first. */
  readonly patterns: readonly number[]
}

/** A workspace's own groups, by name. */
export type OwnGroups = Readonly<Record<string, Group>>

interface Step {
  next: Map<number, Step> | null
  signature: Signature | null
}

export class PatternIndex {
  readonly #texts: string[] = []
  readonly #ranks: number[] = []
  readonly #ids = new Map<string, number>()
  readonly #byName = new Map<string, number[]>()
  readonly #byPrefix = new Map<string, number[]>()
  /** Words as they are written: other systems' names among them. */
  readonly #byWord = new Map<string, number[]>()
  /** Built-in groups, and those that tools name themselves. Nothing that a tool says puts it into somebody's own. */
  readonly #byGroup = new Map<string, number[]>()
  readonly #own: OwnGroups
  readonly #prefixLengths: boolean[] = []
  #any = -1
  readonly #root: Step = { next: null, signature: null }
  #signatures = 0
  readonly #scratch: number[] = []

  constructor(own: OwnGroups = {}) {
    this.#own = own
  }

  /** The same id for the same text. Every pattern is added before the first tool is looked up. */
  add(text: string): number {
    const known = this.#ids.get(text)
    if (known !== undefined) return known
    const pattern = parsePattern(text)
    const id = this.#texts.length
    this.#ids.set(text, id)
    this.#texts.push(text)
    this.#ranks.push(specificity(pattern))
    if (pattern.kind === 'any') this.#any = id
    else if (pattern.kind === 'group' && Object.hasOwn(this.#own, pattern.group))
      for (const member of this.#own[pattern.group]!.tools) this.#addMember(parsePattern(member), id)
    else this.#addMember(pattern, id)
    return id
  }

  #addMember(pattern: Pattern, id: number): void {
    if (pattern.kind === 'name') {
      push(this.#byWord, pattern.name, id)
      push(this.#byName, pattern.name, id)
      for (const canonical of meantBy.get(pattern.name) ?? []) push(this.#byName, canonical, id)
    } else if (pattern.kind === 'prefix') this.#addPrefix(pattern.prefix, id)
    else if (pattern.kind === 'group') {
      push(this.#byGroup, pattern.group, id)
      for (const member of builtinGroups.get(pattern.group) ?? []) {
        const parsed = parsePattern(member)
        if (parsed.kind === 'prefix') this.#addPrefix(parsed.prefix, id)
        else if (parsed.kind === 'name') push(this.#byName, parsed.name, id)
      }
    }
  }

  get size(): number {
    return this.#texts.length
  }

  get signatures(): number {
    return this.#signatures
  }

  text(id: number): string {
    return this.#texts[id] ?? ''
  }

  rank(id: number): number {
    return this.#ranks[id] ?? 0
  }

  /** What matches a tool. */
  lookUp(tool: AnyTool): Signature {
    return this.lookUpName(tool.name, tool.aliases, tool.groups)
  }

  /** What matches a name of which nothing else is known. */
  lookUpName(name: string, aliases?: AnyTool['aliases'], groups?: readonly string[]): Signature {
    const found = this.#scratch
    found.length = 0
    this.#collect(this.#byName.get(name))
    this.#collectPrefixes(name, '.')
    this.#collectPrefixes(name, ':')
    // What a server calls its tool must not make it one of ours: an MCP tool is matched by its own name only.
    if (aliases !== undefined && !name.startsWith('mcp:'))
      for (const alias of aliases) this.#collectAlias(alias.name, name)
    if (groups !== undefined) for (const group of groups) this.#collect(this.#byGroup.get(group))
    if (this.#any >= 0) found.push(this.#any)
    this.#sort()
    return this.#intern()
  }

  #collectPrefixes(name: string, separator: '.' | ':'): void {
    for (let at = name.indexOf(separator, 1); at > 0; at = name.indexOf(separator, at + 1))
      if (this.#prefixLengths[at + 1]) this.#collect(this.#byPrefix.get(name.slice(0, at + 1)))
  }

  #collect(ids: readonly number[] | undefined): void {
    if (ids === undefined) return
    for (const id of ids) if (!this.#scratch.includes(id)) this.#scratch.push(id)
  }

  /** Only patterns that are this very word: the alias `file.read` of another tool does not put it into `file.*`. */
  #collectAlias(alias: string, name: string): void {
    if (alias !== name) this.#collect(this.#byWord.get(alias))
  }

  #addPrefix(prefix: string, id: number): void {
    push(this.#byPrefix, prefix, id)
    this.#prefixLengths[prefix.length] = true
  }

  #sort(): void {
    const found = this.#scratch
    const ranks = this.#ranks
    for (let i = 1; i < found.length; i++) {
      const id = found[i]!
      const rank = ranks[id]!
      let j = i - 1
      while (j >= 0 && (ranks[found[j]!]! < rank || (ranks[found[j]!]! === rank && found[j]! > id))) {
        found[j + 1] = found[j]!
        j--
      }
      found[j + 1] = id
    }
  }

  #intern(): Signature {
    let step = this.#root
    for (const id of this.#scratch) {
      step.next ??= new Map()
      let next = step.next.get(id)
      if (next === undefined) {
        next = { next: null, signature: null }
        step.next.set(id, next)
      }
      step = next
    }
    step.signature ??= Object.freeze({ id: this.#signatures++, patterns: Object.freeze([...this.#scratch]) })
    return step.signature
  }
}

function push(map: Map<string, number[]>, key: string, id: number): void {
  const ids = map.get(key)
  if (ids === undefined) map.set(key, [id])
  else if (!ids.includes(id)) ids.push(id)
}

/** Whether one pattern matches one tool: for examples and reports, where speed does not matter. */
export function matchesTool(
  text: string,
  tool: Pick<AnyTool, 'name' | 'aliases' | 'groups'>,
  groups?: OwnGroups,
): boolean {
  const index = new PatternIndex(groups)
  index.add(text)
  return index.lookUpName(tool.name, tool.aliases, tool.groups).patterns.length > 0
}
