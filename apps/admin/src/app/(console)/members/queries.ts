import type { Role } from '@quartermaster/db'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'

export interface KnownAs {
  id: string
  kind: 'console' | 'slack' | 'telegram'
  /** What the account is called there: a name, for the console the e-mail. */
  name: string
  /** The Slack team, where it is still connected. */
  where: string | null
  createdAt: string
}

export interface FoundMember {
  id: string
  name: string
  email: string | null
  role: Role
  disabledAt: Date | null
  createdAt: Date
  /** When they used the console last, or opened a conversation of which there was news. */
  seenAt: Date | null
  identities: KnownAs[]
}

export interface MemberFilter {
  q: string | null
  role: Role | null
  state: 'enabled' | 'disabled' | null
}

const pageRows = 50

const columns = `m.id, m.name, m.email, m.role, m.disabled_at AS "disabledAt", m.created_at AS "createdAt",
  greatest(
    (SELECT max(s.seen_at) FROM identities i JOIN login_sessions s ON s.login_id = i.login_id
     WHERE i.workspace_id = m.workspace_id AND i.member_id = m.id),
    (SELECT max(c.last_activity_at) FROM channels ch CROSS JOIN LATERAL (
       SELECT c.last_activity_at FROM conversations c WHERE c.channel_id = ch.id AND c.opened_by = m.id
       ORDER BY c.last_activity_at DESC LIMIT 1) c
     WHERE ch.workspace_id = m.workspace_id)
  ) AS "seenAt",
  coalesce((SELECT jsonb_agg(jsonb_build_object('id', i.id, 'kind', i.kind, 'createdAt', i.created_at, 'where', ch.name,
        'name', coalesce(l.email, nullif(i.display_name, ''), i.external_id)) ORDER BY i.kind, i.created_at, i.id)
     FROM identities i LEFT JOIN logins l ON l.id = i.login_id
     LEFT JOIN channels ch ON ch.workspace_id = i.workspace_id AND ch.kind = 'slack' AND i.kind = 'slack'
       AND ch.external_id = split_part(i.external_id, ':', 1)
     WHERE i.workspace_id = m.workspace_id AND i.member_id = m.id), '[]') AS identities`

/** By name. The key of a page is the last member of the one before: `after`. */
export async function findMembers(
  workspaceId: string,
  filter: MemberFilter,
  after: unknown,
): Promise<{ members: FoundMember[]; next: string | null }> {
  const { rows } = await runtime().db.pool.query<FoundMember>(
    `SELECT ${columns} FROM members m
     WHERE m.workspace_id = $1 AND ($2::text IS NULL OR m.name ILIKE $2 OR m.email ILIKE $2)
       AND ($3::text IS NULL OR m.role = $3::text::role)
       AND ($4::text IS NULL OR (m.disabled_at IS NOT NULL) = ($4 = 'disabled'))
       AND ($5::text IS NULL OR (m.name, m.id) > (SELECT a.name, a.id FROM members a WHERE a.workspace_id = $1 AND a.id = $5))
     ORDER BY m.name, m.id LIMIT $6`,
    [workspaceId, filter.q && like(filter.q), filter.role, filter.state, parseId(after), pageRows + 1],
  )
  const members = rows.slice(0, pageRows)
  return { members, next: rows.length > pageRows ? (members.at(-1)?.id ?? null) : null }
}

const like = (text: string) => `%${text.replace(/[\\%_]/g, '\\$&')}%`
const parseId = (text: unknown) => (typeof text === 'string' && /^[\w-]{1,64}$/.test(text) ? text : null)

export async function readMember(workspaceId: string, id: string): Promise<FoundMember | null> {
  const { rows } = await runtime().db.pool.query<FoundMember>(
    `SELECT ${columns} FROM members m WHERE m.workspace_id = $1 AND m.id = $2`,
    [workspaceId, parseId(id)],
  )
  return rows[0] ?? null
}

/** The login behind a member; null where they are known only on chat platforms. */
export async function findLoginId(workspaceId: string, memberId: string): Promise<string | null> {
  const { rows } = await runtime().db.pool.query(
    `SELECT login_id FROM identities WHERE workspace_id = $1 AND member_id = $2 AND kind = 'console'`,
    [workspaceId, memberId],
  )
  return rows[0]?.login_id ?? null
}

export interface ThreadApproval {
  id: string
  tool: string
  conversation: string
  uses: number
  maxUses: number
  createdAt: Date
  expiresAt: Date
  active: boolean
}

/** What they approved for a whole thread, the newest. */
export async function listThreadApprovals(workspaceId: string, memberId: string): Promise<ThreadApproval[]> {
  const { rows } = await runtime().db.pool.query<ThreadApproval>(
    `SELECT e.id, e.tool_name AS tool, c.title AS conversation, e.uses, e.max_uses AS "maxUses",
       e.created_at AS "createdAt", e.expires_at AS "expiresAt",
       e.revoked_at IS NULL AND e.expires_at > now() AND e.uses < e.max_uses AS active
     FROM leases e JOIN conversations c ON c.workspace_id = e.workspace_id AND c.id = e.conversation_id
     WHERE e.workspace_id = $1 AND e.granted_by = $2 ORDER BY e.created_at DESC, e.id DESC LIMIT 10`,
    [workspaceId, memberId],
  )
  return rows
}

export const parseFilter = (query: Record<string, string | string[] | undefined>): MemberFilter => ({
  q: typeof query.q === 'string' && query.q.trim() ? query.q.trim().slice(0, 200) : null,
  role: data.roles.find((role) => role === query.role) ?? null,
  state: (['enabled', 'disabled'] as const).find((state) => state === query.state) ?? null,
})
