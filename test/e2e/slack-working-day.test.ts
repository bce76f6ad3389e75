// A working day on Slack alone: 20 people in 5 channels and their direct messages, 200 threads.
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, test } from 'vitest'
import { joinSlack } from './slack-people.ts'
import { setUpSlack } from './slack-setup.ts'
import { checkDay, names, playDay } from './working-day.ts'
import { attachAskUser, checkMarks, deliveriesEnd } from './working-day-ends.ts'
import { answerInWords } from './working-day-model.ts'
import { slackStage } from './working-day-slack.ts'

const database = useTestDatabase()

test('a working day: 20 people, 5 channels, 200 threads, questions and restarts leave exactly what they should', {
  timeout: 600_000,
}, async () => {
  const setup = await setUpSlack(database, answerInWords)
  const first = await setup.connect()
  await attachAskUser(database.db, setup.workspace)
  const approvers = [
    await joinSlack(database.db, setup, 'Ann', 'approver'),
    await joinSlack(database.db, setup, 'Abe', 'approver'),
  ]
  const staff = names.map((name) => setup.slack.addUser(name))
  first.child.kill('SIGTERM')
  await first.exited
  const day = {
    stages: [slackStage(setup, [...approvers, ...staff])],
    approvers: approvers.map(({ name }) => name),
    staff: names,
    connect: () => setup.connect(),
  }
  const talks = await playDay(day)
  await deliveriesEnd(database.db)
  checkDay(day, talks)
  expect(talks.filter(({ talk }) => talk.unfinished())).toEqual([])
  const runs = await setup.runs()
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([])
  expect(new Set(runs.map(({ key }) => key)).size).toBe(200)
  await checkMarks(database.db, setup, talks)
})
