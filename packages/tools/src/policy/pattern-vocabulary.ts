// Every pattern that matches a tool, with how many: what an input of patterns offers, and how it knows, without asking
// anybody, what the word in it would match. What is not in here matches no tool.
import { aliasesOf } from '../builtin-aliases.ts'
import type { AnyTool } from '../contract.ts'
import { builtinGroups } from './groups.ts'
import { type OwnGroups, PatternIndex, parsePattern } from './pattern.ts'

export interface KnownPattern {
  pattern: string
  /** How many tools it matches now; at least one. */
  tools: number
}

export function patternVocabulary(tools: readonly AnyTool[], groups: OwnGroups = {}): KnownPattern[] {
  const words = new Set<string>(['*'])
  for (const group of [...builtinGroups.keys(), ...Object.keys(groups)]) words.add(`group:${group}`)
  for (const tool of tools) {
    words.add(tool.name)
    for (const prefix of prefixesOf(tool.name)) words.add(prefix)
    for (const group of tool.groups ?? []) words.add(`group:${group}`)
    if (!tool.name.startsWith('mcp:'))
      for (const { name } of [...(tool.aliases ?? []), ...aliasesOf(tool.name)]) words.add(name)
  }
  const index = new PatternIndex(groups)
  const counts = new Map<string, number>()
  for (const word of words) if (isPattern(word)) index.add(word)
  for (const tool of tools)
    for (const id of index.lookUp(tool).patterns) counts.set(index.text(id), (counts.get(index.text(id)) ?? 0) + 1)
  return [...counts]
    .map(([pattern, count]) => ({ pattern, tools: count }))
    .sort((a, b) => (a.pattern < b.pattern ? -1 : 1))
}

function* prefixesOf(name: string): Generator<string> {
  for (let at = 1; at < name.length - 1; at++)
    if (name[at] === '.' || name[at] === ':') yield `${name.slice(0, at + 1)}*`
}

/** A tool that a server brought may name its groups as it likes. */
function isPattern(word: string): boolean {
  try {
    parsePattern(word)
    return true
  } catch {
    return false
  }
}
