import type { ListedAuditEvent } from '@quartermaster/db'
import { runtime } from '../../../runtime.ts'

/** What ids are called, as far as they still are something in this workspace. */
export type Names = ReadonlyMap<string, string>

/** Of everything that events speak of: who acted, on what, and the ids in their data. One statement. */
export async function readNames(
  workspaceId: string,
  events: readonly Pick<ListedAuditEvent, 'actor' | 'subject' | 'data'>[],
): Promise<Names> {
  const ids = new Set<string>()
  for (const { actor, subject, data } of events) {
    ids.add(actor.id).add(subject.id)
    for (const [key, value] of Object.entries(data)) if (/Id$/.test(key)) collect(value, ids)
  }
  const { rows } = await runtime().db.pool.query<{ id: string; name: string }>(
    `SELECT id, name FROM members WHERE workspace_id = $1 AND id = ANY($2)
     UNION ALL SELECT id, name FROM agents WHERE workspace_id = $1 AND id = ANY($2)
     UNION ALL SELECT t.id, t.name FROM tools t LEFT JOIN tool_details d ON d.tool_id = t.id
       WHERE t.id = ANY($2) AND (d.workspace_id IS NULL OR d.workspace_id = $1)
     UNION ALL SELECT id, name FROM channels WHERE workspace_id = $1 AND id = ANY($2)
     UNION ALL SELECT id, name FROM secrets WHERE workspace_id = $1 AND id = ANY($2)
     UNION ALL SELECT id, name FROM secret_scopes WHERE workspace_id = $1 AND id = ANY($2)
     UNION ALL SELECT id, name FROM api_keys WHERE workspace_id = $1 AND id = ANY($2)
     UNION ALL SELECT id, email FROM invitations WHERE workspace_id = $1 AND id = ANY($2)
     UNION ALL SELECT id, name FROM rules WHERE workspace_id = $1 AND id = ANY($2)
     UNION ALL SELECT id, name FROM workspaces WHERE id = $1 AND id = ANY($2)
     UNION ALL SELECT id, title FROM runs WHERE workspace_id = $1 AND id = ANY($2) AND title <> ''
     UNION ALL SELECT id, tool_name FROM leases WHERE workspace_id = $1 AND id = ANY($2)
     UNION ALL SELECT q.id, coalesce(c.tool_name, q.prompt->>'title') FROM questions q
       LEFT JOIN tool_calls c ON c.id = q.tool_call_id WHERE q.workspace_id = $1 AND q.id = ANY($2)
         AND coalesce(c.tool_name, q.prompt->>'title') IS NOT NULL`,
    [workspaceId, [...ids]],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

function collect(value: unknown, ids: Set<string>): void {
  if (typeof value === 'string') ids.add(value)
  else if (value && typeof value === 'object') for (const inner of Object.values(value)) collect(inner, ids)
}
