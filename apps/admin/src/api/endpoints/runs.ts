import type { ListedRun, RunEvent, WholeRun } from '@quartermaster/db'
import { z } from 'zod'
import { data } from '../../data.ts'
import { pageOf } from '../../paging.ts'
import { runtime } from '../../runtime.ts'
import { endpoint } from '../endpoint.ts'
import type { Caller } from '../require-caller.ts'
import { sendFile } from '../send-file.ts'
import {
  idShape,
  iso,
  isoOrNull,
  limitShape,
  moneyShape,
  namedShape,
  nextShape,
  notFound,
  pageQuery,
  readAfter,
  timeShape,
  writeAfter,
} from '../shapes.ts'
import { questionShape, renderQuestion } from './render-question.ts'
import { channels, readRunFilters, runFilters, statuses, triggers } from './run-filters.ts'

const runFields = {
  id: z.string(),
  title: z.string(),
  status: z.enum(statuses),
  agent: namedShape,
  channel: z.enum(channels),
  trigger: z.enum(triggers).describe('What it was begun by.'),
  requester: namedShape.nullable().describe('The member who asked for it.'),
  steps: z.int(),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost_micros: moneyShape,
  queued_at: timeShape,
  started_at: timeShape.nullable(),
  finished_at: timeShape.nullable(),
  error: z.strictObject({ code: z.string(), message: z.string() }).nullable(),
} as const

const runShape = z.strictObject(runFields).meta({ id: 'Run' })

const renderRun = (run: ListedRun): z.input<typeof runShape> => ({
  id: run.id,
  title: run.title,
  status: run.status,
  agent: run.agent,
  channel: run.channelKind,
  trigger: run.trigger,
  requester: run.requester,
  steps: run.steps,
  input_tokens: run.inputTokens,
  output_tokens: run.outputTokens,
  cost_micros: run.costMicros,
  queued_at: iso(run.queuedAt),
  started_at: isoOrNull(run.startedAt),
  finished_at: isoOrNull(run.finishedAt),
  error: run.error,
})

const access = { area: 'Runs', role: 'viewer', scope: 'runs' } as const
const runParams = { runId: idShape.describe('The run’s id.') }

export const listRuns = endpoint({
  ...access,
  method: 'GET',
  path: '/api/runs',
  summary: 'List runs',
  description:
    'The newest first. A page that is not full can still have a `next`: so many runs were looked at, and it goes on from there.',
  query: z.strictObject({ ...runFilters, ...pageQuery }),
  answer: {
    status: 200,
    description: 'A page of runs.',
    schema: z.strictObject({ runs: z.array(runShape), next: nextShape }),
  },
  work: async ({ caller: { workspaceId }, query: { limit, after, ...query } }) => {
    const key = readAfter(after)
    const filters = await readRunFilters(workspaceId, query)
    const { runs, next } = await data.listRuns(runtime().db, {
      workspaceId,
      ...filters,
      limit,
      ...(key ? { after: key } : {}),
    })
    return { runs: runs.map(renderRun), next: next && writeAfter(next) }
  },
})

const runDetailShape = z
  .strictObject({
    ...runFields,
    conversation: z.strictObject({
      id: z.string(),
      place: z.string().describe('On the platform, as C024BE91L:1725.001.'),
      forked_from: z.string().nullable().describe('The run that the conversation was forked from.'),
      deleted: z.boolean(),
    }),
    channel_connection: z.strictObject({ id: z.string(), name: z.string() }),
    agent_version: z.strictObject({ number: z.int(), model: z.string() }).nullable(),
    stop_requested: z.boolean(),
    parent: z.strictObject({ id: z.string(), title: z.string() }).nullable(),
    children: z.array(
      z.strictObject({ id: z.string(), title: z.string(), status: z.enum(statuses), agent_name: z.string() }),
    ),
  })
  .meta({ id: 'RunDetail' })

const renderWhole = (run: WholeRun): z.input<typeof runDetailShape> => ({
  ...renderRun(run),
  conversation: {
    id: run.conversation.id,
    place: run.conversation.key,
    forked_from: run.conversation.forkedFrom,
    deleted: run.conversation.deleted,
  },
  channel_connection: { id: run.channel.id, name: run.channel.name },
  agent_version: run.version,
  stop_requested: run.stopRequested,
  parent: run.parent,
  children: run.children.map(({ agentName, ...child }) => ({ ...child, agent_name: agentName })),
})

