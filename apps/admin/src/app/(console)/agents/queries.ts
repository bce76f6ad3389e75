import type { AgentChange, AgentConfiguration, AgentDetail } from '@quartermaster/db'
import { notFound } from 'next/navigation'
import { cache } from 'react'
import { data } from '../../../data.ts'
import { pageOf, parsePageKey } from '../../../paging.ts'
import { runtime } from '../../../runtime.ts'
import { type CurrentMember, requireMember } from '../../../session.ts'
import { readZone } from '../../../viewer-zone.ts'

export async function listAgentsPage(workspaceId: string, { archived, search, after }: ListFilter) {
  const found = await data.listAgents(runtime().db, {
    workspaceId,
    archived,
    search,
    after: parsePageKey(after),
    limit: data.limits.agentsOfPage + 1,
  })
  return pageOf(found, data.limits.agentsOfPage, ({ createdAt, id }) => ({ at: createdAt, id }))
}

interface ListFilter {
  archived: boolean
  search: string
  after: unknown
}

/** What every page of an agent begins with. */
export interface AgentView {
  agent: AgentDetail
  workspaceId: string
  /** What is edited: the draft, else what holds. */
  configuration: AgentConfiguration
  /** What publishing the draft would change; empty without one. */
  changes: AgentChange[]
  mayEdit: boolean
  mayTalk: boolean
  timezone: string
  now: Date
}

/** The agent of an address, or the page that says there is none. */
export async function readAgentView(params: Promise<{ id: string }>): Promise<AgentView> {
  const current = await requireMember('viewer')
  return readView(current, (await params).id.slice(0, 100))
}

const readView = cache(async ({ membership }: CurrentMember, agentId: string): Promise<AgentView> => {
  const { workspaceId, role } = membership
  const { db } = runtime()
  const [agent, timezone] = await Promise.all([data.readAgent(db, { workspaceId, agentId }), readZone(workspaceId)])
  if (!agent) notFound()
  const published = agent.published?.configuration ?? null
  return {
    agent,
    workspaceId,
    configuration: agent.draft?.configuration ?? published ?? data.blankConfiguration,
    changes: agent.draft
      ? data.diffConfigurations(published ?? data.blankConfiguration, agent.draft.configuration)
      : [],
    mayEdit: data.atLeast(role, 'admin') && !agent.archivedAt,
    mayTalk: data.atLeast(role, 'member') && agent.published !== null && !agent.archivedAt,
    timezone,
    now: new Date(),
  }
})

export interface Names {
  nameOf(toolId: string): string
  memberOf(memberId: string): string
}

/** The names behind the ids that a version has, read once for a page. What is gone keeps its id. */
export const readNames = cache(async (workspaceId: string): Promise<Names> => {
  const { pool } = runtime().db
  const [tools, members] = await Promise.all([
    pool.query(
      `SELECT t.id, t.handler_key AS name FROM tools t LEFT JOIN tool_details d ON d.tool_id = t.id
       WHERE d.workspace_id IS NULL OR d.workspace_id = $1`,
      [workspaceId],
    ),
    pool.query('SELECT id, name FROM members WHERE workspace_id = $1', [workspaceId]),
  ])
  const names = new Map<string, string>([...tools.rows, ...members.rows].map(({ id, name }) => [id, name]))
  return { nameOf: (id) => names.get(id) ?? id, memberOf: (id) => names.get(id) ?? id }
})

export interface GrantedScope {
  id: string
  name: string
  description: string
  grantedBy: string | null
  grantedAt: Date
}

export async function listGrants(workspaceId: string, agentId: string): Promise<GrantedScope[]> {
  const { rows } = await runtime().db.pool.query(
    `SELECT s.id, s.name, s.description, m.name AS "grantedBy", g.created_at AS "grantedAt"
     FROM grants g JOIN secret_scopes s ON s.id = g.scope_id LEFT JOIN members m ON m.id = g.granted_by
     WHERE g.workspace_id = $1 AND g.agent_id = $2 ORDER BY s.name LIMIT $3`,
    [workspaceId, agentId, data.limits.pageRows],
  )
  return rows
}

export interface PlatformChannel {
  id: string
  name: string
  kind: 'slack' | 'telegram'
}

/** The connections in which a place can be bound. */
export async function listPlatformChannels(workspaceId: string): Promise<PlatformChannel[]> {
  const { rows } = await runtime().db.pool.query(
    `SELECT id, name, kind FROM channels WHERE workspace_id = $1 AND kind <> 'web' ORDER BY kind, created_at, id LIMIT $2`,
    [workspaceId, data.limits.pageRows],
  )
  return rows
}

/** Names of agents that a new one can be a copy of. */
export async function listCopyable(workspaceId: string): Promise<{ id: string; name: string }[]> {
  const found = await data.listAgents(runtime().db, { workspaceId, limit: data.limits.pageRows })
  return found.map(({ id, name }) => ({ id, name }))
}
