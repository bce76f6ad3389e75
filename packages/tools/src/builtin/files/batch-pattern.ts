// Which names a batch is about, and what they become. A pattern is a glob, whose wildcards are $1, $2 …, or a regular
// expression between slashes. Both run in linear time.
import { RE2JS } from 're2js'
import { LinearRegExp } from '../../linear-regexp.ts'
import { globToRegExp } from './glob-pattern.ts'

export interface NamePattern {
  matches(name: string): boolean
  replace(name: string, replacement: string): string
}

/** Throws a sentence. */
export function parseNamePattern(pattern: string): NamePattern {
  const expression = /^\/(.+)\/$/s.exec(pattern)?.[1]
  if (expression === undefined && pattern.includes('/'))
    throw new Error('The pattern is about names, without folders. Say which folder with directory, and recursive.')
  const compiled = compileReplacing(expression ?? globToRegExp(pattern, { groups: true }))
  return {
    matches: (name) => compiled.matcher(name).find(),
    replace: (name, replacement) => compiled.matcher(name).replaceFirst(checkGroups(compiled, replacement)),
  }
}

export interface TextPattern {
  /** The new text and how often something was replaced. */
  replace(text: string): { text: string; count: number }
}

/** Throws a sentence. `replace` may name groups with $1 where `find` is a regular expression. */
export function parseTextPattern(find: string, replacement: string, isRegExp: boolean): TextPattern {
  if (!isRegExp)
    return {
      replace(text) {
        const parts = text.split(find)
        return { text: parts.join(replacement), count: parts.length - 1 }
      },
    }
  const compiled = compileReplacing(find, RE2JS.MULTILINE)
  checkGroups(compiled, replacement)
  return {
    replace(text) {
      const matcher = compiled.matcher(text)
      let count = 0
      while (matcher.find()) count++
      return { text: count === 0 ? text : compiled.matcher(text).replaceAll(replacement), count }
    },
  }
}

function compileReplacing(source: string, flags = 0): RE2JS {
  // Says in a sentence what cannot be done in linear time, and holds to the limits.
  const { source: checked } = new LinearRegExp(source)
  return RE2JS.compile(RE2JS.translateRegExp(checked), flags)
}

/** A group that is not there would stay in the name as `$3`. */
function checkGroups(compiled: RE2JS, replacement: string): string {
  for (const [text, digits] of replacement.matchAll(/\$\$|\$(\d{1,2})/g))
    if (digits !== undefined && Number(digits) > compiled.groupCount())
      throw new Error(`The replacement has ${text}, but the pattern has ${compiled.groupCount()} groups.`)
  return replacement
}
