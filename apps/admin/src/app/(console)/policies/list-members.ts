import { runtime } from '../../../runtime.ts'

/** Who can be named as an approver. */
export async function listMembers(workspaceId: string): Promise<{ id: string; name: string }[]> {
  const { rows } = await runtime().db.pool.query<{ id: string; name: string }>(
    'SELECT id, name FROM members WHERE workspace_id = $1 AND disabled_at IS NULL ORDER BY name, id LIMIT 500',
    [workspaceId],
  )
  return rows
}
