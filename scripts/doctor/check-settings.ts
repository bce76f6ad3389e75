import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { type Environment, SettingsProblem } from '@quartermaster/db'
import { type BotEnv, parseBotEnv } from '../../apps/bot/src/env.ts'
import { findMistakes, mistakesOf } from '../environment.ts'
import { type Check, ok, problem, warning } from './check.ts'

/** The lines of `.env`: whether each can be understood, and whether each names a setting. */
export function checkDotEnv(root: string): Check {
  const file = join(root, '.env')
  if (!existsSync(file)) return ok('.env', 'There is none: the defaults and the environment count.')
  const text = readFileSync(file, 'utf8')
  const odd = oddLines(text)
  if (odd.length)
    return problem(
      '.env',
      `Line ${odd.join(', ')} cannot be understood.`,
      'Write NAME=value, with quotes around a value that has spaces or "#"; comments begin with "#".',
    )
  const names = Object.keys(parseEnv(text))
  const known = knownNames(root)
  const unknown = names.filter((name) => !known.has(name.replace(/_FILE$/, '')))
  if (unknown.length)
    return warning('.env', `${unknown.join(', ')}: no such setting.`, 'Compare the spelling with .env.example.')
  if (process.platform !== 'win32' && (statSync(file).mode & 0o077) !== 0)
    return warning('.env', 'Other users of this machine can read it, and it may hold secrets.', 'Run "chmod 600 .env".')
  return ok('.env', `${names.length} setting${names.length === 1 ? '' : 's'}, all understood.`)
}

/** Numbers of the lines that are neither empty, nor a comment, nor a setting, nor inside a quoted value. */
export function oddLines(text: string): number[] {
  const odd: number[] = []
  let open: string | null = null
  for (const [index, line] of text.split('\n').entries()) {
    if (open) {
      if (line.includes(open)) open = null
      continue
    }
    if (/^\s*(#.*)?$/.test(line)) continue
    const value = /^\s*(?:export\s+)?[A-Za-z_][A-Za-z0-9_]*\s*=\s*(.*)$/.exec(line)?.[1]
    if (value === undefined) {
      odd.push(index + 1)
      continue
    }
    const quote = /^["'`]/.exec(value)?.[0]
    if (quote && !value.slice(1).includes(quote)) open = quote
  }
  // A quote that never ends has swallowed the rest.
  if (open) odd.push(text.split('\n').length)
  return odd
}

/** .env.example explains every setting, so what it names is what there is. */
const knownNames = (root: string): Set<string> =>
  new Set(
    [...readFileSync(join(root, '.env.example'), 'utf8').matchAll(/^# ([A-Z_]+)=/gm)].map(
      (match) => match[1] as string,
    ),
  )

/**
 * The values of all settings, of both apps and the scripts. What is right is given back, so that one mistake does not
 * hide what else there is to find.
 */
export function checkSettings(environment: Environment): { check: Check; env: BotEnv } {
  let usable = environment
  for (;;) {
    const wrong = mistakesOf(() => parseBotEnv(usable))
    if (!wrong.length) break
    const names = new Set(wrong.map((mistake) => /^[A-Z_]+/.exec(mistake)?.[0].replace(/_FILE$/, '')))
    const rest = Object.entries(usable).filter(([name]) => !names.has(name.replace(/_FILE$/, '')))
    if (rest.length === Object.keys(usable).length) throw new Error('a mistake that names no setting')
    usable = Object.fromEntries(rest)
  }
  const env = parseBotEnv(usable)
  const mistakes = findMistakes(environment)
  if (!mistakes.length) return { check: ok('Settings', 'Every setting has a value that can be used.'), env }
  const { fix } = new SettingsProblem(mistakes)
  return { check: problem('Settings', mistakes.join('\n'), fix), env }
}
