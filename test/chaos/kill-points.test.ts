// The process is killed as by `kill -9` at every named point of a run; another one goes on from the rows.
import { answerQuestion } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test, vi } from 'vitest'
import { loseClaim } from '../../packages/db/src/testing-workspace.ts'
import { deliveriesOf, setUpRuns, transcriptOf } from '../e2e/run-setup.ts'
import { until } from '../e2e/start-bot.ts'

const database = useTestDatabase()
// Each starts two processes, one after the other, and others may use the machine as well.
vi.setConfig({ testTimeout: 60_000 })

const use = (tool: string) => ({ tool: toApiName(tool), input: { text: 'a' } })
/** The answer depends on what was said, so that an answer that was lost is given again. */
const script = (tool: string) => (request: { messages: unknown[] }) =>
  JSON.stringify(request.messages).includes('tool_result')
    ? { content: [{ text: 'All done, and this is the whole story.' }] }
    : { content: [{ text: 'One moment.' }, use(tool)] }

async function killAt(point: string, tool: string) {
  const setup = await setUpRuns(database, script(tool))
  const { runId, conversationId } = await setup.say('mark a')
  const first = await setup.start({ QM_TEST_CRASH_AT: point })
  expect(await first.exited).toMatchObject({ signal: 'SIGKILL' })
  await loseClaim(database.db, runId)
  await setup.start()
  const run = await setup.ended(runId)
  return {
    run,
    effects: setup.effects(),
    said: (await deliveriesOf(database.db, conversationId)).map(
      ({ kind, markdown, text }) => `${kind}: ${markdown ?? text}`,
    ),
    roles: (await transcriptOf(database.db, conversationId)).map(({ role }) => role),
    calls: await database.db.prisma.toolCall.findMany({ where: { runId } }),
  }
}

const whole = ['text: One moment.', 'text: All done, and this is the whole story.']
const roles = ['user', 'assistant', 'tool', 'assistant']

for (const point of [
  'run-claimed',
  'model-streaming',
  'model-answered',
  'step-recorded',
  'tool-ended',
  'results-appended',
  'model-streaming:3',
  'model-answered:2',
  'step-recorded:2',
  'before-finish',
])
  test(`killed at ${point}, a run loses nothing, says nothing twice and starts no tool twice`, async () => {
    const { run, effects, said, roles: found, calls } = await killAt(point, 'sample.mark')
    expect(run).toMatchObject({ status: 'succeeded', steps: 2 })
    expect(effects).toHaveLength(1)
    expect(said).toEqual(whole)
    expect(found).toEqual(roles)
    expect(calls).toMatchObject([{ status: 'succeeded' }])
  })

for (const point of ['tool-started', 'tool-running'])
  test(`killed at ${point}, a tool is not started again, and model and people learn that nobody knows`, async () => {
    const { run, effects, said, calls } = await killAt(point, 'sample.mark')
    expect(run).toMatchObject({ status: 'succeeded', steps: 2 })
    expect(effects.length).toBe(point === 'tool-started' ? 0 : 1)
    expect(calls).toMatchObject([{ status: 'interrupted' }])
    expect(said).toEqual([
      whole[0],
      'notice: The process that ran sample.mark was lost. Nobody knows whether it finished; it was not started again.',
      whole[1],
    ])
  })

test('killed while a tool ran that may run again, the tool runs again', async () => {
  const { run, effects, said, calls } = await killAt('tool-running', 'sample.repeatable')
  expect(run).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(effects).toHaveLength(2)
  expect(calls).toMatchObject([{ status: 'succeeded' }])
  expect(said).toEqual(whole)
})

