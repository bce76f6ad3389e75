import type { ListedAuditEvent } from '@quartermaster/db'
import { z } from 'zod'
import { data } from '../../data.ts'
import { runtime } from '../../runtime.ts'
import { endpoint } from '../endpoint.ts'
import { iso, limitShape, nextShape, timeShape } from '../shapes.ts'
import { streamLines } from '../stream-rows.ts'
import { auditFilters, readAuditFilter } from './audit-filters.ts'
import { verifyInSteps } from './verify-in-steps.ts'

const auditEventShape = z
  .strictObject({
    number: z.int().describe('Without gaps in the workspace.'),
    at: timeShape,
    actor: z.strictObject({ kind: z.enum(['member', 'agent', 'system']), id: z.string() }),
    action: z.string().describe('As secret.store, tool.attach, member.sign-in.'),
    subject: z.strictObject({ kind: z.string(), id: z.string() }),
    data: z.record(z.string(), z.unknown()),
    hash: z.string().describe('SHA-256 of the event and of the hash before it.'),
  })
  .meta({ id: 'AuditEvent' })

const renderEvent = ({ number, at, actor, action, subject, data: about, hash }: ListedAuditEvent) => ({
  ...{ number, at: iso(at), actor, action, subject, data: about, hash },
})

const access = { area: 'Audit', role: 'admin', scope: 'audit', method: 'GET' } as const

export const listAudit = endpoint({
  ...access,
  path: '/api/audit',
  summary: 'List audit events',
  description:
    'The newest first. With `q` a page that is not full can still have a `next`: so many events were looked at, and it goes on from there.',
  query: z.strictObject({
    ...auditFilters,
    limit: limitShape,
    after: z
      .string()
      .regex(/^\d{1,15}$/, 'expected the `next` of the page before.')
      .optional()
      .describe('The `next` of the page before.'),
  }),
  answer: {
    status: 200,
    description: 'A page of events.',
    schema: z.strictObject({ events: z.array(auditEventShape), next: nextShape }),
  },
  work: async ({ caller: { workspaceId }, query: { limit, after, ...query } }) => {
    const filter = await readAuditFilter(workspaceId, query)
    const before = after === undefined ? null : Number(after)
    const { events, next } = await data.listAuditEvents(runtime().db, { workspaceId, filter, before, limit })
    return { events: events.map(renderEvent), next: next === null ? null : String(next) }
  },
})

export const verifyAudit = endpoint({
  ...access,
  path: '/api/audit/verification',
  summary: 'Verify the audit log',
  description:
    'Computes the whole chain of hashes anew. `Accept: application/x-ndjson` tells on the way how far it is.',
  answer: {
    status: 200,
    description: 'Whether the chain holds, and where it breaks.',
    schema: z.union([
      z.strictObject({ ok: z.literal(true), events: z.int(), head: z.string().describe('The newest hash.') }),
      z.strictObject({ ok: z.literal(false), number: z.int(), problem: z.string() }),
    ]),
    otherTypes: { 'application/x-ndjson': 'A line { checked, of } for each stretch, and the verdict as the last one.' },
  },
  work: async ({ caller: { workspaceId }, request: { headers, signal }, isStillAllowed }) => {
    if (!/application\/x-ndjson/i.test(headers.get('accept') ?? ''))
      return data.verifyAudit(runtime().db, workspaceId, { signal })
    const lines = verifyInSteps(workspaceId, signal)
    return streamLines({ file: null, type: 'application/x-ndjson', lines, signal, isStillAllowed })
  },
})
