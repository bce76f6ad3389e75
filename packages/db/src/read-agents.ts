// Agents as the console and the API show them. Read only; the changes are in agents.ts, agent-drafts.ts and
// publish-agent.ts.
import {
  type AgentConfiguration,
  configurationColumns,
  readLiveAttachments,
  toConfiguration,
} from './agent-configuration.ts'
import type { SeenAgent } from './agent-state.ts'
import type { Queryable } from './client.ts'
import { limits } from './limits.ts'
import { storableText } from './storable.ts'

export interface ListedAgent {
  id: string
  slug: string
  name: string
  description: string
  createdAt: Date
  archivedAt: Date | null
  /** Null where nobody published it. */
  published: { number: number; model: string; profile: string; autonomy: AgentConfiguration['autonomy'] } | null
  hasDraft: boolean
  /** What is attached; 0: it has the default set. */
  tools: number
  /** Of how many channels it is the default, and how many places are bound to it. */
  defaults: number
  places: number
  lastRun: { id: string; status: string; queuedAt: Date } | null
}

/** The oldest first; `after` is the last one of the page before. */
export async function listAgents(
  db: { pool: Queryable },
  list: {
    workspaceId: string
    archived?: boolean
    search?: string
    after?: { at: Date; id: string } | null
    limit?: number
  },
): Promise<ListedAgent[]> {
  const { rows } = await db.pool.query(
    `SELECT a.id, a.slug, a.name, a.description, a.created_at AS "createdAt", a.archived_at AS "archivedAt",
       CASE WHEN v.number IS NOT NULL THEN
         json_build_object('number', v.number, 'model', v.model, 'profile', v.profile, 'autonomy', v.autonomy) END AS published,
       EXISTS (SELECT 1 FROM agent_versions d WHERE d.agent_id = a.id AND d.published_at IS NULL) AS "hasDraft",
       (SELECT count(*)::int FROM agent_tools t WHERE t.agent_id = a.id) AS tools,
       (SELECT count(*)::int FROM channels c WHERE c.workspace_id = $1 AND c.default_agent_id = a.id) AS defaults,
       (SELECT count(*)::int FROM bindings b WHERE b.workspace_id = $1 AND b.agent_id = a.id) AS places,
       r.id AS "runId", r.status AS "runStatus", r.queued_at AS "runQueuedAt"
     FROM agents a
     LEFT JOIN LATERAL (SELECT number, model, profile, autonomy FROM agent_versions n
       WHERE n.agent_id = a.id AND n.published_at IS NOT NULL ORDER BY n.number DESC LIMIT 1) v ON true
     LEFT JOIN LATERAL (SELECT id, status, queued_at FROM runs r
       WHERE r.workspace_id = $1 AND r.agent_id = a.id ORDER BY r.queued_at DESC, r.id DESC LIMIT 1) r ON true
     WHERE a.workspace_id = $1 AND (a.archived_at IS NOT NULL) = $2
       AND ($3 = '' OR position(lower($3) IN lower(a.name || ' ' || a.description)) > 0)
       AND ($4::timestamptz IS NULL OR (a.created_at, a.id) > ($4, $5))
     ORDER BY a.created_at, a.id LIMIT $6`,
    [
      list.workspaceId,
      list.archived ?? false,
      storableText(list.search ?? ''),
      list.after?.at ?? null,
      list.after?.id ?? '',
      Math.max(1, Math.min(list.limit ?? limits.agentsOfPage, limits.pageRows)),
    ],
  )
  return rows.map(({ runId, runStatus, runQueuedAt, ...agent }) => ({
    ...agent,
    lastRun: runId ? { id: runId, status: runStatus, queuedAt: runQueuedAt } : null,
  }))
}

export interface AgentVersionInfo {
  number: number
  /** Null: of the draft. */
  publishedAt: Date | null
  /** Null: nobody of the workspace (the first start, an API without a person). */
  publishedBy: { id: string; name: string } | null
  note: string
}

export interface AgentVersion extends AgentVersionInfo {
  configuration: AgentConfiguration
}