for (const point of ['question-asked', 'before-park'])
  test(`killed at ${point}, a question is asked once and stays answerable`, async () => {
    const { db } = database
    const setup = await setUpRuns(database, script('sample.confirmed'))
    const { runId, conversationId } = await setup.say('mark a')
    const first = await setup.start({ QM_TEST_CRASH_AT: point })
    expect(await first.exited).toMatchObject({ signal: 'SIGKILL' })
    await loseClaim(db, runId)
    await setup.start()
    await until(
      () => setup.run(runId),
      ({ status }) => status === 'waiting',
    )
    const questions = await db.prisma.question.findMany({ where: { runId } })
    expect(questions).toHaveLength(1)
    expect((await deliveriesOf(db, conversationId)).filter(({ kind }) => kind === 'question')).toHaveLength(1)
  })

/** A call that waits for a person, in a process that kills itself at the point. */
async function askThenKillAt(point: string) {
  const setup = await setUpRuns(database, script('sample.confirmed'))
  const { runId, conversationId } = await setup.say('mark a')
  const first = await setup.start({ QM_TEST_CRASH_AT: point })
  await until(
    () => setup.run(runId),
    ({ status }) => status === 'waiting',
  )
  const { id: questionId } = await database.db.prisma.question.findFirstOrThrow({ where: { runId } })
  const memberId = setup.workspace.members.approver
  const approve = () => answerQuestion(database.db, { questionId, memberId, verdict: 'approve', surface: 'web' })
  return { setup, first, runId, conversationId, approve }
}

test('killed between the answer and the execution, a call that was approved is executed, once', async () => {
  const { setup, first, runId, conversationId, approve } = await askThenKillAt('run-claimed:2')
  expect(await approve()).toMatchObject({ ok: true, closed: true })
  expect(await first.exited).toMatchObject({ signal: 'SIGKILL' })
  expect(setup.effects()).toEqual([])
  await loseClaim(database.db, runId)
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(setup.effects()).toHaveLength(1)
  const cards = (await deliveriesOf(database.db, conversationId)).filter(({ kind }) => kind === 'question')
  expect(cards).toHaveLength(1)
  expect(await approve()).toMatchObject({ ok: false, reason: 'closed' })
})

test('killed as an approved call began, nobody knows what it did, and no answer of before starts it again', async () => {
  const { setup, first, runId, approve } = await askThenKillAt('tool-started')
  await approve()
  expect(await first.exited).toMatchObject({ signal: 'SIGKILL' })
  await loseClaim(database.db, runId)
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(await database.db.prisma.toolCall.findMany({ where: { runId } })).toMatchObject([{ status: 'interrupted' }])
  expect(setup.effects()).toEqual([])
})

test('arguments that were changed between approval and execution do not run, and the model is told', async () => {
  const { db } = database
  const { setup, first, runId, conversationId, approve } = await askThenKillAt('run-claimed:2')
  await approve()
  await first.exited
  await db.pool.query(`UPDATE tool_calls SET arguments = arguments || '{"text": "something else"}' WHERE run_id = $1`, [
    runId,
  ])
  await loseClaim(db, runId)
  await setup.start()
  expect(await setup.ended(runId)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(setup.effects()).toEqual([])
  expect(await db.prisma.toolCall.findMany({ where: { runId } })).toMatchObject([{ status: 'refused' }])
  expect((await transcriptOf(db, conversationId))[2]?.content).toMatchObject([
    { is_error: true, content: expect.stringContaining('changed after it was approved') },
  ])
})

test('a lost process is noticed by itself, within ten seconds', async () => {
  const setup = await setUpRuns(database, script('sample.mark'))
  const { runId } = await setup.say('mark a')
  const first = await setup.start({ QM_TEST_CRASH_AT: 'step-recorded' })
  const second = setup.start()
  await first.exited
  const died = performance.now()
  await second
  // The second one may have been quicker to take the run; then there was nothing to take over.
  expect(await setup.ended(runId, 15_000)).toMatchObject({ status: 'succeeded', steps: 2 })
  expect(performance.now() - died).toBeLessThan(10_500)
  expect(setup.effects()).toHaveLength(1)
}, 40_000)
