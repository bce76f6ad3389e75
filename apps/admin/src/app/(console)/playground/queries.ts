import type { ListedConversation } from '@quartermaster/db'
import { data } from '../../../data.ts'
import { type PageKey, pageOf } from '../../../paging.ts'
import { playgroundLimits as limits } from '../../../playground/limits.ts'
import { runtime } from '../../../runtime.ts'

export interface SessionPage {
  sessions: ListedConversation[]
  /** Where the next page begins, for the address. */
  next: string | null
}

interface Whose {
  workspaceId: string
  memberId: string
}

/** The member's own sessions, the most recent first. */
export async function listSessions(
  whose: Whose,
  { after, limit = limits.sessions }: { after: PageKey | null; limit?: number },
): Promise<SessionPage> {
  const { db } = runtime()
  const { workspaceId, memberId } = whose
  const channelId = await data.findWebChannel(db, workspaceId)
  if (!channelId) return { sessions: [], next: null }
  const found = await data.listConversations(db, {
    ...{ workspaceId, memberId, channelId, limit: limit + 1 },
    ...(after ? { before: { id: after.id, lastActivityAt: after.at } } : {}),
  })
  const { rows, next } = pageOf(found, limit, ({ id, lastActivityAt }) => ({ id, at: lastActivityAt }))
  return { sessions: rows, next }
}

export interface ListedAgent {
  id: string
  name: string
  description: string
}

/** Those that can answer: they have a published version. */
export async function listAgents(workspaceId: string): Promise<ListedAgent[]> {
  const { rows } = await runtime().db.pool.query(
    `SELECT a.id, a.name, a.description FROM agents a WHERE a.workspace_id = $1 AND a.archived_at IS NULL
       AND EXISTS (SELECT 1 FROM agent_versions v WHERE v.agent_id = a.id AND v.published_at IS NOT NULL)
     ORDER BY a.created_at, a.id LIMIT $2`,
    [workspaceId, data.limits.pageRows],
  )
  return rows
}

/** Who answers now: a model, the one that needs no key, or nobody, because no bot is alive. */
export type Answering = 'model' | 'offline' | 'nobody'

export async function findAnswering(): Promise<Answering> {
  const bots = (await data.listProcesses(runtime().db)).filter(({ kind }) => kind === 'bot')
  if (!bots.length) return 'nobody'
  return bots.some(({ health }) => health?.model.state === 'off') ? 'offline' : 'model'
}
