import type { ListedAuditEvent } from '@quartermaster/db'
import { z } from 'zod'
import { auditLine } from '../../app/(console)/audit/audit-line.ts'
import { data } from '../../data.ts'
import { runtime } from '../../runtime.ts'
import { endpoint } from '../endpoint.ts'
import { streamLines, streamRows } from '../stream-rows.ts'
import { auditFilters, readAuditFilter } from './audit-filters.ts'

const columns = ['number', 'at', 'actor', 'action', 'subject', 'data', 'previous_hash', 'hash'] as const

export const exportAudit = endpoint({
  area: 'Audit',
  role: 'admin',
  scope: 'audit',
  method: 'GET',
  path: '/api/audit/export',
  summary: 'Export the audit log as a file',
  description: 'All that the filters let in, the newest first, written while it is read.',
  query: z.strictObject({ ...auditFilters, format: z.enum(['csv', 'jsonl', 'log']).default('jsonl') }),
  answer: {
    status: 200,
    description: 'The file.',
    otherTypes: {
      'text/csv': 'A line for each event.',
      'application/x-ndjson': 'A JSON object on each line.',
      'text/plain': 'A plain line for each event, in which nothing that somebody wrote looks like another one.',
    },
  },
  work: async ({ caller: { workspaceId }, query: { format, ...query }, request: { signal }, isStillAllowed }) => {
    const filter = await readAuditFilter(workspaceId, query)
    const events = data.readAuditEvents(runtime().db, { workspaceId, filter })
    const reader = { signal, isStillAllowed }
    return format === 'log'
      ? streamLines({ file: 'audit.log', type: 'text/plain', lines: linesOf(events), ...reader })
      : streamRows({ name: 'audit', format, columns, rows: rowsOf(events), ...reader })
  },
})

async function* linesOf(events: AsyncIterable<ListedAuditEvent>) {
  for await (const event of events) yield `${auditLine(event)}\n`
}

async function* rowsOf(events: AsyncIterable<ListedAuditEvent>) {
  for await (const { number, exactAt, actor, action, subject, data: about, previousHash, hash } of events)
    yield {
      ...{ number, at: exactAt, actor: `${actor.kind}:${actor.id}`, action },
      ...{ subject: `${subject.kind}:${subject.id}`, data: about, previous_hash: previousHash, hash },
    }
}
