// A connection to a chat platform as the rest of the house knows it: one row a Slack workspace or Telegram bot.
import { recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import type { ChannelKind } from './deliveries.ts'
import { demoWorkspaceId } from './demo/demo-workspace-id.ts'
import { newId } from './ids.ts'
import { Problem } from './problem.ts'
import { storableText } from './storable.ts'

export interface OpenedChannel {
  id: string
  workspaceId: string
}

/**
 * The channel of a platform's connection (a team, a bot). Where there is none it is made, for the first workspace that
 * is not the demo, which pretends to be older and is thrown away. Of many who ask at once, one makes it.
 */
export async function openChannel(
  db: Database,
  channel: { kind: Exclude<ChannelKind, 'web'>; externalId: string; name: string },
): Promise<OpenedChannel> {
  const found = await findChannel(db.pool, channel)
  if (found) return found
  return inTransaction(db, async (tx) => {
    // Two processes that connect together: the second one waits here and then finds it made.
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
      `channel:${channel.kind}:${channel.externalId}`,
    ])
    const again = await findChannel(tx, channel)
    if (again) return again
    const { rows } = await tx.query(
      `SELECT w.id, (SELECT a.id FROM agents a WHERE a.workspace_id = w.id AND a.archived_at IS NULL
         ORDER BY a.id = (SELECT c.default_agent_id FROM channels c WHERE c.workspace_id = w.id AND c.kind = 'web' LIMIT 1) DESC NULLS LAST,
           a.created_at, a.id LIMIT 1) AS agent_id
       FROM workspaces w ORDER BY w.id = $1, w.created_at, w.id LIMIT 1`,
      [demoWorkspaceId],
    )
    const workspace = rows[0]
    if (!workspace)
      throw new Problem('There is no workspace that this channel could belong to.', 'Run "npm start" once.')
    const id = newId('chn')
    await tx.query(
      `INSERT INTO channels (id, workspace_id, kind, name, external_id, default_agent_id)
       VALUES ($1, $2, $3::channel_kind, $4, $5, $6)`,
      [
        id,
        workspace.id,
        channel.kind,
        storableText(channel.name),
        storableText(channel.externalId),
        workspace.agent_id,
      ],
    )
    await recordAudit(tx, {
      workspaceId: workspace.id,
      actor: { kind: 'system', id: channel.kind },
      action: 'channel.create',
      subject: { kind: 'channel', id },
      data: { kind: channel.kind, externalId: channel.externalId },
    })
    return { id, workspaceId: workspace.id }
  })
}

async function findChannel(
  tx: Queryable,
  { kind, externalId }: { kind: ChannelKind; externalId: string },
): Promise<OpenedChannel | null> {
  const { rows } = await tx.query(
    `SELECT id, workspace_id FROM channels WHERE kind = $1::channel_kind AND external_id = $2 ORDER BY created_at LIMIT 1`,
    [kind, storableText(externalId)],
  )
  return rows[0] ? { id: rows[0].id, workspaceId: rows[0].workspace_id } : null
}

export type ChannelStatus = 'connected' | 'disconnected' | 'failing'

/** How the connection is, for the console. Written only where it differs; true where it did. */
export async function setChannelStatus(
  db: { pool: Queryable },
  channelId: string,
  status: ChannelStatus,
  detail = '',
): Promise<boolean> {
  const { rowCount } = await db.pool.query(
    `UPDATE channels SET status = $2::channel_status, status_detail = $3
     WHERE id = $1 AND (status, status_detail) IS DISTINCT FROM ($2::channel_status, $3)`,
    [channelId, status, storableText(detail)],
  )
  return rowCount === 1
}
