import type { Admission, ListedProcess } from '@quartermaster/db'
import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'

export type PlatformKind = 'slack' | 'telegram'

export interface ListedChannel {
  id: string
  kind: PlatformKind
  name: string
  externalId: string
  status: 'connected' | 'disconnected' | 'failing'
  statusDetail: string
  defaultAgentId: string | null
  admission: Admission
  bindings: ListedBinding[]
  places: KnownPlace[]
  strangers: { externalId: string; toldAt: Date }[]
}

export interface ListedBinding {
  place: string
  agentId: string
  agentName: string
}

/** A place where somebody wrote, by its newest conversation there. */
export interface KnownPlace {
  place: string
  title: string
  /** Who opened that conversation; in a direct chat, who it is with. */
  person: string | null
  lastActivityAt: Date
}

export interface ChoosableAgent {
  id: string
  name: string
}

/** How many conversations are looked at for places, the newest; and how many places and strangers are shown of each. */
const looked = { conversations: 1_000, places: 30, strangers: 5 }

/** Every connection of the workspace to a chat platform, the oldest first. */
export async function listChannels(workspaceId: string): Promise<ListedChannel[]> {
  const { pool } = runtime().db
  const [channels, bindings, places, strangers] = await Promise.all([
    pool.query(
      `SELECT id, kind, name, external_id, status, status_detail, default_agent_id, settings FROM channels
       WHERE workspace_id = $1 AND kind <> 'web' ORDER BY kind, created_at, id LIMIT $2`,
      [workspaceId, data.limits.pageRows],
    ),
    pool.query(
      `SELECT b.channel_id, b.place, b.agent_id, a.name FROM bindings b JOIN agents a ON a.id = b.agent_id
       WHERE b.workspace_id = $1 ORDER BY b.created_at, b.place LIMIT 1000`,
      [workspaceId],
    ),
    pool.query(
      `SELECT DISTINCT ON (channel_id, place) channel_id, place, title, name, last_activity_at FROM (
         SELECT c.channel_id, ${data.conversationPlace('c')} AS place, c.title, m.name, c.last_activity_at
         FROM conversations c JOIN channels ch ON ch.id = c.channel_id AND ch.kind <> 'web'
         LEFT JOIN members m ON m.id = c.opened_by
         WHERE c.workspace_id = $1 AND c.deleted_at IS NULL ORDER BY c.last_activity_at DESC, c.id DESC LIMIT $2
       ) newest ORDER BY channel_id, place, last_activity_at DESC`,
      [workspaceId, looked.conversations],
    ),
    pool.query(
      `SELECT s.channel_id, s.external_id, s.told_at FROM channels ch CROSS JOIN LATERAL (
         SELECT * FROM strangers s WHERE s.channel_id = ch.id ORDER BY s.told_at DESC LIMIT $2) s
       WHERE ch.workspace_id = $1`,
      [workspaceId, looked.strangers * 4],
    ),
  ])
  const of = <Row extends { channel_id: string }>(rows: Row[], id: string) =>
    rows.filter(({ channel_id }) => channel_id === id)
  return channels.rows.map((row) => {
    const admission = data.readAdmission(row)
    return {
      id: row.id,
      kind: row.kind,
      name: row.name,
      externalId: row.external_id,
      status: row.status,
      statusDetail: row.status_detail,
      defaultAgentId: row.default_agent_id,
      admission,
      bindings: of(bindings.rows, row.id).map(({ place, agent_id, name }) => ({
        place,
        agentId: agent_id,
        agentName: name,
      })),
      places: of(places.rows, row.id)
        .map(({ place, title, name, last_activity_at }) => ({
          place,
          title,
          person: name,
          lastActivityAt: last_activity_at,
        }))
        .sort((one, other) => other.lastActivityAt.getTime() - one.lastActivityAt.getTime())
        .slice(0, looked.places),
      strangers: of(strangers.rows, row.id)
        .filter(({ external_id }) => !admission.allow.includes(external_id))
        .map(({ external_id, told_at }) => ({ externalId: external_id, toldAt: told_at }))
        .slice(0, looked.strangers),
    }
  })
}

/** The agents that can answer: they have a published version. */
export async function listChoosableAgents(workspaceId: string): Promise<ChoosableAgent[]> {
  const { rows } = await runtime().db.pool.query(
    `SELECT a.id, a.name FROM agents a WHERE a.workspace_id = $1 AND a.archived_at IS NULL
       AND EXISTS (SELECT 1 FROM agent_versions v WHERE v.agent_id = a.id AND v.published_at IS NOT NULL)
     ORDER BY a.name, a.id LIMIT $2`,
    [workspaceId, data.limits.pageRows],
  )
  return rows
}

export async function readKind(workspaceId: string, channelId: string): Promise<PlatformKind> {
  const { rows } = await runtime().db.pool.query(
    `SELECT kind FROM channels WHERE workspace_id = $1 AND id = $2 AND kind <> 'web'`,
    [workspaceId, channelId],
  )
  if (!rows[0]) throw new data.Problem('There is no such connection in this workspace.', 'Reload the page.')
  return rows[0].kind
}

export const readBots = async (): Promise<ListedProcess[]> =>
  (await data.listProcesses(runtime().db)).filter((process) => process.kind === 'bot')
