import { data } from '../../../data.ts'
import { runtime } from '../../../runtime.ts'

/** The agents of the workspace that can be given a scope. */
export async function listAgents(workspaceId: string): Promise<{ id: string; name: string }[]> {
  const { rows } = await runtime().db.pool.query(
    'SELECT id, name FROM agents WHERE workspace_id = $1 AND archived_at IS NULL ORDER BY name, id LIMIT $2',
    [workspaceId, data.limits.pageRows],
  )
  return rows
}

/** Whether a version is wrapped by the master key of today. */
export function keyState(keyId: string): { text: string; tone: 'mute' | 'warn' | 'bad' } {
  const { current, previous } = runtime().keys
  if (keyId === current.id) return { text: 'current key', tone: 'mute' }
  if (keyId === previous?.id) return { text: 'previous key: rotate', tone: 'warn' }
  return { text: 'unknown key', tone: 'bad' }
}
