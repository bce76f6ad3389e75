// What the audit log and its export are filtered by, by the same names as on the console's page.
import type { Actor, AuditFilter } from '@quartermaster/db'
import { z } from 'zod'
import { momentOf, momentShape, textShape, zoneFor } from '../shapes.ts'

export const auditFilters = {
  q: textShape.optional().describe('Stands in the action, the ids or the data, in any case.'),
  actor: z
    .string()
    .regex(/^(member|agent|system):.{1,200}$/, 'expected who it was, as member:mem_…')
    .optional()
    .describe('Who did it: member:…, agent:… or system:….'),
  action: z
    .string()
    .max(100)
    .regex(/^[a-z][a-z-]*\.([a-z-]+|\*)$/, 'expected an action, as secret.store, or an area, as secret.*')
    .optional()
    .describe('An action, or all of an area: secret.*.'),
  subject: z
    .string()
    .regex(/^[a-z][a-z-]{0,39}:.{1,200}$/, 'expected what it was done to, as agent:agt_…')
    .optional()
    .describe('What it was done to, by kind and id: agent:agt_….'),
  from: momentShape.describe('At this time or later; a day begins in the workspace’s zone.'),
  to: momentShape.describe('Before this time, or on this day at the latest.'),
} as const

type Query = { [Name in keyof typeof auditFilters]?: z.output<(typeof auditFilters)[Name]> }

export async function readAuditFilter(
  workspaceId: string,
  { q, actor, action, subject, from, to }: Query,
): Promise<AuditFilter> {
  const zone = await zoneFor(workspaceId, from, to)
  const filter = {
    text: q?.trim() || undefined,
    actor: actor && (pairOf(actor) as Actor),
    action,
    subject: subject && pairOf(subject),
    from: momentOf(from, zone),
    to: momentOf(to, zone, 1),
  }
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined))
}

const pairOf = (text: string) => {
  const at = text.indexOf(':')
  return { kind: text.slice(0, at), id: text.slice(at + 1) }
}
