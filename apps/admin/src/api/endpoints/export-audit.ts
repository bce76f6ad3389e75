// The audit log as a file, with the filters of the console's page: CSV, JSON lines, or lines of text.
import type { ListedAuditEvent } from '@quartermaster/db'
import { z } from 'zod'
import { auditLine } from '../../app/(console)/audit/audit-line.ts'
import { parseFilter } from '../../app/(console)/audit/parse-filter.ts'
import { data } from '../../data.ts'
import { runtime } from '../../runtime.ts'
import { endpoint } from '../endpoint.ts'
import { dayQueryShape, textShape } from '../shapes.ts'
import { streamLines, streamRows } from '../stream-rows.ts'
import { whileAllowed } from '../while-allowed.ts'

const columns = ['number', 'at', 'actor', 'action', 'subject', 'data', 'previousHash', 'hash'] as const

export const exportAudit = endpoint({
  area: 'Audit',
  role: 'admin',
  scope: 'audit',
  method: 'GET',
  path: '/api/audit/export',
  summary: 'Export the audit log as a file',
  description: 'All events that the filters let in, the newest first, written while it is read.',
  query: z.strictObject({
    q: textShape.optional().describe('Stands in the action, an id or the data.'),
    actor: z
      .string()
      .regex(/^(member|agent|system):.{1,200}$/, 'Expected member:<id>, agent:<id> or system:<name>.')
      .optional(),
    action: z
      .string()
      .regex(/^[a-z][a-z-]*\.([a-z-]+|\*)$/, 'Expected an action like secret.store, or a whole area like secret.*')
      .optional(),
    subject: z
      .string()
      .regex(/^[a-z][a-z-]{0,39}:.{1,200}$/, 'Expected <kind>:<id>.')
      .optional(),
    from: dayQueryShape.describe('On this day of the workspace’s calendar or later.'),
    to: dayQueryShape.describe('On this day or before.'),
    format: z.enum(['csv', 'jsonl', 'log']).default('jsonl').describe('`log`: lines of text.'),
  }),
  answer: {
    status: 200,
    description: 'The file.',
    otherTypes: {
      'text/csv': 'A line for each event.',
      'application/x-ndjson': 'A JSON object on each line.',
      'text/plain': 'A line of text for each event.',
    },
  },
  work: async ({ caller: { workspaceId }, query: { format, ...query }, request: { signal }, isStillAllowed }) => {
    const { db } = runtime()
    const { timezone } = await data.readSettings(db, workspaceId)
    const filter = parseFilter(query, timezone)
    const events = whileAllowed(data.readAuditEvents(db, { workspaceId, filter }), isStillAllowed)
    if (format === 'log') return streamLines({ file: 'audit.log', type: 'text/plain', lines: linesOf(events), signal })
    return streamRows({ name: 'audit', format, columns, rows: rowsOf(events), signal })
  },
})

async function* linesOf(events: AsyncIterable<ListedAuditEvent>) {
  for await (const event of events) yield `${auditLine(event)}\n`
}

async function* rowsOf(events: AsyncIterable<ListedAuditEvent>) {
  for await (const { number, exactAt, actor, action, subject, data, previousHash, hash } of events)
    yield {
      ...{ number, at: exactAt, actor: `${actor.kind}:${actor.id}`, action },
      ...{ subject: `${subject.kind}:${subject.id}`, data, previousHash, hash },
    }
}
