// Switching a tool off and on again for one workspace. A builtin tool belongs to all of them, so nothing of the registry
// changes: the switch is a row of the workspace, and part of its policy, which refuses the tool to every agent at once.
import { type Actor, recordAudit } from './audit.ts'
import { type Database, inTransaction } from './client.ts'
import { storableText } from './storable.ts'

export interface ToolSwitching {
  workspaceId: string
  toolId: string
  /** What it is to be. */
  on: boolean
  actor: Actor
}

/** `already`: it was like that, and nothing changed. */
export function switchTool(db: Database, input: ToolSwitching): Promise<'switched' | 'already' | 'not_found'> {
  const { workspaceId, on, actor } = input
  return inTransaction(db, async (tx) => {
    const { rows } = await tx.query<{ id: string }>(
      `SELECT t.id FROM tools t LEFT JOIN tool_details d ON d.tool_id = t.id
       WHERE t.id = $1 AND (d.workspace_id IS NULL OR d.workspace_id = $2)
         AND EXISTS (SELECT 1 FROM workspaces w WHERE w.id = $2) FOR KEY SHARE OF t`,
      [storableText(input.toolId), workspaceId],
    )
    const toolId = rows[0]?.id
    if (toolId === undefined) return 'not_found'
    const { rowCount } = on
      ? await tx.query('DELETE FROM tool_switches WHERE workspace_id = $1 AND tool_id = $2', [workspaceId, toolId])
      : await tx.query(
          `INSERT INTO tool_switches (workspace_id, tool_id, disabled_by) VALUES ($1, $2, $3)
           ON CONFLICT (workspace_id, tool_id) DO NOTHING`,
          [workspaceId, toolId, actor.kind === 'member' ? actor.id : null],
        )
    if (!rowCount) return 'already'
    await recordAudit(tx, {
      workspaceId,
      actor,
      action: on ? 'tool.switch-on' : 'tool.switch-off',
      subject: { kind: 'tool', id: toolId },
    })
    return 'switched'
  })
}