export interface AgentDetail {
  id: string
  slug: string
  name: string
  description: string
  createdAt: Date
  archivedAt: Date | null
  /** What holds now, with what is attached now. */
  published: AgentVersion | null
  draft: { configuration: AgentConfiguration; updatedAt: Date; by: { id: string; name: string } | null } | null
  /** To be sent back with a change: what whoever looks at this has seen. */
  seen: SeenAgent
}

/** Null: the workspace has no such agent. */
export async function readAgent(
  db: { pool: Queryable },
  whose: { workspaceId: string; agentId: string },
): Promise<AgentDetail | null> {
  const { rows } = await db.pool.query(
    `SELECT id, slug, name, description, created_at AS "createdAt", archived_at AS "archivedAt"
     FROM agents WHERE id = $1 AND workspace_id = $2`,
    [storableText(whose.agentId), whose.workspaceId],
  )
  const agent = rows[0]
  if (!agent) return null
  const [[published], [draft], liveAttachments] = await Promise.all([
    readVersions(db, `v.agent_id = $1 AND v.published_at IS NOT NULL ORDER BY v.number DESC LIMIT 1`, [agent.id]),
    readVersions(db, `v.agent_id = $1 AND v.published_at IS NULL`, [agent.id]),
    readLiveAttachments(db.pool, agent.id),
  ])
  return {
    ...agent,
    published: published
      ? { ...toVersion(published), configuration: { ...toConfiguration(published), attachments: liveAttachments } }
      : null,
    draft: draft
      ? {
          configuration: toConfiguration(draft),
          updatedAt: draft.updatedAt,
          by: person(draft.draftedBy, draft.drafter),
        }
      : null,
    seen: { version: published?.number ?? 0, draftUpdatedAt: draft?.updatedAt ?? null },
  }
}

/** The published versions, the newest first; `before` is the smallest number of the page before. */
export async function listAgentVersions(
  db: { pool: Queryable },
  list: { workspaceId: string; agentId: string; before?: number | null; limit?: number },
): Promise<AgentVersion[]> {
  const limit = Math.max(1, Math.min(list.limit ?? limits.agentsOfPage, limits.pageRows))
  const rows = await readVersions(
    db,
    `v.workspace_id = $2 AND v.agent_id = $1 AND v.published_at IS NOT NULL AND ($3::int IS NULL OR v.number < $3)
     ORDER BY v.number DESC LIMIT $4`,
    [storableText(list.agentId), list.workspaceId, list.before ?? null, limit],
  )
  return rows.map(toVersion)
}

/** One published version. Null: there is none of this number. */
export async function readAgentVersion(
  db: { pool: Queryable },
  which: { workspaceId: string; agentId: string; number: number },
): Promise<AgentVersion | null> {
  const [row] = await readVersions(
    db,
    'v.workspace_id = $2 AND v.agent_id = $1 AND v.published_at IS NOT NULL AND v.number = $3',
    [storableText(which.agentId), which.workspaceId, which.number],
  )
  return row ? toVersion(row) : null
}

type VersionRow = AgentConfiguration & {
  number: number
  publishedAt: Date | null
  publishedBy: string | null
  publisher: string | null
  draftedBy: string | null
  drafter: string | null
  note: string
  updatedAt: Date
}

async function readVersions(db: { pool: Queryable }, where: string, values: unknown[]): Promise<VersionRow[]> {
  const { rows } = await db.pool.query<VersionRow>(
    `SELECT v.number, v.published_at AS "publishedAt", v.published_by AS "publishedBy", p.name AS publisher,
       v.drafted_by AS "draftedBy", d.name AS drafter, v.note, v.updated_at AS "updatedAt", ${configurationColumns}
     FROM agent_versions v LEFT JOIN members p ON p.id = v.published_by LEFT JOIN members d ON d.id = v.drafted_by
     WHERE ${where}`,
    values,
  )
  return rows
}

const toVersion = (row: VersionRow): AgentVersion => ({
  number: row.number,
  publishedAt: row.publishedAt,
  publishedBy: person(row.publishedBy, row.publisher),
  note: row.note,
  configuration: toConfiguration(row),
})

const person = (id: string | null, name: string | null) => (id === null ? null : { id, name: name ?? id })
