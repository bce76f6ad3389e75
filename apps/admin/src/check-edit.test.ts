import { askQuestion, loadPolicy, saveInstallationPolicy } from '@quartermaster/db'
import { createTestWorkspace, requestCall, startRun, useTestDatabase } from '@quartermaster/db/testing'
import { describeBuiltinTools, toolVersion } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { checkEdit } from './check-edit.ts'
import { data } from './data.ts'
import { provideRuntime, type Runtime } from './runtime.ts'

// biome-ignore lint/correctness/useHookAtTopLevel: it is a hook of the test runner, and none of React's.
const database = useTestDatabase()

test('an edit in the console is checked by the tool’s schema and the policy, as the bot would', async () => {
  const { db } = database
  provideRuntime({ db } as Runtime)
  const workspace = await createTestWorkspace(db)
  const { workspaceId, agentId } = workspace
  await db.pool.query(
    `INSERT INTO policy_settings (workspace_id, profile, hooks) VALUES ($1, 'full', '[{"pattern": "vfs.write", "hook": "confirm"}]')`,
    [workspaceId],
  )
  await db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile) VALUES ($1, $2, $3, 2, now(), 'full')`,
    [`${agentId}_2`, workspaceId, agentId],
  )
  await saveInstallationPolicy(db, {})
  expect(await loadPolicy(db, workspaceId)).not.toBeNull()
  const tool = describeBuiltinTools().find(({ name }) => name === 'vfs.write')!
  const run = await startRun(db, workspace)
  const toolCallId = await requestCall(db, run, { toolName: 'vfs.write', toolVersion: toolVersion(tool) })
  const prompt = { title: 'Write', mayEdit: true }
  const questionId = (await askQuestion(db, run, { toolCallId, kind: 'confirmation', prompt }))!
  const edit = (editedArguments: unknown) =>
    data.answerQuestion(
      db,
      { questionId, memberId: workspace.members.owner, verdict: 'approve', surface: 'console', editedArguments },
      { checkEdit },
    )

  expect(await edit({ path: '/b.txt' })).toMatchObject({ ok: false, reason: 'invalid-edit' })
  await db.pool.query(`UPDATE policy_settings SET deny = '{vfs.write}' WHERE workspace_id = $1`, [workspaceId])
  expect(await edit({ path: '/b.txt', content: 'x' })).toMatchObject({ ok: false, reason: 'invalid-edit' })
  await db.pool.query(`UPDATE policy_settings SET deny = '{}' WHERE workspace_id = $1`, [workspaceId])
  expect(await edit({ path: '/b.txt', content: 'x' })).toMatchObject({ ok: true, closed: true, edited: true })
  expect(await db.prisma.toolCall.findUniqueOrThrow({ where: { id: toolCallId } })).toMatchObject({
    status: 'approved',
    arguments: { path: '/b.txt', content: 'x' },
  })
})
