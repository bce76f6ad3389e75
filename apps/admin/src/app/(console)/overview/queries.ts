// What the Overview shows. Numbers over time come from usage_hours, whose size depends on hours and not on runs; the
// lists are the first few rows of an index.
import type { ListedProcess, UsageRow } from '@quartermaster/db'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'
import { lengthOf, type Period, startOf } from './period.ts'

export interface Totals {
  runs: number
  failed: number
  stopped: number
  inputTokens: number
  outputTokens: number
  costMicros: number
  p50Ms: number | null
  p95Ms: number | null
}

export interface Usage {
  now: Totals
  /** The same span before it, up to the same hour. */
  before: Totals
  steps: UsageRow[]
}

export async function readOverviewUsage(
  workspaceId: string,
  period: Period,
  timezone: string,
  at: Date,
): Promise<Usage> {
  const { db } = runtime()
  const from = startOf(period, at)
  const earlier = (date: Date) => new Date(date.getTime() - lengthOf(period))
  const range = { step: period.step, timezone }
  const [steps, now, before] = await Promise.all([
    data.readUsage(db, workspaceId, { from, to: at, ...range }),
    readTotals(workspaceId, { from, to: at, ...range }),
    readTotals(workspaceId, { from: earlier(from), to: earlier(at), ...range }),
  ])
  return { now, before, steps }
}

interface Range {
  from: Date
  to: Date
  step: 'hour' | 'day'
  timezone: string
}

/** One row for the whole span: percentiles of a span are not the mean of its days' percentiles. */
async function readTotals(workspaceId: string, range: Range): Promise<Totals> {
  const zone = range.step === 'hour' ? 'UTC' : range.timezone
  const { rows } = await runtime().db.pool.query(
    `SELECT ${data.usageSums} FROM usage_hours
     WHERE workspace_id = $1 AND hour >= date_trunc($4, $2::timestamptz, $5) AND hour < $3::timestamptz`,
    [workspaceId, range.from, range.to, range.step, zone],
  )
  const row = rows[0]
  return {
    runs: row.runs ?? 0,
    failed: row.failed ?? 0,
    stopped: row.stopped ?? 0,
    inputTokens: row.input ?? 0,
    outputTokens: row.output ?? 0,
    costMicros: row.cost ?? 0,
    p50Ms: data.findPercentile(row.counts ?? [], 0.5),
    p95Ms: data.findPercentile(row.counts ?? [], 0.95),
  }
}

export interface AgentUsage {
  id: string
  name: string
  runs: number
  failed: number
  costMicros: number
}

/** The agents that did most in the span. */
export async function listBusyAgents(
  workspaceId: string,
  period: Period,
  timezone: string,
  at: Date,
  count: number,
): Promise<AgentUsage[]> {
  const zone = period.step === 'hour' ? 'UTC' : timezone
  const { rows } = await runtime().db.pool.query<AgentUsage>(
    `SELECT u.agent_id AS id, a.name, u.runs, u.failed, u.cost AS "costMicros" FROM (
       SELECT agent_id, sum(runs)::float8 AS runs, sum(failed)::float8 AS failed, sum(cost_micros)::float8 AS cost
       FROM usage_hours WHERE workspace_id = $1 AND hour >= date_trunc($4, $2::timestamptz, $5) AND hour < $3::timestamptz
       GROUP BY agent_id ORDER BY runs DESC, agent_id LIMIT $6
     ) AS u JOIN agents a ON a.id = u.agent_id AND a.workspace_id = $1 ORDER BY u.runs DESC, u.agent_id`,
    [workspaceId, startOf(period, at), at, period.step, zone, count],
  )
  return rows
}

export interface ChannelState {
  name: string
  status: 'connected' | 'disconnected' | 'failing'
  detail: string
}

/** The workspace's own connections that do not work as they should. */
export async function listTroubledChannels(workspaceId: string): Promise<ChannelState[]> {
  const { rows } = await runtime().db.pool.query<ChannelState>(
    `SELECT name, status, status_detail AS detail FROM channels
     WHERE workspace_id = $1 AND kind <> 'web' AND status = 'failing' ORDER BY name LIMIT 5`,
    [workspaceId],
  )
  return rows
}

