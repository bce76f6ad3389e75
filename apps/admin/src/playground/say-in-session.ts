import type { Received } from '@quartermaster/db'
import { data } from '../data.ts'
import { runtime } from '../runtime.ts'
import type { ContentBlock } from './read-content.ts'

export interface SaidInSession {
  workspaceId: string
  memberId: string
  /** A session of this member, or a name that they choose for a new one. */
  sessionId: string
  /** Who is to answer; a new session needs one. */
  agentId?: string | undefined
  /** Made by whoever sends; sent again, it is a duplicate. */
  eventId: string
  content: ContentBlock[]
}

/** Takes the message in, in the session that is there or in a new one of that name. */
export async function sayInSession(said: SaidInSession): Promise<Received> {
  const { db } = runtime()
  const { workspaceId, memberId, sessionId, agentId, eventId, content } = said
  const title = titleOf(content)
  const message = { memberId, content, title, ...(agentId === undefined ? {} : { agentId }) }
  const own = await data.receivePlaygroundMessage(db, { ...message, workspaceId, conversationId: sessionId, eventId })
  if (own) return own
  // The name counts among this member's own sessions only: somebody else may use the same one for another.
  const key = `${memberId}:${sessionId}`
  const channelId = await data.ensureWebChannel(db, workspaceId)
  return data.receiveEvent(db, {
    ...message,
    channelId,
    place: key,
    conversationKey: key,
    eventId: `${key}:${eventId}`,
  })
}

/** The conversation that a session's id or name means to this member; null when they have none. */
export async function findSessionOf(whose: {
  workspaceId: string
  memberId: string
  sessionId: string
}): Promise<string | null> {
  const { rows } = await runtime().db.pool.query(
    `SELECT c.id FROM conversations c JOIN channels ch ON ch.id = c.channel_id AND ch.kind = 'web'
     WHERE c.workspace_id = $1 AND c.opened_by = $2 AND (c.id = $3 OR c.external_key = $4)
     ORDER BY c.id = $3 DESC LIMIT 1`,
    [whose.workspaceId, whose.memberId, whose.sessionId, `${whose.memberId}:${whose.sessionId}`],
  )
  return rows[0]?.id ?? null
}

/** The first line of what was written, short enough for a list. */
function titleOf(content: readonly ContentBlock[]): string {
  const text = content.findLast((block) => block.type === 'text')?.text ?? ''
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length > 80 ? `${line.slice(0, 79)}…` : line
}
