// Which agent answers in a place of a channel, as an admin says it in the console. In the chat it is chooseAgent.
import { type Actor, recordAudit } from './audit.ts'
import { lockChannel, requireAgent } from './channel-settings.ts'
import { type Database, inTransaction, type Queryable } from './client.ts'
import type { ChannelKind } from './deliveries.ts'

/** The place that somebody means: its id, or for Slack a link to it. The mistake is a sentence for them. */
export function parsePlace(kind: ChannelKind, text: string): { place: string } | { mistake: string } {
  const given = text.trim()
  if (kind === 'slack') {
    const id = /^https:\/\/[^/\s]+\/archives\/([A-Z0-9]+)/.exec(given)?.[1] ?? given
    if (/^[CDG][A-Z0-9]{2,20}$/.test(id)) return { place: id }
    return {
      mistake:
        'Expected the id of a Slack channel, such as C024BE91L (it stands at the end of its details), or its link.',
    }
  }
  if (/^-?[1-9]\d{0,15}$/.test(given)) return { place: given }
  return {
    mistake: 'Expected the number of a Telegram chat, such as -1001234567890: one where somebody wrote is offered.',
  }
}

interface PlaceOf {
  workspaceId: string
  channelId: string
  place: string
  actor: Actor
}

/** The agent that a place would be taken from. */
export interface PlaceTaken {
  answeredBy: { id: string; name: string }
}

/**
 * From now on this agent answers there. False when it does already. Open threads and topics keep their agent. With
 * `instead` only the agent of that id is put out of its place (empty: none is): a place is not taken from another one
 * unseen.
 */
export function saveBinding(
  db: Database,
  input: PlaceOf & { agentId: string; instead?: string | undefined },
): Promise<boolean | PlaceTaken> {
  return inTransaction(db, async (tx) => {
    await lockChannel(tx, input)
    await requireAgent(tx, input)
    const before = await findBinding(tx, input)
    if (before === input.agentId) return false
    if (before && input.instead !== undefined && input.instead !== before) {
      const { rows } = await tx.query('SELECT name FROM agents WHERE workspace_id = $1 AND id = $2', [
        input.workspaceId,
        before,
      ])
      return { answeredBy: { id: before, name: rows[0]?.name ?? before } }
    }
    await tx.query(
      `INSERT INTO bindings (workspace_id, channel_id, place, agent_id) VALUES ($1, $2, $3, $4)
       ON CONFLICT (channel_id, place) DO UPDATE SET agent_id = excluded.agent_id`,
      [input.workspaceId, input.channelId, input.place, input.agentId],
    )
    await moveChat(tx, input, input.agentId)
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'binding.save',
      subject: { kind: 'channel', id: input.channelId },
      data: { place: input.place, agentId: input.agentId, ...(before ? { before } : {}) },
    })
    return true
  })
}

/** From now on the channel's default agent answers there. False when nothing was bound. */
export function removeBinding(db: Database, input: PlaceOf): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const channel = await lockChannel(tx, input)
    const before = await findBinding(tx, input)
    if (!before) return false
    await tx.query('DELETE FROM bindings WHERE channel_id = $1 AND place = $2', [input.channelId, input.place])
    if (channel.default_agent_id) await moveChat(tx, input, channel.default_agent_id)
    await recordAudit(tx, {
      workspaceId: input.workspaceId,
      actor: input.actor,
      action: 'binding.remove',
      subject: { kind: 'channel', id: input.channelId },
      data: { place: input.place, agentId: before },
    })
    return true
  })
}

async function findBinding(tx: Queryable, { channelId, place }: PlaceOf): Promise<string | null> {
  const { rows } = await tx.query('SELECT agent_id FROM bindings WHERE channel_id = $1 AND place = $2', [
    channelId,
    place,
  ])
  return rows[0]?.agent_id ?? null
}

/** A Telegram chat without topics is one conversation for ever: it has to change hands, or the binding meant nothing. */
async function moveChat(tx: Queryable, { channelId, place }: PlaceOf, agentId: string): Promise<void> {
  await tx.query(
    'UPDATE conversations SET agent_id = $3 WHERE channel_id = $1 AND external_key = $2 AND deleted_at IS NULL',
    [channelId, place, agentId],
  )
}
