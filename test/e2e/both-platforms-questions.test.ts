// A question that is asked on one platform and answered on the other: it counts once, and every card says who decided.
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, test, vi } from 'vitest'
import type { User } from '../emulators/slack/index.ts'
import type { Group, Person } from '../emulators/telegram/index.ts'
import { type BothSetup, type Colleague, codeIn, setUpBoth } from './both-setup.ts'
import { answerInWords } from './working-day-model.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 240_000 })
const patience = 120_000

/** A card as both platforms show it. */
interface Card {
  text: string
  buttons: string[]
}

/** The people of these tests: who asks, who may decide on both platforms, and who may on one of them alone. */
async function meet(setup: BothSetup) {
  const { slack, telegram } = setup
  await setup.connect()
  const eve = await setup.join('Eve', 'member', { slack: true, telegram: true })
  const ann = await setup.join('Ann', 'approver', { slack: true })
  const sid = await setup.join('Sid', 'approver', { slack: true })
  const tia = await setup.join('Tia', 'approver', { telegram: true })
  // Ann links her Telegram by the code that she got on Slack.
  ann.telegram = telegram.user({ firstName: 'Ann' })
  await slack.slash(ann.slack, slack.dm(ann.slack), '/qm', 'link')
  const { text } = await slack.until(() => slack.ephemerals(ann.slack)[0], patience)
  ann.telegram.start(codeIn(text))
  // A bot may not write to people who never wrote to it.
  tia.telegram.start()
  await telegram.until(() => setup.said(ann.telegram).length && setup.said(tia.telegram).length, patience)
  expect(await setup.memberOf(ann.telegram)).toEqual({ id: ann.memberId, name: 'Ann' })
  const room = slack.addChannel('ops', [eve.slack, ann.slack])
  const group = telegram.group({ title: 'Ops', members: [eve.telegram, ann.telegram] })
  return { eve, ann, sid, tia, room, group }
}

const isOpen = ({ buttons }: Card) => buttons.some((label) => label.endsWith('Approve'))

/** The card about something, wherever on Slack it is shown. */
const slackCard = ({ slack }: BothSetup, where: ReturnType<BothSetup['slack']['dm']>, about: string) => {
  const card = slack.messages(where).find(({ user, text }) => user === slack.bot().userId && text.includes(about))
  return card && { ...card, buttons: card.buttons.map(({ text }) => text) }
}

const telegramCard = ({ said }: BothSetup, where: Person | Group, about: string) => {
  const card = said(where).find(({ text }) => text.includes(about))
  return card && { ...card, buttons: card.keyboard.flat().map(({ label }) => label) }
}

/** Waits for every card to be shown, and for each of them to be open. */
const opened = (setup: BothSetup, cards: (() => Card | undefined)[]) =>
  setup.slack.until(() => {
    const seen = cards.map((look) => look())
    return seen.every((card) => card && isOpen(card)) && (seen as Card[])
  }, patience)

/** Waits for every card to have lost its buttons; what they say then. */
const closed = async (setup: BothSetup, cards: (() => Card | undefined)[]) => {
  const seen = await setup.slack.until(() => {
    const now = cards.map((look) => look())
    return now.every((card) => card && !isOpen(card)) && (now as Card[])
  }, patience)
  for (const { buttons } of seen) expect(buttons.filter((label) => /Approve|Deny|Edit/.test(label))).toEqual([])
  return seen.map(({ text }) => text)
}

const marks = (setup: BothSetup) => setup.effects().map((line) => line.split(' ')[1])

/** Fifty clicks on each platform at the same moment. */
function clickWildly(
  setup: BothSetup,
  onSlack: [User, { channel: string; ts: string }][],
  onTelegram: [Person, { id: number; message: { chat: { id: number } } }][],
) {
  const clicks = Array.from({ length: 50 }, (_, index) => {
    const [user, card] = onSlack[index % onSlack.length] as (typeof onSlack)[number]
    const [person, message] = onTelegram[index % onTelegram.length] as (typeof onTelegram)[number]
    person.click('✅ Approve', { chat: message.message.chat.id, message: message.id })
    // One that finds the buttons gone was too late.
    return setup.slack.click(user, card, 'Approve').catch(() => {})
  })
  return Promise.all(clicks)
}

const telegramSays = ({ telegram, said }: BothSetup, where: Person | Group, words: string) =>
  telegram.until(() => said(where).find(({ text, keyboard }) => text.includes(words) && !keyboard.length), patience)

