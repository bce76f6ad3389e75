import { type ChannelKind, type Database, Problem } from '@quartermaster/db'

export interface ChatChannel {
  kind: ChannelKind
  workspaceId: string
}

export async function readChatChannel(db: Pick<Database, 'pool'>, channelId: string): Promise<ChatChannel> {
  const { rows } = await db.pool.query('SELECT kind, workspace_id AS "workspaceId" FROM channels WHERE id = $1', [
    channelId,
  ])
  if (!rows[0]) throw new Problem(`There is no channel ${channelId}.`, 'Connect the platform again.')
  return rows[0]
}
