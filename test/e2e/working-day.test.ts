// A working day on Slack and Telegram at once: 20 people, of whom 10 have linked their accounts, and four who decide.
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, test } from 'vitest'
import type { User } from '../emulators/slack/index.ts'
import { type BothSetup, codeIn, setUpBoth } from './both-setup.ts'
import { checkDay, names, playDay } from './working-day.ts'
import { attachAskUser, checkMarks, deliveriesEnd, takenOver } from './working-day-ends.ts'
import { answerInWords } from './working-day-model.ts'
import { slackStage } from './working-day-slack.ts'
import { telegramStage } from './working-day-telegram.ts'

const database = useTestDatabase()
const patience = 120_000

test('a working day on both platforms: 20 people, 200 threads, questions and restarts leave exactly what they should', {
  timeout: 600_000,
}, async () => {
  const setup = await setUpBoth(database, answerInWords, { telegram: { hasTopics: true } })
  const { slack, telegram } = setup
  const first = await setup.connect()
  await attachAskUser(database.db, setup.workspace)
  const ann = await setup.join('Ann', 'approver', { slack: true })
  const abe = await setup.join('Abe', 'approver', { slack: true })
  const sid = await setup.join('Sid', 'approver', { slack: true })
  const tia = await setup.join('Tia', 'approver', { telegram: true })
  const everywhere = names.slice(0, 8).map((name) => slack.addUser(name))
  const onlySlack = names.slice(8, 12).map((name) => slack.addUser(name))
  const onlyTelegram = await Promise.all(
    names.slice(12, 16).map((name) => setup.join(name, 'member', { telegram: true })),
  )
  const linked = await Promise.all([ann.slack, abe.slack, ...everywhere].map((user) => link(setup, user)))
  // A bot may not write to people who never wrote to it.
  tia.telegram.start()
  await telegram.until(() => setup.said(tia.telegram).length, patience)
  first.child.kill('SIGTERM')
  await first.exited

  const onSlack = slackStage(setup, [ann.slack, abe.slack, sid.slack, ...everywhere, ...onlySlack])
  const onTelegram = telegramStage(setup, [...linked, tia.telegram, ...onlyTelegram.map((each) => each.telegram)])
  const day = {
    stages: [onSlack, onTelegram],
    approvers: ['Ann', 'Abe', 'Sid', 'Tia'],
    staff: names.slice(0, 16),
    connect: () => setup.connect(),
  }
  const talks = await playDay(day)
  await deliveriesEnd(database.db)
  checkDay(day, talks)
  const left = (stage: typeof onSlack) =>
    talks.filter((talked) => talked.stage === stage).reduce((sum, { talk }) => sum + talk.unfinished(), 0)
  expect(left(onSlack)).toBe(0)
  // Telegram cannot be asked what was sent: whoever was killed may have left a beginning behind, and nothing more.
  expect(left(onTelegram)).toBeLessThanOrEqual(await takenOver(database.db, setup.channels.telegram))
  const runs = await setup.runs()
  expect(runs.filter(({ status }) => status !== 'succeeded')).toEqual([])
  expect(new Set(runs.map(({ key }) => key)).size).toBe(200)
  await checkMarks(database.db, setup, talks)
})

/** Somebody on Slack gets a code there, and says it on Telegram. */
async function link({ slack, telegram, said, memberOf }: BothSetup, user: User) {
  await slack.slash(user, slack.dm(user), '/qm', 'link')
  const { text } = await slack.until(() => slack.ephemerals(user)[0], patience)
  const person = telegram.user({ firstName: user.name })
  person.start(codeIn(text))
  await telegram.until(() => said(person).some((message) => message.text.includes('Welcome')), patience)
  expect(await memberOf(person)).toEqual(await memberOf(user))
  return person
}