export interface ListedRun {
  id: string
  title: string
  status: 'queued' | 'running' | 'waiting' | 'succeeded' | 'failed' | 'stopped'
  agent: string
  channel: 'slack' | 'telegram' | 'web'
  requester: string | null
  errorCode: string | null
  errorMessage: string | null
  costMicros: number
  queuedAt: Date
  /** From queued to finished; to now while it is not. */
  durationMs: number
}

/** The newest runs, or the newest of those that failed. */
export async function listRecentRuns(workspaceId: string, count: number, failedOnly = false): Promise<ListedRun[]> {
  const { rows } = await runtime().db.pool.query(
    `SELECT r.id, coalesce(nullif(r.title, ''), nullif(c.title, ''), 'Untitled') AS title, r.status, a.name AS agent,
       ch.kind AS channel, m.name AS requester, r.error_code, r.error_message, r.cost_micros::float8 AS cost,
       r.queued_at, extract(epoch FROM coalesce(r.finished_at, now()) - r.queued_at)::float8 * 1000 AS duration
     FROM (SELECT * FROM runs WHERE workspace_id = $1 ${failedOnly ? `AND status = 'failed'` : ''}
           ORDER BY queued_at DESC, id DESC LIMIT $2) r
     JOIN agents a ON a.id = r.agent_id
     JOIN conversations c ON c.id = r.conversation_id
     JOIN channels ch ON ch.id = c.channel_id
     LEFT JOIN members m ON m.id = r.requested_by
     ORDER BY r.queued_at DESC, r.id DESC`,
    [workspaceId, count],
  )
  return rows.map((row) => ({
    id: row.id,
    title: row.title,
    status: row.status,
    agent: row.agent,
    channel: row.channel,
    requester: row.requester,
    errorCode: row.error_code,
    errorMessage: row.error_message,
    costMicros: row.cost,
    queuedAt: row.queued_at,
    durationMs: row.duration,
  }))
}

export interface OpenQuestion {
  id: string
  kind: string
  title: string
  tool: string | null
  agent: string
  requester: string | null
  askedAt: Date
  expiresAt: Date
}

/** Open questions are counted up to this number; a card says more as "999+". */
export const mostQuestions = 999

/** One whose time is over cannot be answered any more, also while no bot has closed it yet. */
export async function listOpenQuestions(
  workspaceId: string,
  count: number,
): Promise<{ total: number; newest: OpenQuestion[] }> {
  const { db } = runtime()
  const open = `FROM questions WHERE workspace_id = $1 AND status = 'open' AND expires_at > now()`
  const [counted, { rows }] = await Promise.all([
    db.pool.query<{ total: number }>(
      `SELECT count(*)::int AS total FROM (SELECT 1 ${open} LIMIT ${mostQuestions + 1}) AS counted`,
      [workspaceId],
    ),
    db.pool.query(
      `SELECT q.id, q.kind, q.prompt, t.tool_name, a.name AS agent, m.name AS requester, q.asked_at, q.expires_at
       FROM (SELECT * ${open} ORDER BY asked_at DESC, id DESC LIMIT $2) AS q
       JOIN runs r ON r.id = q.run_id
       JOIN agents a ON a.id = r.agent_id
       LEFT JOIN tool_calls t ON t.id = q.tool_call_id
       LEFT JOIN members m ON m.id = r.requested_by
       ORDER BY q.asked_at DESC, q.id DESC`,
      [workspaceId, count],
    ),
  ])
  return {
    total: counted.rows[0]?.total ?? 0,
    newest: rows.map((row) => ({
      id: row.id,
      kind: row.kind,
      title: titleOf(row.prompt) ?? row.tool_name ?? 'A question',
      tool: row.tool_name,
      agent: row.agent,
      requester: row.requester,
      askedAt: row.asked_at,
      expiresAt: row.expires_at,
    })),
  }
}

function titleOf(prompt: unknown): string | null {
  const title = (prompt as { title?: unknown } | null)?.title
  return typeof title === 'string' && title ? title : null
}

export const readBots = async (): Promise<ListedProcess[]> =>
  (await data.listProcesses(runtime().db)).filter((process) => process.kind === 'bot')

/** Whether this workspace has ever had a run. */
export async function hasRuns(workspaceId: string): Promise<boolean> {
  const { rowCount } = await runtime().db.pool.query('SELECT 1 FROM runs WHERE workspace_id = $1 LIMIT 1', [
    workspaceId,
  ])
  return rowCount === 1
}
