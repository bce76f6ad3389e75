// What an admin decides about a connection to a chat platform: who answers where nothing else is said, and who may talk
// to it (admit.ts asks for that at every word).
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import type { ChannelKind } from './deliveries.ts'
import { limits } from './limits.ts'
import { Problem } from './problem.ts'
import { storableText } from './storable.ts'

export interface Admission {
  /** Everybody of the Slack team may talk to it; elsewhere always false. */
  team: boolean
  /** Who may talk besides: ids of the platform (Slack's with or without the team), and `@names` of Telegram. */
  allow: string[]
}

/** What a channel's settings say. What is no list lets nobody in; Slack is open to its team unless it was closed. */
export function readAdmission({ kind, settings }: { kind: string; settings: unknown }): Admission {
  const { allow, team } = (settings ?? {}) as { allow?: unknown; team?: unknown }
  return {
    team: kind === 'slack' && team !== false,
    allow: Array.isArray(allow) ? allow.map((entry) => String(entry).trim()) : [],
  }
}

/** One entry a line, or with commas or spaces between them. The mistake is a sentence for whoever typed it. */
export function parseAllowList(kind: ChannelKind, text: string): { allow: string[] } | { mistake: string } {
  const entries = new Map<string, string>()
  for (const entry of text.split(/[\s,;]+/).filter(Boolean)) {
    if (!allowable[kind]?.test(entry)) return { mistake: `“${clip(entry)}” is ${expected[kind] ?? 'of no use here'}.` }
    entries.set(entry.toLowerCase(), entry)
  }
  if (entries.size > limits.allowListEntries)
    return { mistake: `Expected at most ${limits.allowListEntries} entries; these are ${entries.size}.` }
  return { allow: [...entries.values()] }
}

const allowable: Partial<Record<ChannelKind, RegExp>> = {
  slack: /^(T[A-Z0-9]{2,20}:)?[UW][A-Z0-9]{2,20}$/,
  telegram: /^(@[A-Za-z][A-Za-z0-9_]{3,31}|[1-9]\d{0,15})$/,
}
const expected: Partial<Record<ChannelKind, string>> = {
  slack: 'not the id of a member of Slack, such as U024BE7LH',
  telegram: 'neither an @name nor the number of a person on Telegram',
}
const clip = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text)

interface ChannelChange {
  workspaceId: string
  channelId: string
  actor: Actor
}

/** Who may talk from now on, as `change` makes it of who may now. False when that is so already. */
export function saveAdmission(
  db: Database,
  input: ChannelChange & { change: (before: Admission) => Admission },
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const channel = await lockChannel(tx, input)
    const before = readAdmission(channel)
    const after = readAdmission({ kind: channel.kind, settings: input.change(before) })
    if (JSON.stringify(after) === JSON.stringify(before)) return false
    await tx.query('UPDATE channels SET settings = settings || $2::jsonb WHERE id = $1', [
      input.channelId,
      JSON.stringify(channel.kind === 'slack' ? after : { allow: after.allow }),
    ])
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'channel.change-admission',
      subject: { kind: 'channel', id: input.channelId },
      data: {
        added: after.allow.filter((entry) => !before.allow.includes(entry)),
        removed: before.allow.filter((entry) => !after.allow.includes(entry)),
        ...(after.team === before.team ? {} : { team: { before: before.team, after: after.team } }),
      },
    })
    return true
  })
}

/**
 * Who answers wherever nothing is bound. False when that is so already. A Telegram chat is one conversation for ever, so
 * those that the former default answered go along; threads and topics keep the agent that they began with.
 */
export function setDefaultAgent(db: Database, input: ChannelChange & { agentId: string }): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const channel = await lockChannel(tx, input)
    if (channel.default_agent_id === input.agentId) return false
    await requireAgent(tx, input)
    await tx.query('UPDATE channels SET default_agent_id = $2 WHERE id = $1', [input.channelId, input.agentId])
    await tx.query(
      `UPDATE conversations c SET agent_id = $3 WHERE c.channel_id = $1 AND c.agent_id = $2 AND c.deleted_at IS NULL
         AND c.external_key !~ '[:#]' AND NOT EXISTS (
           SELECT 1 FROM bindings b WHERE b.channel_id = c.channel_id AND b.place = c.external_key)`,
      [input.channelId, channel.default_agent_id, input.agentId],
    )
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'channel.set-default-agent',
      subject: { kind: 'channel', id: input.channelId },
      data: { agentId: { before: channel.default_agent_id, after: input.agentId } },
    })
    return true
  })
}

export interface LockedChannel {
  kind: ChannelKind
  settings: unknown
  default_agent_id: string | null
}

/** A channel of a chat platform, held until the end of the transaction; the playground's own has no such choices. */
export async function lockChannel(
  tx: Queryable,
  { workspaceId, channelId }: { workspaceId: string; channelId: string },
): Promise<LockedChannel> {
  const { rows } = await tx.query<LockedChannel>(
    `SELECT kind, settings, default_agent_id FROM channels WHERE workspace_id = $1 AND id = $2 AND kind <> 'web'
     FOR NO KEY UPDATE`,
    [workspaceId, storableText(channelId)],
  )
  if (!rows[0]) throw new Problem('There is no such connection in this workspace.', 'Reload the page.')
  return rows[0]
}

export async function requireAgent(
  tx: Queryable,
  { workspaceId, agentId }: { workspaceId: string; agentId: string },
): Promise<void> {
  const { rowCount } = await tx.query(
    'SELECT 1 FROM agents WHERE workspace_id = $1 AND id = $2 AND archived_at IS NULL FOR KEY SHARE',
    [workspaceId, storableText(agentId)],
  )
  if (!rowCount) throw new Problem('There is no such agent in this workspace.', 'Reload the page.')
}