test('asked on Slack and approved on Telegram: it runs once, and every copy says who decided', async () => {
  const setup = await setUpBoth(database, answerInWords)
  const { slack, telegram } = setup
  const { eve, ann, sid, tia, room } = await meet(setup)
  const { ts } = slack.mention(eve.slack, room, 'write 1')
  const cards = [
    () => slackCard(setup, room, 'w1'),
    () => slackCard(setup, slack.dm(ann.slack), 'w1'),
    () => slackCard(setup, slack.dm(sid.slack), 'w1'),
    () => telegramCard(setup, tia.telegram, 'w1'),
  ]
  await opened(setup, cards)
  tia.telegram.click('✅ Approve')
  await slack.until(() => slack.thread(room, ts).some(({ text }) => text.includes('Written 1.')), patience)
  for (const text of await closed(setup, cards)) expect(text).toContain('Approved by Tia')
  expect(marks(setup)).toEqual(['w1'])
  expect(telegram.notices(tia.telegram).map(({ text }) => text)).toEqual([expect.stringContaining('Approved by Tia')])
})

test('asked on Telegram and denied on Slack: it does not run, and every copy says who decided', async () => {
  const setup = await setUpBoth(database, answerInWords)
  const { slack } = setup
  const { eve, ann, sid, tia, group } = await meet(setup)
  eve.telegram.mention('write 2', { chat: group })
  const cards = [
    () => telegramCard(setup, group, 'w2'),
    () => telegramCard(setup, ann.telegram, 'w2'),
    () => telegramCard(setup, tia.telegram, 'w2'),
    () => slackCard(setup, slack.dm(sid.slack), 'w2'),
  ]
  await opened(setup, cards)
  // They asked for it, on whatever platform, and may not decide it.
  eve.telegram.click('✅ Approve', { chat: group })
  await setup.telegram.until(() => setup.telegram.notices(eve.telegram).length === 1, patience)
  expect(setup.telegram.notices(eve.telegram)[0]?.text).toContain('not yours to answer')
  const copy = slackCard(setup, slack.dm(sid.slack), 'w2')
  await slack.click(sid.slack, copy!, 'Deny')
  await telegramSays(setup, group, 'Left out 2.')
  for (const text of await closed(setup, cards)) expect(text).toContain('Denied by Sid')
  expect(marks(setup)).toEqual([])
})

test('asked on Slack, pressed fifty times on each platform at the same moment: it runs once', async () => {
  const setup = await setUpBoth(database, answerInWords)
  const { slack } = setup
  const { eve, ann, sid, tia, room } = await meet(setup)
  const { ts } = slack.mention(eve.slack, room, 'write 3')
  const look = {
    room: () => slackCard(setup, room, 'w3'),
    ann: () => slackCard(setup, slack.dm(ann.slack), 'w3'),
    sid: () => slackCard(setup, slack.dm(sid.slack), 'w3'),
    tia: () => telegramCard(setup, tia.telegram, 'w3'),
  }
  await opened(setup, Object.values(look))
  await clickWildly(
    setup,
    [
      [ann.slack, look.room()!],
      [ann.slack, look.ann()!],
      [sid.slack, look.sid()!],
    ],
    [[tia.telegram, look.tia()!]],
  )
  await slack.until(() => slack.thread(room, ts).some(({ text }) => text.includes('Written 3.')), patience)
  const [first, ...others] = (await closed(setup, Object.values(look))).map(decider)
  expect(['Ann', 'Sid', 'Tia']).toContain(first)
  expect(others).toEqual([first, first, first])
  await quiet(setup, tia)
  expect(marks(setup)).toEqual(['w3'])
  expect(slack.thread(room, ts).filter(({ text }) => text.includes('Written 3.'))).toHaveLength(1)
})

test('asked on Telegram, pressed fifty times on each platform at the same moment: it runs once', async () => {
  const setup = await setUpBoth(database, answerInWords)
  const { slack, said } = setup
  const { eve, ann, sid, tia, group } = await meet(setup)
  eve.telegram.mention('write 4', { chat: group })
  const look = {
    group: () => telegramCard(setup, group, 'w4'),
    ann: () => telegramCard(setup, ann.telegram, 'w4'),
    tia: () => telegramCard(setup, tia.telegram, 'w4'),
    sid: () => slackCard(setup, slack.dm(sid.slack), 'w4'),
  }
  await opened(setup, Object.values(look))
  await clickWildly(
    setup,
    [[sid.slack, look.sid()!]],
    [
      [ann.telegram, look.group()!],
      [ann.telegram, look.ann()!],
      [tia.telegram, look.tia()!],
    ],
  )
  await telegramSays(setup, group, 'Written 4.')
  const [first, ...others] = (await closed(setup, Object.values(look))).map(decider)
  expect(['Ann', 'Sid', 'Tia']).toContain(first)
  expect(others).toEqual([first, first, first])
  await quiet(setup, tia)
  expect(marks(setup)).toEqual(['w4'])
  expect(said(group).filter(({ text }) => text.includes('Written 4.'))).toHaveLength(1)
})