async function findRun({ workspaceId }: Caller, runId: string): Promise<WholeRun> {
  const run = await data.readRun(runtime().db, { workspaceId, runId })
  if (!run) throw notFound('run')
  return run
}

export const getRun = endpoint({
  ...access,
  method: 'GET',
  path: '/api/runs/{runId}',
  summary: 'Get a run',
  params: z.strictObject(runParams),
  answer: { status: 200, description: 'The run.', schema: runDetailShape },
  work: async ({ caller, params: { runId } }) => renderWhole(await findRun(caller, runId)),
})

const runEventShape = z
  .strictObject({
    id: z.int(),
    kind: z.string().describe('As run-start, model-end, tool-call-request, decision, question-answer, run-end.'),
    data: z.record(z.string(), z.unknown()),
    at: timeShape,
  })
  .meta({ id: 'RunEvent' })

const renderEvent = ({ id, kind, data: about, at }: RunEvent): z.input<typeof runEventShape> => ({
  id,
  kind,
  data: about,
  at: iso(at),
})

export const listRunEvents = endpoint({
  ...access,
  method: 'GET',
  path: '/api/runs/{runId}/events',
  summary: 'List what happened in a run',
  description: 'In its order: each step’s model call, each decision, each tool call and question.',
  params: z.strictObject(runParams),
  query: z.strictObject({
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
    schema: z.strictObject({ events: z.array(runEventShape), next: nextShape }),
  },
  work: async ({ caller, params: { runId }, query: { limit, after } }) => {
    await findRun(caller, runId)
    const { workspaceId } = caller
    const events = await data.readRunEvents(runtime().db, { workspaceId, runId, limit, after: Number(after ?? 0) })
    return { events: events.map(renderEvent), next: events.length === limit ? String(events.at(-1)?.id) : null }
  },
})

export const listRunQuestions = endpoint({
  ...access,
  method: 'GET',
  path: '/api/runs/{runId}/questions',
  summary: 'List the questions of a run',
  description: 'In the order in which they were asked.',
  params: z.strictObject(runParams),
  query: z.strictObject(pageQuery),
  answer: {
    status: 200,
    description: 'A page of questions.',
    schema: z.strictObject({ questions: z.array(questionShape), next: nextShape }),
  },
  work: async ({ caller, params: { runId }, query: { limit, after } }) => {
    await findRun(caller, runId)
    const { workspaceId, memberId } = caller
    const { db } = runtime()
    const key = readAfter(after)
    const { rows: found } = await db.pool.query<{ id: string; asked_at: Date }>(
      `SELECT id, asked_at FROM questions WHERE workspace_id = $1 AND run_id = $2
         AND ($3::timestamptz IS NULL OR (asked_at, id) > ($3, $4::text)) ORDER BY asked_at, id LIMIT $5`,
      [workspaceId, runId, key?.at ?? null, key?.id ?? null, limit + 1],
    )
    const { rows, next } = pageOf(found, limit, (row) => ({ at: row.asked_at, id: row.id }))
    const questionIds = rows.map(({ id }) => id)
    const cards = questionIds.length ? await data.readQuestionCards(db, { workspaceId, memberId, questionIds }) : []
    return { questions: cards.map(renderQuestion), next }
  },
})

export const getRunFile = endpoint({
  ...access,
  method: 'GET',
  path: '/api/runs/{runId}/files/{fileId}',
  summary: 'Get a file that a run sent to people',
  params: z.strictObject({ ...runParams, fileId: idShape }),
  answer: {
    status: 200,
    description: 'The file. Only pictures come with a type of their own.',
    otherTypes: { 'application/octet-stream': 'Any file.', 'image/*': 'A picture.' },
  },
  work: async ({ caller: { workspaceId }, params: { runId, fileId } }) => {
    const { db } = runtime()
    const { rows } = await db.pool.query(
      'SELECT conversation_id FROM deliveries WHERE id = $1 AND run_id = $2 AND workspace_id = $3',
      [fileId, runId, workspaceId],
    )
    const conversationId: string | undefined = rows[0]?.conversation_id
    const wanted = conversationId && { workspaceId, conversationId, deliveryId: fileId }
    const file = wanted && (await data.readDeliveredFile(db, wanted))
    if (!file) throw notFound('file')
    return sendFile(file)
  },
})
