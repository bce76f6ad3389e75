import { z } from 'zod'
import { data } from '../../data.ts'
import { runtime } from '../../runtime.ts'
import { endpoint } from '../endpoint.ts'
import { iso, limitShape, nextShape, textShape, timeShape } from '../shapes.ts'

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

interface EventRow {
  number: string
  at: Date
  actor_kind: 'member' | 'agent' | 'system'
  actor_id: string
  action: string
  subject_kind: string
  subject_id: string
  data: Record<string, unknown>
  hash: string
}

const access = { area: 'Audit', role: 'admin', scope: 'audit', method: 'GET' } as const

export const listAudit = endpoint({
  ...access,
  path: '/api/audit',
  summary: 'List audit events',
  description: 'The newest first.',
  query: z.strictObject({
    action: textShape.optional(),
    subject_kind: textShape.optional(),
    subject_id: textShape.optional().describe('With `subject_kind`.'),
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
  work: async ({ caller: { workspaceId }, query: { action, subject_kind, subject_id, limit, after } }) => {
    // Each filter that is not given is left out of the statement: an index serves what is there.
    const values: unknown[] = [workspaceId]
    const conditions = Object.entries({ action, subject_kind, subject_id }).flatMap(([column, value]) =>
      value === undefined ? [] : [`AND ${column} = $${values.push(data.storableText(value))}`],
    )
    if (after !== undefined) conditions.push(`AND number < $${values.push(after)}`)
    const { rows } = await runtime().db.pool.query<EventRow>(
      `SELECT number, at, actor_kind, actor_id, action, subject_kind, subject_id, data, encode(hash, 'hex') AS hash
       FROM audit_events WHERE workspace_id = $1 ${conditions.join(' ')} ORDER BY number DESC LIMIT ${limit + 1}`,
      values,
    )
    const page = rows.slice(0, limit)
    return {
      events: page.map((row) => ({
        number: Number(row.number),
        at: iso(row.at),
        actor: { kind: row.actor_kind, id: row.actor_id },
        action: row.action,
        subject: { kind: row.subject_kind, id: row.subject_id },
        data: row.data,
        hash: row.hash,
      })),
      next: rows.length > limit ? String(page.at(-1)?.number) : null,
    }
  },
})

export const verifyAudit = endpoint({
  ...access,
  path: '/api/audit/verification',
  summary: 'Verify the audit log',
  description: 'Computes the whole chain of hashes anew.',
  answer: {
    status: 200,
    description: 'Whether the chain holds, and where it breaks.',
    schema: z.union([
      z.strictObject({ ok: z.literal(true), events: z.int(), head: z.string().describe('The newest hash.') }),
      z.strictObject({ ok: z.literal(false), number: z.int(), problem: z.string() }),
    ]),
  },
  work: async ({ caller: { workspaceId } }) => data.verifyAudit(runtime().db, workspaceId),
})
