import { answerQuestion, type Database, newId } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test } from 'vitest'
import { deliveriesOf, type RunSetup, setUpRuns } from './run-setup.ts'
import { until } from './start-bot.ts'

const database = useTestDatabase()

async function withBudgets(budgets: object, outputTokens: number): Promise<RunSetup> {
  const mark = { tool: toApiName('sample.mark'), input: { text: 'a' } }
  const setup = await setUpRuns(database, (request) => ({
    content: request.tools && !('tool_choice' in request) ? [mark] : [{ text: 'That is all.' }],
    usage: { input_tokens: 0, output_tokens: outputTokens },
  }))
  await database.db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile, budgets)
     VALUES ($1, $2, $3, 3, now(), 'full', $4)`,
    [newId('ver'), setup.workspace.workspaceId, setup.workspace.agentId, JSON.stringify(budgets)],
  )
  return setup
}

const question = (db: Database, runId: string) =>
  until(
    () => db.prisma.question.findFirst({ where: { runId, status: 'open', run: { status: 'waiting' } } }),
    (found) => found !== null,
  ).then((found) => found as NonNullable<typeof found>)

const choose = (setup: RunSetup, questionId: string, value: string) =>
  answerQuestion(database.db, {
    questionId,
    memberId: setup.workspace.members.approver,
    verdict: 'approve',
    value,
    surface: 'web',
  })

test('a budget warns at 80 %, asks at 100 %, goes on for two dollars more, and finishes up when told to', async () => {
  const { db } = database
  // A step costs 45 cents: 2 steps are 90 % of a dollar, 3 are 135 %.
  const setup = await withBudgets({ perRunUsd: 1 }, 45_000)
  const { runId, conversationId } = await setup.say('go')
  await setup.start()
  const first = await question(db, runId)
  expect(await setup.run(runId)).toMatchObject({ steps: 3 })
  expect(first).toMatchObject({ kind: 'budget', prompt: { options: ['+$2', 'Finish up', 'Stop'] } })
  expect(await choose(setup, first.id, '+$2')).toMatchObject({ ok: true })
  const second = await question(db, runId)
  expect(second.id).not.toBe(first.id)
  expect(await setup.run(runId)).toMatchObject({ steps: 7 })
  expect(await choose(setup, second.id, 'Finish up')).toMatchObject({ ok: true })
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 8 })
  const said = await deliveriesOf(db, conversationId)
  expect(said.filter(({ kind }) => kind === 'notice')).toEqual([
    { kind: 'notice', text: '90 % of the budget of this run ($1.00) is used.' },
  ])
  expect(said.at(-1)).toMatchObject({ kind: 'text', markdown: 'That is all.' })
})

test("a day's budget that is used up asks before the first step, and Stop ends the run", async () => {
  const { db } = database
  const setup = await withBudgets({ perPersonDayUsd: 0.4 }, 45_000)
  const { runId } = await setup.say('go')
  await setup.start()
  const { id } = await question(db, runId)
  await choose(setup, id, 'Stop')
  expect(await setup.ended(runId)).toMatchObject({ status: 'failed', errorCode: 'budget_exceeded', steps: 1 })
  const next = await setup.say('again')
  const asked = await question(db, next.runId)
  expect(await setup.run(next.runId)).toMatchObject({ steps: 0 })
  await choose(setup, asked.id, 'Stop')
  expect(await setup.ended(next.runId)).toMatchObject({ errorCode: 'budget_exceeded' })
})

test('a budget of tokens warns and asks like one of money, and offers a million more', async () => {
  const { db } = database
  // A step writes 450,000 tokens: 2 are 90 % of a million, 3 are 135 %.
  const setup = await withBudgets({ perRunTokens: 1_000_000, perRunUsd: 1_000 }, 450_000)
  const { runId, conversationId } = await setup.say('go')
  await setup.start()
  const first = await question(db, runId)
  expect(await setup.run(runId)).toMatchObject({ steps: 3 })
  expect(first).toMatchObject({
    kind: 'budget',
    prompt: {
      title: 'The budget of this run (1,000,000 tokens) is used up',
      options: ['+1M tokens', 'Finish up', 'Stop'],
    },
  })
  expect(await choose(setup, first.id, '+$2')).toMatchObject({ ok: false })
  expect(await choose(setup, first.id, '+1M tokens')).toMatchObject({ ok: true })
  const second = await question(db, runId)
  expect(await setup.run(runId)).toMatchObject({ steps: 5 })
  await choose(setup, second.id, 'Finish up')
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 6 })
  expect((await deliveriesOf(db, conversationId)).filter(({ kind }) => kind === 'notice')).toEqual([
    { kind: 'notice', text: '90 % of the budget of this run (1,000,000 tokens) is used.' },
  ])
})

test.each(['perDayTokens', 'perPersonDayTokens'])('the tokens of a day count over all runs (%s)', async (budget) => {
  const { db } = database
  const setup = await withBudgets({ [budget]: 800_000, maxSteps: 2 }, 450_000)
  await setup.start()
  expect(await setup.ended((await setup.say('go')).runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  const next = await setup.say('again')
  await choose(setup, (await question(db, next.runId)).id, 'Stop')
  expect(await setup.ended(next.runId)).toMatchObject({ errorCode: 'budget_exceeded', steps: 0 })
})

test('a run that takes too many steps is told to finish up at the last one', async () => {
  const setup = await withBudgets({ maxSteps: 3 }, 1)
  const { runId } = await setup.say('go')
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 3 })
  expect(setup.effects()).toHaveLength(2)
})
