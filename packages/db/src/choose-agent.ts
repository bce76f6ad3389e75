// Who answers in a place of a channel: the agent that is bound to it, or the channel's default.
import { recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { storableText } from './storable.ts'

export interface ChoosableAgent {
  id: string
  slug: string
  name: string
  description: string
  /** It answers in this place now. */
  chosen: boolean
}

/** The agents of the channel's workspace that have a published version, by name. */
export async function listChoosableAgents(
  db: { pool: Queryable },
  where: { channelId: string; place: string; conversationKey: string | null },
): Promise<ChoosableAgent[]> {
  const { rows } = await db.pool.query(
    `SELECT a.id, a.slug, a.name, a.description, a.id IS NOT DISTINCT FROM coalesce(c.agent_id, b.agent_id, ch.default_agent_id) AS chosen
     FROM channels ch JOIN agents a ON a.workspace_id = ch.workspace_id AND a.archived_at IS NULL
       AND EXISTS (SELECT 1 FROM agent_versions v WHERE v.agent_id = a.id AND v.published_at IS NOT NULL)
     LEFT JOIN bindings b ON b.channel_id = ch.id AND b.place = $2
     LEFT JOIN conversations c ON c.channel_id = ch.id AND c.external_key = $3
     WHERE ch.id = $1 ORDER BY a.name, a.id`,
    [
      where.channelId,
      storableText(where.place),
      where.conversationKey === null ? null : storableText(where.conversationKey),
    ],
  )
  return rows
}

/**
 * From now on this agent answers in the place, and in the conversation from its next run on. False: the workspace has no
 * such agent.
 */
export function chooseAgent(
  db: Database,
  choice: { channelId: string; place: string; conversationKey: string | null; agentId: string; memberId: string },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query(
      `INSERT INTO bindings (workspace_id, channel_id, place, agent_id)
       SELECT ch.workspace_id, ch.id, $2, a.id FROM channels ch
       JOIN agents a ON a.workspace_id = ch.workspace_id AND a.id = $3 AND a.archived_at IS NULL WHERE ch.id = $1
       ON CONFLICT (channel_id, place) DO UPDATE SET agent_id = excluded.agent_id RETURNING workspace_id`,
      [choice.channelId, storableText(choice.place), storableText(choice.agentId)],
    )
    if (!rows[0]) return false
    if (choice.conversationKey !== null)
      await tx.query('UPDATE conversations SET agent_id = $3 WHERE channel_id = $1 AND external_key = $2', [
        choice.channelId,
        storableText(choice.conversationKey),
        choice.agentId,
      ])
    await recordAudit(tx, {
      workspaceId: rows[0].workspace_id,
      actor: { kind: 'member', id: choice.memberId },
      action: 'binding.save',
      subject: { kind: 'channel', id: choice.channelId },
      data: { place: choice.place, agentId: choice.agentId },
    })
    return true
  })
}
