import { askQuestion, type Database, finishRun } from '@quartermaster/db'
import { createTestWorkspace, startRun } from '../../packages/db/src/testing-workspace.ts'

export interface OtherTenant {
  workspaceId: string
  /** In the name of everything that this workspace has. */
  canary: string
  /** What its own Overview shows of it. */
  shown: string[]
}

/** A workspace of somebody else, with a name, a failed run and an open question that nobody else may ever see. */
export async function otherTenant(db: Database): Promise<OtherTenant> {
  const workspace = await createTestWorkspace(db)
  const canary = `canary-${workspace.workspaceId}`
  const shown = ['a run', 'a failure', 'a question'].map((what) => `${canary} ${what}`)
  await db.pool.query('UPDATE workspaces SET name = $2 WHERE id = $1', [workspace.workspaceId, canary])
  const [waiting, failed] = [await startRun(db, workspace), await startRun(db, workspace)]
  await db.pool.query('UPDATE runs SET title = $2 WHERE id = $1', [waiting.runId, shown[0]])
  await db.pool.query('UPDATE runs SET title = $2 WHERE id = $1', [failed.runId, shown[1]])
  await askQuestion(db, waiting, { kind: 'confirmation', prompt: { title: shown[2] } })
  await finishRun(db, failed, { status: 'failed', error: { code: 'step-limit', message: `${canary} reason` } })
  return { workspaceId: workspace.workspaceId, canary, shown }
}
