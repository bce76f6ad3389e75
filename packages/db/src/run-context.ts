// What a run works with besides its transcript: the version of its agent, and where people read what it says.
import { budgetsShape } from './agent-configuration.ts'
import type { Database } from './client.ts'
import type { ChannelKind } from './deliveries.ts'
import { prepared } from './prepared.ts'
import { placeKey } from './start-anew.ts'

export interface RunContext {
  agentName: string
  workspaceName: string
  /** Null where nobody published the agent. */
  version: { model: string; instructions: string; budgets: Budgets } | null
  /** Where its deliveries go; a child's go nowhere but its questions are asked where its first ancestor's people are. */
  place: { conversationId: string; channelId: string; channelKind: ChannelKind; conversationKey: string }
}

/** What an agent may use; what is not set has no limit here. */
export interface Budgets {
  perRunUsd?: number
  perDayUsd?: number
  perPersonDayUsd?: number
  perRunTokens?: number
  perDayTokens?: number
  perPersonDayTokens?: number
  maxSteps?: number
}

/** Null when the run is gone. */
export async function readRunContext(db: Database, runId: string): Promise<RunContext | null> {
  const { rows } = await prepared(
    db.pool,
    `WITH RECURSIVE run AS (SELECT * FROM runs WHERE id = $1), ${lineOf('run')}
     SELECT ${contextColumns} FROM run ${contextJoins('run')}`,
    [runId],
  )
  return rows[0] ? toRunContext(rows[0]) : null
}

/** A CTE for a WITH RECURSIVE: the runs of `source`, another CTE, and those that they work for, up to the first. */
export const lineOf = (source: string) => `line AS (
  SELECT id AS of_run, parent_run_id, conversation_id, 0 AS depth FROM ${source}
  UNION ALL SELECT line.of_run, p.parent_run_id, p.conversation_id, line.depth + 1
  FROM runs p JOIN line ON p.id = line.parent_run_id)`

export const contextColumns = `a.name AS agent_name, w.name AS workspace_name, v.id AS version_id, v.model,
  v.instructions, v.budgets, c.id AS place_id, c.channel_id, ch.kind AS channel_kind, ${placeKey('c')} AS external_key`

export const contextJoins = (source: string) => `
  JOIN agents a ON a.id = ${source}.agent_id JOIN workspaces w ON w.id = ${source}.workspace_id
  CROSS JOIN LATERAL (
    SELECT line.conversation_id FROM line WHERE line.of_run = ${source}.id ORDER BY line.depth DESC LIMIT 1) AS first
  JOIN conversations c ON c.id = first.conversation_id JOIN channels ch ON ch.id = c.channel_id
  LEFT JOIN agent_versions v ON v.id = ${source}.agent_version_id`

// biome-ignore lint/suspicious/noExplicitAny: as pg itself types a row that nobody described.
export function toRunContext(row: any): RunContext {
  return {
    agentName: row.agent_name,
    workspaceName: row.workspace_name,
    version: row.version_id
      ? { model: row.model, instructions: row.instructions, budgets: parseBudgets(row.budgets) }
      : null,
    place: {
      conversationId: row.place_id,
      channelId: row.channel_id,
      channelKind: row.channel_kind,
      conversationKey: row.external_key,
    },
  }
}

const budgetNames = Object.keys(budgetsShape.shape) as (keyof Budgets)[]

/** A budget that is not a positive number is one that nobody set: the console refuses such a value where it is typed. */
function parseBudgets(value: unknown): Budgets {
  const given = (typeof value === 'object' && value) || {}
  return Object.fromEntries(
    budgetNames.flatMap((name) => {
      const amount = (given as Record<string, unknown>)[name]
      return typeof amount === 'number' && amount > 0 ? [[name, amount]] : []
    }),
  )
}
