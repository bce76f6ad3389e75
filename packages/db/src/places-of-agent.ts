import type { Queryable } from './client.ts'
import type { ChannelKind } from './deliveries.ts'
import { limits } from './limits.ts'
import { storableText } from './storable.ts'

/** Where an agent answers: a place that is bound to it, or a channel whose default it is. */
export interface AgentPlace {
  /** Names it in one word: `<channel id>` for a default, `<channel id>/<place>` for a binding. */
  key: string
  channelId: string
  channelName: string
  channelKind: ChannelKind
  /** Null: it is the channel's default. */
  place: string | null
}

/** Defaults first. */
export async function listPlacesOfAgent(
  db: { pool: Queryable },
  whose: { workspaceId: string; agentId: string },
): Promise<AgentPlace[]> {
  const { rows } = await db.pool.query(
    `SELECT c.id AS key, c.id AS "channelId", c.name AS "channelName", c.kind AS "channelKind", NULL AS place
     FROM channels c WHERE c.workspace_id = $1 AND c.default_agent_id = $2
     UNION ALL SELECT c.id || '/' || b.place, c.id, c.name, c.kind, b.place
     FROM bindings b JOIN channels c ON c.id = b.channel_id WHERE b.workspace_id = $1 AND b.agent_id = $2
     ORDER BY place NULLS FIRST, key LIMIT $3`,
    [whose.workspaceId, storableText(whose.agentId), limits.pageRows],
  )
  return rows
}
