import type { Database } from './client.ts'
import { limits } from './limits.ts'

/** The names of the tools that were ever called in the workspace, in order: a step of the index for each, not a scan. */
export async function listCalledTools(db: Pick<Database, 'pool'>, workspaceId: string): Promise<string[]> {
  const { rows } = await db.pool.query<{ name: string }>(
    `WITH RECURSIVE called (name, nth) AS (
       (SELECT tool_name, 1 FROM tool_calls WHERE workspace_id = $1 ORDER BY tool_name LIMIT 1)
       UNION ALL
       SELECT (SELECT t.tool_name FROM tool_calls t WHERE t.workspace_id = $1 AND t.tool_name > c.name
         ORDER BY t.tool_name LIMIT 1), c.nth + 1
       FROM called c WHERE c.name IS NOT NULL AND c.nth <= ${limits.calledTools}
     )
     SELECT name FROM called WHERE name IS NOT NULL AND nth <= ${limits.calledTools} ORDER BY name`,
    [workspaceId],
  )
  return rows.map(({ name }) => name)
}
