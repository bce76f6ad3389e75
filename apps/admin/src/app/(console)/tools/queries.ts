import type { RegisteredTool, ToolCallStatus, ToolSource, ToolUse } from '@quartermaster/db'
import { data } from '../../../data.ts'
import { eachTool } from '../../../each-tool.ts'
import { runtime } from '../../../runtime.ts'

export const sources = ['builtin', 'manifest', 'mcp'] as const
export const states = ['on', 'off', 'gone'] as const

export interface ToolFilter {
  q: string
  category: string
  source: string
  state: string
}

const one = (value: unknown) => (typeof value === 'string' ? value.slice(0, 200).trim() : '')

export const parseToolFilter = (search: Record<string, unknown>): ToolFilter => ({
  q: one(search.q),
  category: one(search.category),
  source: one(search.source),
  state: one(search.state),
})

/** Every tool of the registry that the workspace can see. It is what people and their servers brought: some hundreds. */
export async function readRegistry(workspaceId: string): Promise<RegisteredTool[]> {
  const found: RegisteredTool[] = []
  for await (const tool of eachTool(workspaceId)) found.push(tool)
  return found
}

/** A builtin that the workspace has once more as its own (the demo does) is listed once. */
export function withoutDoubles(tools: readonly RegisteredTool[]): RegisteredTool[] {
  const common = new Set(
    tools.filter(({ id, name, source }) => source === 'builtin' && id === name).map(({ id }) => id),
  )
  return tools.filter(({ id, name, source }) => source !== 'builtin' || id === name || !common.has(name))
}

export function filterTools(tools: readonly RegisteredTool[], filter: ToolFilter): RegisteredTool[] {
  const words = filter.q.toLowerCase().split(/\s+/).filter(Boolean)
  return tools.filter((tool) => {
    if (filter.category && tool.category !== filter.category) return false
    if (filter.source && tool.source !== filter.source) return false
    if (filter.state && filter.state !== stateOf(tool)) return false
    const text = [tool.name, tool.title, tool.description, ...tool.aliases].join(' ').toLowerCase()
    return words.every((word) => text.includes(word))
  })
}

export const stateOf = ({ unavailable }: RegisteredTool): (typeof states)[number] =>
  unavailable === null ? 'on' : unavailable === 'gone' ? 'gone' : 'off'

const windowDays = 30

export const sinceOfUsage = (now: Date) => new Date(now.getTime() - windowDays * 86_400_000)

export async function readUses(workspaceId: string, now: Date): Promise<ReadonlyMap<string, ToolUse>> {
  const uses = await data.readToolUsage(runtime().db, workspaceId, { since: sinceOfUsage(now) })
  return new Map(uses.map((use) => [use.toolName, use]))
}

/** Of the calls that ran; null where none did. */
export function successRate(use: ToolUse | undefined): number | null {
  const ran = use ? use.succeeded + use.failed + use.interrupted : 0
  return use && ran > 0 ? use.succeeded / ran : null
}

export const formatRate = (rate: number) =>
  rate === 1 ? '100%' : `${rate > 0.995 ? (Math.floor(rate * 1000) / 10).toFixed(1) : Math.round(rate * 100)}%`

export interface RecentCall {
  id: string
  runId: string
  agentId: string
  agent: string
  status: ToolCallStatus
  decision: 'allow' | 'ask' | 'deny' | null
  durationMs: number | null
  requestedAt: Date
}

export async function readRecentCalls(workspaceId: string, toolName: string): Promise<RecentCall[]> {
  const { rows } = await runtime().db.pool.query<RecentCall>(
    `SELECT c.id, c.run_id AS "runId", c.agent_id AS "agentId", a.name AS agent, c.status, c.decision,
       c.duration_ms AS "durationMs", c.requested_at AS "requestedAt"
     FROM tool_calls c JOIN agents a ON a.id = c.agent_id AND a.workspace_id = c.workspace_id
     WHERE c.workspace_id = $1 AND c.tool_name = $2 ORDER BY c.requested_at DESC, c.id DESC LIMIT 8`,
    [workspaceId, toolName],
  )
  return rows
}

export interface NeededScope {
  name: string
  exists: boolean
  secrets: number
  grantedTo: string[]
}

export async function readScopes(workspaceId: string, names: readonly string[]): Promise<NeededScope[]> {
  if (!names.length) return []
  const { rows } = await runtime().db.pool.query(
    `SELECT s.name, (SELECT count(*)::int FROM secrets x WHERE x.scope_id = s.id AND x.deleted_at IS NULL) AS secrets,
       ARRAY(SELECT a.name FROM grants g JOIN agents a ON a.id = g.agent_id WHERE g.scope_id = s.id ORDER BY 1) AS granted
     FROM secret_scopes s WHERE s.workspace_id = $1 AND s.name = ANY($2)`,
    [workspaceId, names],
  )
  return names.map((name) => {
    const found = rows.find((row) => row.name === name)
    return { name, exists: found !== undefined, secrets: found?.secrets ?? 0, grantedTo: found?.granted ?? [] }
  })
}

export interface StoredHooks {
  hooks: { pattern: string; hook: 'confirm' | 'log' | 'silent'; conditions?: unknown[]; insist?: boolean }[]
  /** Null: nobody has saved any settings yet. */
  updatedAt: Date | null
}

export async function readHooks(workspaceId: string): Promise<StoredHooks> {
  const { rows } = await runtime().db.pool.query(
    'SELECT hooks, updated_at AS "updatedAt" FROM policy_settings WHERE workspace_id = $1',
    [workspaceId],
  )
  return rows[0] ?? { hooks: [], updatedAt: null }
}

export const isSource = (text: string | null): text is ToolSource => sources.some((source) => source === text)
