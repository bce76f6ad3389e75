// One person on Slack, Telegram and the console is one member: a member gets a code where they are known, and says it
// where they are not. Whoever says it is that member from then on, so it is short-lived, counted and used once.
import { createHash, randomInt } from 'node:crypto'
import { countAttempt, forgetAttempts } from './attempts.ts'
import { recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import { newId } from './ids.ts'
import { limits } from './limits.ts'
import { mergeMember } from './merge-member.ts'
import { Problem } from './problem.ts'
import { storableText } from './storable.ts'

/** No letter or digit that is taken for another: 27 of them, eight times, are 38 bits for ten minutes. */
const alphabet = 'ACDEFGHJKLMNPQRTUVWXY346789'

/** As people type it: in any case, with or without the dash. */
const hashOf = (code: string) =>
  createHash('sha256')
    .update(`link code ${code.toUpperCase().replace(/[^A-Z0-9]/g, '')}`)
    .digest()

/** A new code for a member; the one before it, if any, holds no more. Throws a Problem for a member who is disabled. */
export function createLinkCode(
  db: Database,
  { workspaceId, memberId }: { workspaceId: string; memberId: string },
): Promise<{ code: string; expiresAt: Date }> {
  const letters = Array.from({ length: 8 }, () => alphabet[randomInt(alphabet.length)]).join('')
  const code = `${letters.slice(0, 4)}-${letters.slice(4)}`
  return inTransaction(db, async (tx) => {
    await tx.query('DELETE FROM link_codes WHERE expires_at < now()')
    const { rows } = await tx.query(
      `INSERT INTO link_codes (code_hash, workspace_id, member_id, expires_at)
       SELECT $3, workspace_id, id, now() + $4 * interval '1 millisecond' FROM members
       WHERE id = $1 AND workspace_id = $2 AND disabled_at IS NULL
       ON CONFLICT (member_id) DO UPDATE SET code_hash = excluded.code_hash, created_at = now(), expires_at = excluded.expires_at
       RETURNING expires_at`,
      [memberId, workspaceId, hashOf(code), limits.linkCodeMs],
    )
    if (!rows[0]) throw new Problem('There is no such member in this workspace.', 'Reload the list.')
    await recordAudit(tx, {
      workspaceId,
      actor: { kind: 'member', id: memberId },
      action: 'member.create-link-code',
      subject: { kind: 'member', id: memberId },
    })
    return { code, expiresAt: rows[0].expires_at }
  })
}

export type Linked =
  | { ok: true; memberId: string; name: string }
  /** `wrong`: no such code, or it has expired, was used, or is another workspace's. */
  | { ok: false; reason: 'wrong' }
  | { ok: false; reason: 'too-many'; secondsLeft: number }
  /** The identity is the last owner's own, and would leave the workspace without one. */
  | { ok: false; reason: 'last-owner' }

export interface RedeemedCode {
  code: string
  channelId: string
  person: { externalId: string; name: string }
}

export async function redeemLinkCode(db: Database, redeemed: RedeemedCode): Promise<Linked> {
  const key = `link:${redeemed.channelId}:${redeemed.person.externalId}`
  // Counted before it is looked at: of many tries at once, all count.
  const { count, secondsLeft } = await countAttempt(db, key, limits.linkWindowMs)
  if (count > limits.linkTries) return { ok: false, reason: 'too-many', secondsLeft }
  try {
    const linked = await inTransaction(db, (tx) => link(tx, redeemed))
    if (linked.ok) await forgetAttempts(db, key)
    return linked
  } catch (error) {
    if ((error as { constraint?: string }).constraint !== 'members_keep_an_owner') throw error
    return { ok: false, reason: 'last-owner' }
  }
}

async function link(tx: Queryable, { code, channelId, person }: RedeemedCode): Promise<Linked> {
  const { rows: channels } = await tx.query('SELECT workspace_id, kind FROM channels WHERE id = $1', [channelId])
  const channel = channels[0]
  if (!channel || channel.kind === 'web') return { ok: false, reason: 'wrong' }
  const workspaceId: string = channel.workspace_id
  // Before the audit chain, as everybody takes the two (see members.ts).
  await tx.query('SELECT 1 FROM workspaces WHERE id = $1 FOR NO KEY UPDATE', [workspaceId])
  const { rows } = await tx.query(
    `DELETE FROM link_codes c USING members m WHERE c.code_hash = $1 AND c.workspace_id = $2 AND c.expires_at > now()
       AND m.id = c.member_id AND m.disabled_at IS NULL RETURNING m.id, m.name`,
    [hashOf(code), workspaceId],
  )
  const member = rows[0]
  if (!member) return { ok: false, reason: 'wrong' }
  const externalId = storableText(person.externalId)
  const { rows: before } = await tx.query(
    `SELECT id, member_id FROM identities WHERE workspace_id = $1 AND kind = $2::text::identity_kind AND external_id = $3 FOR UPDATE`,
    [workspaceId, channel.kind, externalId],
  )
  const identity = before[0]
  if (identity)
    await tx.query('UPDATE identities SET member_id = $2, auto = false WHERE id = $1', [identity.id, member.id])
  else
    await tx.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id, display_name)
       VALUES ($1, $2, $3, $4::text::identity_kind, $5, $6)`,
      [newId('idn'), workspaceId, member.id, channel.kind, externalId, storableText(person.name)],
    )
  const formerId = identity && identity.member_id !== member.id ? (identity.member_id as string) : null
  const merged = formerId !== null && (await mergeMember(tx, { workspaceId, from: formerId, to: member.id }))
  await tx.query('DELETE FROM strangers WHERE channel_id = $1 AND external_id = $2', [channelId, externalId])
  await recordAudit(tx, {
    workspaceId,
    actor: { kind: 'member', id: member.id },
    action: 'member.link-identity',
    subject: { kind: 'member', id: member.id },
    data: { kind: channel.kind, externalId, ...(formerId ? { from: formerId, merged } : {}) },
  })
  return { ok: true, memberId: member.id, name: member.name }
}
