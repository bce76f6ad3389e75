import { answerQuestion, claimRun, parkRun, readQuestionCard } from '@quartermaster/db'
import { createTestWorkspace, race, startRun, type TestWorkspace, useTestDatabase } from '@quartermaster/db/testing'
import { createExecutor } from '@quartermaster/tools'
import { beforeEach, expect, test } from 'vitest'
import { createPolicies } from '../policy/load-policy.ts'
import { type CallingRun, createComposeCaller } from '../tools/compose-caller.ts'
import { composeRegistry } from '../tools/compose-registry.ts'
import { createJournal } from '../tools/journal.ts'
import { createTestTools } from '../tools/testing-ports.ts'
import { askForTool } from './ask-for-tool.ts'

const database = useTestDatabase()
let workspace: TestWorkspace

beforeEach(async () => {
  workspace = await createTestWorkspace(database.db)
})

const compose = (run: CallingRun) =>
  createComposeCaller(database.db, createPolicies(database.db, { rules: [] }), { configs: {} })(run)
const call = {
  toolCallId: 'toolu_1',
  name: 'ask_user',
  arguments: { question: 'Deploy where?', options: ['staging', 'production'] },
}

/** A run whose agent has asked, parked. */
async function ask() {
  const { db } = database
  const run = await startRun(db, workspace)
  const journal = createJournal(db, run, 1)
  const { caller, policy } = await compose(run)
  const suspended = await createExecutor({ registry: composeRegistry(await createTestTools(db)), policy, journal })(
    call,
    caller,
  )
  if (suspended.kind !== 'suspended') throw new Error(JSON.stringify(suspended))
  const asked = await race(5, () => askForTool(db, run, journal.rowOf('toolu_1')!, suspended))
  const ids = asked.filter((id) => id !== null)
  expect(ids).toHaveLength(1)
  await parkRun(db, run)
  return { run, questionId: ids[0] as string }
}

test('whoever asked may answer, as may every member, and nobody who only looks', async () => {
  const { db } = database
  for (const [role, mayAnswer] of Object.entries({ member: true, approver: true, viewer: false })) {
    const { questionId } = await ask()
    const memberId = workspace.members[role as keyof TestWorkspace['members']]
    const { workspaceId } = workspace
    const card = await readQuestionCard(db, { workspaceId, questionId, memberId })
    expect(card).toMatchObject({ title: 'Deploy where?', mayAnswer, buttons: ['options', 'decline'], why: [] })
    const answer = { questionId, memberId, verdict: 'approve', value: 'staging', surface: 'web' } as const
    expect((await answerQuestion(db, answer)).ok).toBe(mayAnswer)
  }
})

test('the model reads what was chosen, on whatever process the run goes on', async () => {
  const { db } = database
  const { run, questionId } = await ask()
  const memberId = workspace.members.member
  const chosen = { questionId, memberId, verdict: 'approve', value: 'production', surface: 'web' } as const
  expect(await answerQuestion(db, chosen)).toMatchObject({ ok: true, closed: true })
  const claimed = (await claimRun(db, { runId: run.runId, processId: 'process-2' }))!
  const { caller, policy } = await compose(claimed)
  const journal = createJournal(db, claimed, 1)
  const execute = createExecutor({ registry: composeRegistry(await createTestTools(db)), policy, journal })
  const answer = { verdict: 'approve', value: 'production', memberId } as const
  expect(await execute({ ...call, answer }, caller)).toMatchObject({ success: true, output: 'production' })
})
