import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'

export interface Choice {
  value: string
  label: string
}

/** Whose runs there may be. */
export async function listChoices(workspaceId: string): Promise<{ agents: Choice[]; members: Choice[] }> {
  const read = async (table: 'agents' | 'members') => {
    const { rows } = await runtime().db.pool.query<{ id: string; name: string }>(
      `SELECT id, name FROM ${table} WHERE workspace_id = $1 ORDER BY lower(name), id LIMIT $2`,
      [workspaceId, data.limits.pageRows],
    )
    return rows.map(({ id, name }) => ({ value: id, label: name }))
  }
  const [agents, members] = await Promise.all([read('agents'), read('members')])
  return { agents, members }
}
