import type { ListedConversation } from '@quartermaster/db'
import { data } from '../../../data.ts'
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
export async function listSessions(whose: Whose, before: unknown): Promise<SessionPage> {
  const { db } = runtime()
  const channelId = await data.findWebChannel(db, whose.workspaceId)
  if (!channelId) return { sessions: [], next: null }
  const cursor = parseCursor(before)
  const found = await data.listConversations(db, {
    ...whose,
    channelId,
    limit: limits.sessions + 1,
    ...(cursor ? { before: cursor } : {}),
  })
  const sessions = found.slice(0, limits.sessions)
  const last = sessions.at(-1)
  return {
    sessions,
    next: found.length > limits.sessions && last ? `${last.lastActivityAt.toISOString()}~${last.id}` : null,
  }
}

/** It comes out of an address; what is no cursor means the first page. */
function parseCursor(text: unknown): { id: string; lastActivityAt: Date } | null {
  if (typeof text !== 'string') return null
  const [time = '', id = ''] = text.split('~', 2)
  const lastActivityAt = new Date(time)
  return Number.isNaN(lastActivityAt.getTime()) || !/^[\w-]{1,64}$/.test(id) ? null : { id, lastActivityAt }
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
