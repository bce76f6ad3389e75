import { runtime } from '../../../../runtime.ts'

export interface OwnIdentity {
  id: string
  kind: 'console' | 'slack' | 'telegram'
  /** What the account is called there: a name, for the console the e-mail. */
  name: string
  /** The Slack team, where it is still connected. */
  where: string | null
  createdAt: Date
}

/** Under which names this member is known, the console first. */
export async function listOwnIdentities(member: { workspaceId: string; memberId: string }): Promise<OwnIdentity[]> {
  const { rows } = await runtime().db.pool.query(
    `SELECT i.id, i.kind, coalesce(l.email, nullif(i.display_name, ''), i.external_id) AS name, ch.name AS "where",
       i.created_at AS "createdAt"
     FROM identities i LEFT JOIN logins l ON l.id = i.login_id
     LEFT JOIN channels ch ON ch.workspace_id = i.workspace_id AND ch.kind = 'slack' AND i.kind = 'slack'
       AND ch.external_id = split_part(i.external_id, ':', 1)
     WHERE i.workspace_id = $1 AND i.member_id = $2 ORDER BY i.kind, i.created_at, i.id`,
    [member.workspaceId, member.memberId],
  )
  return rows
}

export interface ConnectedPlatform {
  kind: 'slack' | 'telegram'
  /** The bot's name on Telegram, without its @; null where it is not known. */
  bot: string | null
}

/** The chat platforms that this workspace has a connection to, each once. */
export async function listConnectedPlatforms(workspaceId: string): Promise<ConnectedPlatform[]> {
  const { rows } = await runtime().db.pool.query(
    `SELECT DISTINCT ON (kind) kind, CASE kind WHEN 'telegram' THEN substring(name FROM '^@(\\w+)$') END AS bot
     FROM channels WHERE workspace_id = $1 AND kind <> 'web' ORDER BY kind, created_at, id`,
    [workspaceId],
  )
  return rows
}
