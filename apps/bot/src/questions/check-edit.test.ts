import { answerQuestion, claimRun, createVirtualFiles, parkRun, type RulePart, saveRule } from '@quartermaster/db'
import { createTestWorkspace, startRun, type TestWorkspace, useTestDatabase } from '@quartermaster/db/testing'
import { createExecutor, type VirtualFiles } from '@quartermaster/tools'
import { beforeEach, expect, test } from 'vitest'
import { createPolicies } from '../policy/load-policy.ts'
import { askAboutCall } from '../tools/ask-about-call.ts'
import { type CallingRun, createComposeCaller } from '../tools/compose-caller.ts'
import { composeRegistry } from '../tools/compose-registry.ts'
import { createJournal } from '../tools/journal.ts'
import { createTestTools } from '../tools/testing-ports.ts'
import { createEditCheck } from './check-edit.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
  const { workspaceId, agentId } = workspace
  const hooks = JSON.stringify([{ pattern: 'vfs.write', hook: 'confirm' }])
  await database.db.pool.query(`INSERT INTO policy_settings (workspace_id, profile, hooks) VALUES ($1, 'full', $2)`, [
    workspaceId,
    hooks,
  ])
  await database.db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile) VALUES ($1, $2, $3, 2, now(), 'full')`,
    [`${agentId}_2`, workspaceId, agentId],
  )
})

const compose = (run: CallingRun) =>
  createComposeCaller(database.db, createPolicies(database.db, { rules: [] }), { configs: {} })(run)
const registry = async () => composeRegistry(await createTestTools(database.db))

/** A parked run whose agent wants to write /a.txt, and what a person makes of it. */
async function askToWrite() {
  const { db } = database
  const run = await startRun(db, workspace)
  const journal = createJournal(db, run, 1)
  const { caller, policy } = await compose(run)
  const tools = await registry()
  const execute = createExecutor({ registry: tools, policy, journal })
  const asking = await execute(
    { toolCallId: 'toolu_1', name: 'vfs.write', arguments: { path: '/a.txt', content: 'x' } },
    caller,
  )
  if (asking.kind !== 'ask') throw new Error(JSON.stringify(asking))
  const rowId = journal.rowOf('toolu_1')!
  const questionId = (await askAboutCall(db, run, rowId, asking))!
  await parkRun(db, run)
  const edit = (editedArguments: unknown, memberId = workspace.members.approver) =>
    answerQuestion(
      db,
      { questionId, memberId, verdict: 'approve', surface: 'web', editedArguments },
      { checkEdit: createEditCheck(tools, compose) },
    )
  return { run, rowId, edit }
}

const deny = (part: Partial<RulePart>): RulePart => ({
  name: 'Keep out',
  pattern: 'vfs.write',
  conditions: [{ path: 'path', glob: '/prod/**' }],
  decision: 'deny',
  approval: {},
  mustMatch: [],
  mustNotMatch: [],
  enabled: true,
  note: '',
  ...part,
})
const addRule = (part: Partial<RulePart> = {}) =>
  saveRule(database.db, {
    workspaceId: workspace.workspaceId,
    actor: { kind: 'system', id: 'test' },
    expectedUpdatedAt: null,
    rule: deny(part),
  })

test('what a person edited runs as they edited it, and nothing else does', async () => {
  const { db } = database
  const { run, rowId, edit } = await askToWrite()
  expect(await edit({ path: '/b.txt', content: 'y' })).toMatchObject({ ok: true, closed: true, edited: true })
  const claimed = (await claimRun(db, { runId: run.runId, processId: 'process-2' }))!
  const row = await db.prisma.toolCall.findUniqueOrThrow({ where: { id: rowId } })
  const { caller, policy } = await compose(claimed)
  const execute = createExecutor({ registry: await registry(), policy, journal: createJournal(db, claimed, 1) })
  const approval = { digest: row.argumentsDigest, by: null, via: 'answer' as const }
  const outcome = await execute(
    { toolCallId: 'toolu_1', name: row.toolName, arguments: row.arguments, approval },
    caller,
  )
  expect(outcome).toMatchObject({ success: true, output: 'Successfully wrote 1 byte to /b.txt' })
  // The port is what the database offers.
  const files: VirtualFiles = createVirtualFiles(db)
  const tree = { workspaceId: run.workspaceId, owner: { kind: 'conversation' as const, id: run.conversationId } }
  expect(await files.read(tree, '/a.txt')).toMatchObject({ ok: false })
  expect(await files.read(tree, '/b.txt')).toMatchObject({ ok: true })
})

test('arguments that do not fit the tool are refused, with what is wrong', async () => {
  const { edit } = await askToWrite()
  expect(await edit({ path: '/b.txt', contents: 'y' })).toMatchObject({
    reason: 'invalid-edit',
    problems: [expect.stringContaining('content')],
  })
  expect(await edit('rm')).toMatchObject({ reason: 'invalid-edit' })
})

test('arguments that the policy denies are refused, whoever edits', async () => {
  const { edit } = await askToWrite()
  await addRule()
  const result = await edit({ path: '/prod/a', content: 'y' }, workspace.members.owner)
  expect(result).toMatchObject({ reason: 'invalid-edit', problems: [expect.stringContaining('does not allow')] })
  expect(await edit({ path: '/elsewhere/a', content: 'y' })).toMatchObject({ ok: true })
})

test('whom a rule asks about the edited arguments, the edit needs', async () => {
  const { edit } = await askToWrite()
  await addRule({ decision: 'ask', approval: { approvers: { roles: ['owner'] } } })
  expect(await edit({ path: '/prod/a', content: 'y' })).toEqual({ ok: false, reason: 'not-entitled' })
  expect(await edit({ path: '/prod/a', content: 'y' }, workspace.members.owner)).toMatchObject({
    ok: true,
    closed: true,
  })
})

test('a tool that has changed since is not approved in its new form', async () => {
  const { rowId, edit } = await askToWrite()
  await database.db.pool.query(`UPDATE tool_calls SET tool_version = 'older' WHERE id = $1`, [rowId])
  expect(await edit({ path: '/b.txt', content: 'y' })).toMatchObject({
    reason: 'invalid-edit',
    problems: [expect.stringContaining('has changed')],
  })
})
