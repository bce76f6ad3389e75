import type { ToolCallPage } from '@quartermaster/db'
import { data } from '../../../data.ts'
import type { CallFilter } from '../../../executions/call-filter.ts'
import { parsePageKey, writePageKey } from '../../../paging.ts'
import { runtime } from '../../../runtime.ts'

const pageRows = 50

export async function listCalls(
  workspaceId: string,
  filter: CallFilter,
  after: unknown,
): Promise<Omit<ToolCallPage, 'next'> & { next: string | null }> {
  const key = parsePageKey(after)
  const { next, ...page } = await data.listToolCalls(runtime().db, {
    workspaceId,
    ...filter,
    limit: pageRows,
    ...(key ? { after: { requestedAt: key.at, id: key.id } } : {}),
  })
  return { ...page, next: next && writePageKey({ at: next.requestedAt, id: next.id }) }
}

export interface FilterChoices {
  agents: { value: string; label: string }[]
  tools: { value: string; label: string }[]
  members: { value: string; label: string }[]
}

/** How many agents and people the filters offer; others are found by their address. */
const most = 500

export async function readFilterChoices(workspaceId: string): Promise<FilterChoices> {
  const { db } = runtime()
  const named = async (table: 'agents' | 'members') =>
    (
      await db.pool.query<{ value: string; label: string }>(
        `SELECT id AS value, name AS label FROM ${table} WHERE workspace_id = $1 ORDER BY name, id LIMIT ${most}`,
        [workspaceId],
      )
    ).rows
  const [agents, members, tools] = await Promise.all([
    named('agents'),
    named('members'),
    data.listCalledTools(db, workspaceId),
  ])
  return { agents, members, tools: tools.map((name) => ({ value: name, label: name })) }
}
