// A condition while it is typed: one line of text for its value, whatever kind it is.
import type { Condition } from '@quartermaster/db'

export const conditionKinds = {
  command: 'runs the command',
  glob: 'matches the text',
  equals: 'is',
  oneOf: 'is one of',
  host: 'is at the host',
  under: 'is under the folder',
  max: 'is at most',
  present: 'is given',
  /** One that this form cannot show otherwise: conditions inside conditions. */
  json: 'as JSON',
} as const

export type ConditionKind = keyof typeof conditionKinds

export interface TypedCondition {
  /** For React alone. */
  key: number
  path: string
  kind: ConditionKind
  not: boolean
  text: string
}

export const hints: Record<ConditionKind, string> = {
  command: 'git push*',
  glob: '*.example.com/*',
  equals: 'production',
  oneOf: 'staging, production',
  host: 'example.com, *.example.com',
  under: 'secrets, /etc',
  max: '100',
  present: '',
  json: '{ "not": … }',
}

let keys = 0
export const newCondition = (path = ''): TypedCondition => ({ key: ++keys, path, kind: 'glob', not: false, text: '' })

export function typeCondition(condition: Condition): TypedCondition {
  const whole: TypedCondition = { key: ++keys, path: condition.path, kind: 'json', not: false, text: '' }
  if ('not' in condition) {
    const inner = typeCondition(condition.not)
    // Of another argument, or twice: as it stands.
    if (inner.not || inner.kind === 'json' || inner.path !== condition.path || 'present' in condition.not)
      return { ...whole, text: JSON.stringify(condition) }
    return { ...inner, not: true }
  }
  const is = (kind: ConditionKind, text: string) => ({ ...whole, kind, text })
  if ('command' in condition) return is('command', condition.command)
  if ('glob' in condition) return is('glob', condition.glob)
  if ('equals' in condition) return is('equals', showValue(condition.equals))
  if ('oneOf' in condition) {
    const shown = condition.oneOf.map(showValue)
    return shown.some((text) => text.includes(','))
      ? is('oneOf', JSON.stringify(condition.oneOf))
      : is('oneOf', shown.join(', '))
  }
  if ('host' in condition) return is('host', condition.host.join(', '))
  if ('under' in condition) return is('under', condition.under.join(', '))
  if ('max' in condition) return is('max', String(condition.max))
  return { ...is('present', ''), not: !condition.present }
}

/** What it says; a value that is none is left as it was typed, for the check to name. */
export function readCondition({ path, kind, not, text }: TypedCondition): Condition {
  const at = path.trim()
  if (kind === 'present') return { path: at, present: !not }
  if (kind === 'json') return parse(text) as Condition
  const inner = readPlain(at, kind, text)
  return not ? { path: at, not: inner } : inner
}

function readPlain(path: string, kind: Exclude<ConditionKind, 'present' | 'json'>, text: string): Condition {
  switch (kind) {
    case 'command':
      return { path, command: text }
    case 'glob':
      return { path, glob: text }
    case 'equals':
      return { path, equals: parse(text) }
    case 'oneOf': {
      const whole = text.trim().startsWith('[') ? parse(text) : undefined
      return { path, oneOf: Array.isArray(whole) ? whole : listOf(text).map(parse) }
    }
    case 'host':
      return { path, host: listOf(text) }
    case 'under':
      return { path, under: listOf(text) }
    case 'max':
      return { path, max: text.trim() === '' ? Number.NaN : Number(text) }
  }
}

const listOf = (text: string) =>
  text
    .split(/[,\n]/)
    .map((each) => each.trim())
    .filter(Boolean)

/** `3`, `true` and `"3"` are JSON; a bare word is a text. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text.trim()
  }
}

/** Shown bare where it reads back as the same. */
function showValue(value: unknown): string {
  return typeof value === 'string' && value === value.trim() && parse(value) === value ? value : JSON.stringify(value)
}
