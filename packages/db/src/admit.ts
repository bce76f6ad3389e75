// Who somebody on a chat platform is. The platform vouches for the id; whether that person may talk is decided here:
// whoever was linked by a code is that member; in Slack everybody of the team becomes a member at their first word,
// guests and people of other teams excepted, unless the channel's settings close it; anywhere, whoever stands on the
// channel's allow-list does. Everybody else is a stranger, and is told so once.
import { recordAudit } from './audit.ts'
import { readAdmission } from './channel-settings.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import type { Role } from './roles.ts'
import { storableText } from './storable.ts'

export interface PlatformPerson {
  /** `team:user` for Slack, the user id for Telegram. */
  externalId: string
  name: string
  /** The name by which others find them (`@ada`), where the platform has such names; without the `@`. */
  username?: string
  isGuest?: boolean
}

export type Admitted =
  | { memberId: string; role: Role; workspaceId: string }
  /** `tell`: they have not been told yet. */
  | { stranger: true; tell: boolean }

export async function admit(
  db: Database,
  { channelId, person }: { channelId: string; person: PlatformPerson },
): Promise<Admitted> {
  const externalId = storableText(person.externalId)
  const known = await findMember(db.pool, channelId, externalId)
  if (known && mayTalk(known, person)) return admitted(known)
  return inTransaction(db, async (tx) => {
    // Two first words at once: the second one waits here and then finds the member.
    await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`admit:${channelId}:${externalId}`])
    const again = await findMember(tx, channelId, externalId)
    if (again && mayTalk(again, person)) return admitted(again)
    const joins = again ? null : await findWayIn(tx, channelId, person)
    return joins ? makeMember(tx, joins, person, externalId) : await refuse(tx, channelId, externalId)
  })
}

/** The member behind a person, without making anybody one; null for strangers. */
export async function findAdmitted(
  db: { pool: Queryable },
  { channelId, person }: { channelId: string; person: PlatformPerson },
): Promise<{ memberId: string; role: Role; workspaceId: string } | null> {
  const known = await findMember(db.pool, channelId, storableText(person.externalId))
  return known && mayTalk(known, person) ? admitted(known) : null
}

interface KnownMember {
  member_id: string
  workspace_id: string
  role: Role
  disabled: boolean
  auto: boolean
  kind: string
  settings: unknown
}

async function findMember(tx: Queryable, channelId: string, externalId: string): Promise<KnownMember | null> {
  const { rows } = await tx.query<KnownMember>(
    `SELECT m.id AS member_id, m.workspace_id, m.role, m.disabled_at IS NOT NULL AS disabled, i.auto,
       ch.kind, ch.settings
     FROM channels ch JOIN identities i ON i.workspace_id = ch.workspace_id AND i.kind::text = ch.kind::text AND i.external_id = $2
     JOIN members m ON m.workspace_id = i.workspace_id AND m.id = i.member_id WHERE ch.id = $1`,
    [channelId, externalId],
  )
  return rows[0] ?? null
}

/**
 * Whoever came in by their first word stays as long as they would come in today: somebody who has become a guest, or was
 * taken off the allow-list, is a stranger again, until they bring a code.
 */
const mayTalk = (member: KnownMember, person: PlatformPerson) =>
  !member.disabled && (!member.auto || isWelcome(member, person))

const admitted = ({ member_id, role, workspace_id }: KnownMember) => ({
  memberId: member_id,
  role,
  workspaceId: workspace_id,
})

interface WayIn {
  workspaceId: string
  kind: 'slack' | 'telegram'
}

async function findWayIn(tx: Queryable, channelId: string, person: PlatformPerson): Promise<WayIn | null> {
  const { rows } = await tx.query('SELECT workspace_id, kind, settings FROM channels WHERE id = $1', [channelId])
  const channel = rows[0]
  if (!channel) throw new Error(`there is no channel ${channelId}`)
  return isWelcome(channel, person) ? { workspaceId: channel.workspace_id, kind: channel.kind } : null
}

/** Without a code: by the allow-list, or as one of the Slack team where it is open to them (see channel-settings.ts). */
function isWelcome(channel: { kind: string; settings: unknown }, person: PlatformPerson): boolean {
  const { allow, team } = readAdmission(channel)
  return isListed(allow, person) || (team && !person.isGuest)
}

/** `allow`: ids, for Slack also without the team, and `@names`. */
function isListed(allow: string[], { externalId, username }: PlatformPerson): boolean {
  const names = new Set([externalId, externalId.split(':').at(-1)])
  const handle = username ? `@${username.toLowerCase()}` : null
  return allow.some((entry) => names.has(entry) || (handle !== null && entry.toLowerCase() === handle))
}

async function makeMember(
  tx: Queryable,
  { workspaceId, kind }: WayIn,
  person: PlatformPerson,
  externalId: string,
): Promise<Admitted> {
  const memberId = newId('mem')
  const name = storableText(person.name.trim() || externalId)
  await tx.query(`INSERT INTO members (id, workspace_id, name, role) VALUES ($1, $2, $3, 'member')`, [
    memberId,
    workspaceId,
    name,
  ])
  await tx.query(
    `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, display_name, auto)
     VALUES ($1, $2, $3, $4::identity_kind, $5, $6, true)`,
    [newId('idn'), workspaceId, memberId, kind, externalId, name],
  )
  await recordAudit(tx, {
    workspaceId,
    actor: { kind: 'system', id: kind },
    action: 'member.join',
    subject: { kind: 'member', id: memberId },
    data: { kind, externalId },
  })
  return { memberId, role: 'member', workspaceId }
}

async function refuse(tx: Queryable, channelId: string, externalId: string): Promise<Admitted> {
  const { rowCount } = await tx.query(
    `INSERT INTO strangers (channel_id, external_id, workspace_id) SELECT id, $2, workspace_id FROM channels WHERE id = $1
     ON CONFLICT (channel_id, external_id) DO NOTHING`,
    [channelId, externalId],
  )
  return { stranger: true, tell: rowCount === 1 }
}
