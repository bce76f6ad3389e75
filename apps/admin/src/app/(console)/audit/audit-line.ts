import type { ListedAuditEvent } from '@quartermaster/db'

/**
 * An event as one line of text: `[2026-11-18T20:00:00.123456Z] SECRET_STORE number=12 actor=member:mem_1 …`. What
 * somebody wrote can neither end the line nor look like more of it: a value with anything but plain characters is a JSON
 * string, in which control characters and those that turn the direction of text are escaped.
 */
export function auditLine(event: ListedAuditEvent): string {
  const { exactAt, action, number, actor, subject, data, hash } = event
  const fields = {
    number,
    actor: `${actor.kind}:${actor.id}`,
    subject: `${subject.kind}:${subject.id}`,
    ...prefixed(data),
    hash,
  }
  const text = Object.entries(fields)
    .map(([name, value]) => `${plain(name)}=${plain(value)}`)
    .join(' ')
  return `[${exactAt}] ${action.toUpperCase().replace(/[^A-Z0-9]+/g, '_')} ${text}`
}

/** What the data calls like one of our own fields must not pose as it. */
const prefixed = (data: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(data).map(([name, value]) => [
      ['number', 'actor', 'subject', 'hash'].includes(name) ? `data.${name}` : name,
      value,
    ]),
  )

function plain(value: unknown): string {
  if (typeof value === 'string' && /^[\w.:@/+-]+$/.test(value)) return value
  return JSON.stringify(value).replace(
    /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu,
    (character) => `\\u{${(character.codePointAt(0) as number).toString(16)}}`,
  )
}
