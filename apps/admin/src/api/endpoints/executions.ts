// The history of tool calls. The filters are those of the console's page, by the same names.
import type { ToolCallRecord } from '@quartermaster/db'
import { z } from 'zod'
import { data } from '../../data.ts'
import {
  type CallFilter,
  callStatuses,
  decisions,
  durations,
  parseCallFilter,
  spans,
} from '../../executions/call-filter.ts'
import { exportCalls, exportColumns } from '../../executions/export-calls.ts'
import { followCalls } from '../../executions/follow-calls.ts'
import { executionParts, renderExecution } from '../../executions/listed-execution.ts'
import { streamEvents } from '../../playground/event-stream.ts'
import { runtime } from '../../runtime.ts'
import { endpoint } from '../endpoint.ts'
import {
  idShape,
  isoOrNull,
  jsonShape,
  namedShape,
  nextShape,
  notFound,
  pageQuery,
  readAfter,
  textShape,
  timeShape,
  writeAfter,
} from '../shapes.ts'
import { exportFormats, streamRows } from '../stream-rows.ts'

const executionFields = {
  id: z.string(),
  run_id: z.string(),
  conversation_id: z.string(),
  agent: namedShape,
  tool: z.string().describe('The canonical name; also of a tool that nobody knows.'),
  requester: namedShape.nullable().describe('Who asked for the run; null: a schedule, or somebody who is no member.'),
  status: z.enum(callStatuses),
  decision: z.enum(decisions).nullable().describe('Of the policy; null: not decided yet.'),
  duration_ms: z.int().nullable(),
  error: z.string().nullable(),
  requested_at: timeShape,
  finished_at: timeShape.nullable(),
} as const

const executionShape = z
  .strictObject({
    ...executionFields,
    arguments_start: z
      .string()
      .nullable()
      .describe('The beginning of the arguments as JSON; null: too large for a list.'),
  })
  .meta({ id: 'Execution' })

const keysOf = <Key extends string>(object: Record<Key, unknown>) => Object.keys(object) as [Key, ...Key[]]

const filters = {
  q: textShape.optional().describe('Stands in the tool’s name, the arguments or the error.'),
  tool: textShape.optional(),
  agent: textShape.optional().describe('An agent’s id.'),
  member: textShape.optional().describe('The id of the member who asked for the run.'),
  status: z.enum(callStatuses).optional(),
  decision: z.enum(decisions).optional(),
  slower: z.enum(keysOf(durations)).optional().describe('Took at least so long.'),
  since: z.enum(keysOf(spans)).optional().describe('Requested at most so long ago.'),
  from: z.iso.datetime({ offset: true }).optional().describe('Requested at this time or later.'),
  to: z.iso.datetime({ offset: true }).optional().describe('Requested before this time.'),
} as const

const filterOf = (query: Record<string, unknown>): CallFilter =>
  parseCallFilter(query as Record<string, string | undefined>, new Date()).filter

const access = { area: 'Executions', role: 'viewer', scope: 'executions', method: 'GET' } as const

export const listExecutions = endpoint({
  ...access,
  path: '/api/executions',
  summary: 'List executions',
  description:
    'The newest first. A page that is not full can still have a `next`: so many calls were looked at, and it goes on from there.',
  query: z.strictObject({ ...filters, ...pageQuery }),
  answer: {
    status: 200,
    description: 'A page of executions.',
    schema: z.strictObject({ executions: z.array(executionShape), next: nextShape }),
  },
  work: async ({ caller: { workspaceId }, query: { limit, after, ...query } }) => {
    const key = readAfter(after)
    const { calls, next } = await data.listToolCalls(runtime().db, {
      workspaceId,
      ...filterOf(query),
      limit,
      ...(key ? { after: { requestedAt: key.at, id: key.id } } : {}),
    })
    return {
      executions: calls.map(renderExecution),
      next: next && writeAfter({ at: next.requestedAt, id: next.id }),
    }
  },
})

const executionDetailShape = z
  .strictObject({
    ...executionFields,
    run_title: z.string(),
    step: z.int().describe('Of its run.'),
    tool_use_id: z.string().describe('The model’s id of the request.'),
    tool_version: z.string(),
    effect: z.enum(['read', 'write', 'execute', 'send']),
    idempotent: z.boolean(),
    arguments: jsonShape,
    arguments_digest: z.string().describe('What an answer binds.'),
    trail: z.array(z.unknown()).describe('Why the policy decided so, line by line.'),
    output: z.string().nullable(),
    output_bytes: z.int().nullable().describe('What the tool wrote, before it was cut.'),
    findings: z.array(z.unknown()),
    taint: z.array(z.string()).describe('Where strangers’ content in its output came from.'),
    question_ids: z.array(z.string()),
    started_at: timeShape.nullable(),
  })
  .meta({ id: 'ExecutionDetail' })

const renderDetail = (call: ToolCallRecord): z.input<typeof executionDetailShape> => ({
  ...executionParts(call),
  run_title: call.runTitle,
  step: call.step,
  tool_use_id: call.toolUseId,
  tool_version: call.toolVersion,
  effect: call.effect,
  idempotent: call.idempotent,
  arguments: call.arguments,
  arguments_digest: call.argumentsDigest,
  trail: call.trail,
  output: call.output,
  output_bytes: call.outputBytes,
  findings: call.findings,
  taint: call.taint,
  question_ids: call.questionIds,
  started_at: isoOrNull(call.startedAt),
})

export const getExecution = endpoint({
  ...access,
  path: '/api/executions/{executionId}',
  summary: 'Get everything that is recorded of an execution',
  params: z.strictObject({ executionId: idShape }),
  answer: { status: 200, description: 'The execution.', schema: executionDetailShape },
  work: async ({ caller: { workspaceId }, params: { executionId } }) => {
    const call = await data.readToolCall(runtime().db, { workspaceId, callId: executionId })
    if (!call) throw notFound('execution')
    return renderDetail(call)
  },
})

export const exportExecutions = endpoint({
  ...access,
  path: '/api/executions/export',
  summary: 'Export executions as a file',
  description: 'All that the filters let in, with their whole arguments, written while it is read.',
  query: z.strictObject({ ...filters, format: z.enum(exportFormats).default('csv') }),
  answer: {
    status: 200,
    description: 'The file.',
    otherTypes: { 'text/csv': 'A line for each execution.', 'application/x-ndjson': 'A JSON object on each line.' },
  },
  work: async ({ caller: { workspaceId }, query: { format, ...query }, request: { signal }, isStillAllowed }) =>
    streamRows({
      name: `executions-${new Date().toISOString().slice(0, 10)}`,
      format,
      columns: exportColumns,
      rows: exportCalls(workspaceId, filterOf(query), signal),
      signal,
      isStillAllowed,
    }),
})

export const followExecutions = endpoint({
  ...access,
  path: '/api/executions/tail',
  summary: 'Follow executions as they come and go on',
  query: z.strictObject(filters),
  answer: {
    status: 200,
    description:
      'Server-sent events. `executions` has `whole` (these are the newest ones as they are, and not only what changed) and `executions`: as in the list, each with `matches`, which says whether the filters let it in as it is now.',
    otherTypes: { 'text/event-stream': 'Events until the caller leaves, or may not read any more.' },
  },
  work: async ({ caller, query, request, isStillAllowed }) =>
    streamEvents(request.signal, (stream) => followCalls(caller.workspaceId, filterOf(query), stream), isStillAllowed),
})
