// Conditions on the arguments of a call.
//
// A condition is read in one of two ways. An allow rule must be `surely` met: what is unclear does not count. A deny or
// ask rule counts what is `possibly` met: what cannot be read might be it. `not` turns the reading round, so that "deny
// what is not git status" denies also what nobody can read.
//
// A missing argument meets no condition but `present: false` and `not`. Only own properties are looked at. Of an array,
// `glob`, `host` and `under` need every element to be met surely, and one to be met possibly.
import { posix } from 'node:path'
import { compileGlob } from './glob.ts'
import type { Condition } from './policy-config.ts'
import { type CommandMatcher, compileCommand } from './shell-command.ts'

export type Reading = 'surely' | 'possibly'
export type ArgumentTest = (args: unknown) => boolean

/** null: there are none, so they hold for every call. */
export function compileConditions(conditions: readonly Condition[] | undefined, reading: Reading): ArgumentTest | null {
  if (conditions === undefined || conditions.length === 0) return null
  const tests = conditions.map((condition) => compileCondition(condition, reading))
  return tests.length === 1 ? tests[0]! : (args) => tests.every((test) => test(args))
}

/** Throws a sentence about what is wrong with the condition. */
export function compileCondition(condition: Condition, reading: Reading): ArgumentTest {
  const path = parsePath(condition.path)
  if ('not' in condition) {
    const inner = compileCondition(condition.not, reading === 'surely' ? 'possibly' : 'surely')
    return (args) => !inner(args)
  }
  if ('present' in condition) {
    const { present } = condition
    return (args) => (lookUp(args, path) !== undefined) === present
  }
  if ('command' in condition) return compileCommandCondition(path, compileCommand(condition.command), reading)
  const test = compileValue(condition, reading)
  return (args) => {
    const value = lookUp(args, path)
    return value !== undefined && test(value)
  }
}

function compileValue(condition: Condition, reading: Reading): (value: unknown) => boolean {
  if ('equals' in condition) return (value) => sameJson(value, condition.equals, 0)
  if ('oneOf' in condition) return (value) => condition.oneOf.some((one) => sameJson(value, one, 0))
  if ('max' in condition) return (value) => typeof value === 'number' && value <= condition.max
  if ('glob' in condition) {
    const matches = compileGlob(condition.glob)
    return eachString(reading, matches)
  }
  if ('host' in condition) {
    const hosts = condition.host.map(parseHostPattern)
    return eachString(reading, (value) => {
      const host = hostOf(value, reading)
      if (host === null) return reading === 'possibly'
      return hosts.some((pattern) => (pattern.below ? host.endsWith(pattern.host) : host === pattern.host))
    })
  }
  if ('under' in condition) {
    const folders = condition.under.map(normalise)
    return eachString(reading, (value) => folders.some((folder) => isUnder(value, folder, reading)))
  }
  throw new Error('a condition says one of equals, oneOf, glob, command, host, under, max, present, not')
}

function eachString(reading: Reading, test: (value: string) => boolean): (value: unknown) => boolean {
  const one = (value: unknown) => typeof value === 'string' && test(value)
  return (value) => {
    if (!Array.isArray(value)) return one(value)
    return reading === 'possibly' ? value.some(one) : value.length > 0 && value.every(one)
  }
}

export function parsePath(path: string): readonly string[] {
  if (typeof path !== 'string' || path === '') throw new Error('a condition names the argument it is about in `path`')
  const segments = path.split('.')
  if (segments.includes('')) throw new Error(`the path ${JSON.stringify(path)} has an empty part`)
  return segments
}

/** Own properties only; undefined where there is none. */
export function lookUp(value: unknown, path: readonly string[]): unknown {
  let at: unknown = value
  for (const key of path) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined
    if (Array.isArray(at) && key === 'length') return undefined
    at = (at as Record<string, unknown>)[key]
  }
  return at
}

/** Equal as JSON. Deeper than anybody writes a condition is not equal. */
function sameJson(a: unknown, b: unknown, depth: number): boolean {
  if (a === b) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object' || depth > 32) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const keys = Object.keys(a)
  if (keys.length !== Object.keys(b).length) return false
  return keys.every(
    (key) =>
      Object.hasOwn(b, key) &&
      sameJson((a as Record<string, unknown>)[key], (b as Record<string, unknown>)[key], depth + 1),
  )
}

function parseHostPattern(pattern: string): { host: string; below: boolean } {
  const below = pattern.startsWith('*.')
  const name = below ? pattern.slice(2) : pattern
  const host = name === '' || /[*/@?#\s\\]/.test(name) ? null : hostOf(`https://${name}`, 'surely')
  if (host === null) throw new Error(`${JSON.stringify(pattern)} is not a host, as example.com or *.example.com is`)
  return { host: below ? `.${host}` : host, below }
}

/** As every browser and `fetch` read it, so that what is checked is what is connected to. Without port and final dot. */
function hostOf(value: string, reading: Reading): string | null {
  let url = URL.parse(value)
  // Some tools put the scheme before a bare host themselves.
  if (reading === 'possibly' && !value.includes('://') && (url === null || url.hostname === ''))
    url = URL.parse(`https://${value}`)
  if (url === null || url.hostname === '') return null
  const host = url.hostname.endsWith('.') ? url.hostname.slice(0, -1) : url.hostname
  return host.toLowerCase()
}

const normalise = (path: string): string => {
  const normal = posix.normalize(path === '' ? '.' : path)
  return normal.length > 1 && normal.endsWith('/') ? normal.slice(0, -1) : normal
}

/**
 * By the text of the path; links are followed, and refused, where the file is opened. A path that is written from
 * another start than the folder (absolute and relative, or up and out with `..`) is surely not below it, but possibly.
 */
function isUnder(value: string, folder: string, reading: Reading): boolean {
  if (value.includes('\0') || value.includes('\\') || value.startsWith('~')) return reading === 'possibly'
  const path = normalise(value)
  const climbs = path === '..' || path.startsWith('../')
  const absolute = path.startsWith('/')
  if (absolute === folder.startsWith('/')) {
    if (climbs) return reading === 'possibly'
    return folder === '.' || folder === '/' || path === folder || path.startsWith(`${folder}/`)
  }
  if (reading === 'surely') return false
  if (climbs || folder === '.' || folder === '/') return true
  if (absolute) return `${path}/`.includes(`/${folder}/`)
  // A relative path and an absolute folder: some tail of the folder may be where the path begins.
  const tail = folder.split('/')
  return tail.some((_, at) => at > 0 && `${path}/`.startsWith(`${tail.slice(at).join('/')}/`))
}

/**
 * A command line, or a program with its arguments: `command` as an array, or with an array `args` beside it, as
 * `process.start` takes it.
 */
function compileCommandCondition(path: readonly string[], matcher: CommandMatcher, reading: Reading): ArgumentTest {
  const beside = [...path.slice(0, -1), 'args']
  const test = reading === 'surely' ? matcher.covers : matcher.mayContain
  return (args) => {
    const command = lookUp(args, path)
    if (command === undefined) return false
    const words = Array.isArray(command) ? command : [command]
    const more = lookUp(args, beside)
    if (more !== undefined && !Array.isArray(more)) return reading === 'possibly'
    const all = more === undefined ? words : [...words, ...more]
    if (!all.every((word) => typeof word === 'string')) return reading === 'possibly'
    return Array.isArray(command) || more !== undefined ? test(all[0] ?? '', all.slice(1)) : test(all[0]!)
  }
}
