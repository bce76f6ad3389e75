import type { Actor, AuditFilter } from '@quartermaster/db'
import { startOfDay } from '../../../day-in-zone.ts'

export const filterNames = ['q', 'actor', 'action', 'subject', 'from', 'to'] as const

type Query = Readonly<Record<string, unknown>>

const pair = (text: unknown) => {
  const found = typeof text === 'string' ? /^([a-z][a-z-]{0,39}):(.{1,200})$/.exec(text) : null
  return found ? { kind: found[1] as string, id: found[2] as string } : null
}
const isActor = (found: { kind: string } | null): found is Actor =>
  found !== null && ['member', 'agent', 'system'].includes(found.kind)

/** The filter of an address; what it does not understand filters nothing. Days are those of the workspace's zone. */
export function parseFilter(query: Query, timezone: string): AuditFilter {
  const [actor, subject] = [pair(query.actor), pair(query.subject)]
  const [from, to] = [startOfDay(query.from, timezone), startOfDay(query.to, timezone, 1)]
  const text = typeof query.q === 'string' ? query.q.trim().slice(0, 200) : ''
  const action =
    typeof query.action === 'string' && /^[a-z][a-z-]*\.([a-z-]+|\*)$/.test(query.action) ? query.action : ''
  return {
    ...(isActor(actor) ? { actor } : {}),
    ...(action ? { action } : {}),
    ...(subject ? { subject } : {}),
    ...(from ? { from } : {}),
    ...(to ? { to } : {}),
    ...(text ? { text } : {}),
  }
}
