import type { AuditFilter, ListedAuditEvent } from '@quartermaster/db'
import { ApiError, renderError } from '../../../../api/api-error.ts'
import { requireCaller } from '../../../../api/require-caller.ts'
import { streamLines, streamRows } from '../../../../api/stream-rows.ts'
import { data } from '../../../../data.ts'
import { runtime } from '../../../../runtime.ts'
import { auditLine } from '../../../(console)/audit/audit-line.ts'
import { parseFilter } from '../../../(console)/audit/parse-filter.ts'

const columns = ['number', 'at', 'actor', 'action', 'subject', 'data', 'previousHash', 'hash'] as const
const formats = ['csv', 'jsonl', 'log'] as const

/** The log as a file, with the filters of the page: CSV, JSON lines, or lines of text. */
export async function GET(request: Request): Promise<Response> {
  try {
    const { caller } = await requireCaller(request, { role: 'admin', scope: 'audit' })
    const query = Object.fromEntries(new URL(request.url).searchParams)
    const format = formats.find((each) => each === (query.format ?? 'jsonl'))
    if (!format) throw new ApiError('VALIDATION_ERROR', `format: expected one of ${formats.join(', ')}.`)
    const { db } = runtime()
    const { timezone } = await data.readSettings(db, caller.workspaceId)
    const events = read(caller.workspaceId, parseFilter(query, timezone))
    const { signal } = request
    if (format === 'log') return streamLines({ file: 'audit.log', type: 'text/plain', lines: linesOf(events), signal })
    return streamRows({ name: 'audit', format, columns, rows: rowsOf(events), signal })
  } catch (error) {
    return renderError(error)
  }
}

const read = (workspaceId: string, filter: AuditFilter) => data.readAuditEvents(runtime().db, { workspaceId, filter })

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