test('asked in the console, each approver is shown it on a platform of theirs, and one answer closes all of them', async () => {
  const setup = await setUpBoth(database, answerInWords)
  const { slack } = setup
  const { ann, sid, tia } = await meet(setup)
  const { runId } = await setup.say('write 5')
  const cards = [
    // The one that she linked last.
    () => telegramCard(setup, ann.telegram, 'w5'),
    () => telegramCard(setup, tia.telegram, 'w5'),
    () => slackCard(setup, slack.dm(sid.slack), 'w5'),
  ]
  await opened(setup, cards)
  ann.telegram.click('✅ Approve')
  for (const text of await closed(setup, cards)) expect(text).toContain('Approved by Ann')
  expect((await setup.ended(runId, patience)).status).toBe('succeeded')
  expect(marks(setup)).toEqual(['w5'])
})

test('two must approve: one person counts once, whichever of their accounts they press with', async () => {
  const setup = await setUpBoth(database, answerInWords)
  await database.db.pool.query(`UPDATE policy_settings SET approval = '{"required": 2}' WHERE workspace_id = $1`, [
    setup.workspace.workspaceId,
  ])
  const { slack, telegram } = setup
  const { eve, ann, sid, tia, group } = await meet(setup)
  eve.telegram.mention('write 6', { chat: group })
  const cards = [
    () => telegramCard(setup, group, 'w6'),
    () => telegramCard(setup, ann.telegram, 'w6'),
    () => telegramCard(setup, tia.telegram, 'w6'),
    () => slackCard(setup, slack.dm(sid.slack), 'w6'),
  ]
  await opened(setup, cards)
  // What waits for Ann is in her Home on Slack as well, wherever it was asked.
  slack.openHome(ann.slack)
  await slack.until(() => slack.home(ann.slack)?.buttons.some(({ text }) => text === 'Approve'), patience)
  expect(slack.home(ann.slack)?.text).toContain('w6')
  for (let click = 0; click < 5; click++) {
    ann.telegram.click('✅ Approve', { chat: ann.telegram.id, message: telegramCard(setup, ann.telegram, 'w6')?.id })
    await slack.clickView(ann.slack, 'home', 'Approve').catch(() => {}) // It is gone from there: it was heard.
  }
  await slack.until(() => cards.every((look) => look()?.text.includes('1 of 2 approved')), patience)
  await telegram.until(() => telegram.pendingUpdates().length === 0, patience)
  expect(marks(setup)).toEqual([])
  for (const look of cards) expect(isOpen(look() as Card)).toBe(true)
  await slack.click(sid.slack, slackCard(setup, slack.dm(sid.slack), 'w6')!, 'Approve')
  await telegramSays(setup, group, 'Written 6.')
  for (const text of await closed(setup, cards)) expect(text).toMatch(/Approved by (Ann|Sid)/)
  expect(marks(setup)).toEqual(['w6'])
})

test('asked on Telegram, approved in the Home of Slack by somebody who is linked', async () => {
  const setup = await setUpBoth(database, answerInWords)
  const { slack } = setup
  const { eve, ann, sid, group } = await meet(setup)
  eve.telegram.mention('write 7', { chat: group })
  const cards = [
    () => telegramCard(setup, group, 'w7'),
    () => telegramCard(setup, ann.telegram, 'w7'),
    () => slackCard(setup, slack.dm(sid.slack), 'w7'),
  ]
  await opened(setup, cards)
  slack.openHome(ann.slack)
  await slack.until(() => slack.home(ann.slack)?.buttons.some(({ text }) => text === 'Approve'), patience)
  await slack.clickView(ann.slack, 'home', 'Approve')
  await telegramSays(setup, group, 'Written 7.')
  for (const text of await closed(setup, cards)) expect(text).toContain('Approved by Ann')
  await slack.until(() => slack.home(ann.slack)?.text.includes('Nothing waits for you.'), patience)
  expect(marks(setup)).toEqual(['w7'])
})

test('stopped where it was asked, it is open nowhere else', async () => {
  const setup = await setUpBoth(database, answerInWords)
  const { slack } = setup
  const { eve, ann, sid, tia, group } = await meet(setup)
  eve.telegram.mention('write 8', { chat: group })
  const cards = [
    () => telegramCard(setup, group, 'w8'),
    () => telegramCard(setup, ann.telegram, 'w8'),
    () => telegramCard(setup, tia.telegram, 'w8'),
    () => slackCard(setup, slack.dm(sid.slack), 'w8'),
  ]
  await opened(setup, cards)
  eve.telegram.command('stop', { chat: group })
  await closed(setup, cards)
  const [run] = await setup.runs()
  expect((await setup.ended(run?.id ?? '', patience)).status).toBe('stopped')
  expect(marks(setup)).toEqual([])
})

const decider = (text: string) => /Approved by (\w+)/.exec(text)?.[1]

/** All clicks were heard: each on Telegram has been answered, and nothing waits there. */
async function quiet({ telegram }: BothSetup, last: Colleague): Promise<void> {
  await telegram.until(
    () => telegram.pendingUpdates().length === 0 && telegram.notices(last.telegram).length > 0,
    patience,
  )
}
