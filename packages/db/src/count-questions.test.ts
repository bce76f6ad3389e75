import { beforeAll, expect, test } from 'vitest'
import { answerQuestion } from './answer-question.ts'
import { countQuestionsFor } from './list-questions.ts'
import { askQuestion } from './questions.ts'
import { useTestDatabase } from './testing.ts'
import { createTestWorkspace, startRun, type TestWorkspace } from './testing-workspace.ts'

const database = useTestDatabase()
let workspace: TestWorkspace
beforeAll(async () => {
  workspace = await createTestWorkspace(database.db)
})

const count = (memberId: string, most = 10, workspaceId = workspace.workspaceId) =>
  countQuestionsFor(database.db, { workspaceId, memberId, most })
const ask = async (approvers: object) => {
  const run = await startRun(database.db, workspace)
  return (await askQuestion(database.db, run, {
    kind: 'confirmation',
    prompt: { title: 'May I?' },
    approvers,
  })) as string
}

test('only questions that the member may answer, and has not answered, are counted, and no further than asked', async () => {
  const { approver, owner, viewer } = workspace.members
  expect(await count(approver)).toBe(0)
  const first = await ask({ roles: ['approver'] })
  await ask({ roles: ['approver'] })
  await ask({ memberIds: [owner] })
  expect([await count(approver), await count(viewer), await count(approver, 1)]).toEqual([2, 0, 1])
  await answerQuestion(database.db, { questionId: first, memberId: approver, verdict: 'deny', surface: 'web' })
  expect(await count(approver)).toBe(1)
  const other = await createTestWorkspace(database.db)
  expect(await count(other.members.owner, 10, other.workspaceId)).toBe(0)
  expect(await count(other.members.owner)).toBe(0)
})

test('what has expired is not counted, also while nobody has closed it', async () => {
  const id = await ask({ memberIds: [workspace.members.viewer] })
  expect(await count(workspace.members.viewer)).toBe(1)
  await database.db.pool.query(`UPDATE questions SET expires_at = now() - interval '1 second' WHERE id = $1`, [id])
  expect(await count(workspace.members.viewer)).toBe(0)
})
