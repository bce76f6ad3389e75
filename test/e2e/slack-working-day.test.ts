// A working day on Slack: 20 people in 5 channels and their direct messages, 200 threads, cards that are approved, denied
// and pressed by the wrong people, a choice here and there; meanwhile the bot is updated, killed, and joined by another
// one. At the end every thread says what it should, once and in order, and nothing else.
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, test } from 'vitest'
import { joinSlack } from './slack-people.ts'
import { type SlackSetup, setUpSlack } from './slack-setup.ts'
import { answerInWords } from './working-day-model.ts'

const database = useTestDatabase()
const patience = 120_000

type User = ReturnType<SlackSetup['slack']['addUser']>
type Room = ReturnType<SlackSetup['slack']['dm']>
interface Thread {
  room: Room
  ts: string
  /** What stands in it at the end: who says it, and a part of what they say. */
  expected: [who: string, words: string][]
}

test('a working day: 20 people, 5 channels, 200 threads, questions and restarts leave exactly what they should', {
  timeout: 600_000,
}, async () => {
  const setup = await setUpSlack(database, answerInWords)
  const { slack } = setup
  let bots = [await setup.connect()]
  await attachAskUser(setup)
  const approvers = [
    await joinSlack(database.db, setup, 'Ann', 'approver'),
    await joinSlack(database.db, setup, 'Abe', 'approver'),
  ]
  const staff: User[] = Array.from({ length: 18 }, (_, index) => slack.addUser(`Person ${index + 1}`))
  const rooms = ['ops', 'sales', 'support', 'design', 'random'].map((name) =>
    slack.addChannel(name, [...approvers, ...staff]),
  )
  const bot = slack.bot().userId
  const ours = ({ room, ts }: Thread) =>
    slack.thread(room, ts).filter(({ user, text, streaming }) => user === bot && text && streaming !== 'in_progress')
  const says = (thread: Thread, words: string) =>
    slack.until(() => ours(thread).find(({ text }) => text.includes(words)), patience)
  const cardOf = (thread: Thread, button: string) =>
    slack.until(() => ours(thread).find(({ buttons }) => buttons.some(({ text }) => text === button)), patience)

  async function play(number: number): Promise<Thread> {
    const person = staff[number % staff.length] as User
    const approver = approvers[number % 2] as User
    const kind = number % 10
    const direct = number % 8 === 7
    const room = direct ? slack.dm(person) : (rooms[number % rooms.length] as Room)
    const begin = (text: string): Thread => {
      const { ts } = direct ? slack.say(person, room, text) : slack.mention(person, room, text)
      return { room, ts, expected: [[person.id, text]] }
    }
    const hear = async (thread: Thread, words: string) => {
      await says(thread, words)
      thread.expected.push([bot, words])
    }
    if (kind < 4) {
      const thread = begin(`echo ${number}`)
      await hear(thread, `Noted ${number}.`)
      return thread
    }
    if (kind < 6) {
      const thread = begin(`echo ${number}`)
      await hear(thread, `Noted ${number}.`)
      const other = direct ? person : (staff[(number + 5) % staff.length] as User)
      slack.reply(other, { channel: room.id, ts: thread.ts }, `echo ${number}-again`)
      thread.expected.push([other.id, `echo ${number}-again`])
      await hear(thread, `Noted ${number}-again.`)
      return thread
    }
    if (kind === 6) {
      const thread = begin(`read ${number}`)
      await hear(thread, `Read ${number}.`)
      return thread
    }
    if (kind === 7) {
      const thread = begin(`choose ${number}`)
      const card = await cardOf(thread, 'Tea')
      await pressUntil(() => slack.click(person, card, 'Tea'), thread, `Tea for ${number}.`)
      thread.expected.push([bot, 'Answered by'], [bot, `Tea for ${number}.`])
      return thread
    }
    const thread = begin(`write ${number}`)
    const card = await cardOf(thread, 'Approve')
    // Those who may decide have a card of their own, and use it where they are not in the conversation.
    const copy = await slack.until(
      () =>
        slack.messages(slack.dm(approver)).find(({ text, buttons }) => buttons.length && text.includes(`w${number}`)),
      patience,
    )
    // They asked for it, and may not decide it.
    await slack.click(person, card, 'Approve')
    const approves = kind === 8
    const words = approves ? `Written ${number}.` : `Left out ${number}.`
    await pressUntil(() => slack.click(approver, direct ? copy : card, approves ? 'Approve' : 'Deny'), thread, words)
    thread.expected.push([bot, approves ? `Approved by ${approver.name}` : `Denied by ${approver.name}`], [bot, words])
    return thread
  }

  /** A person whose click leads to nothing, because the bot was just killed, presses again. */
  async function pressUntil(press: () => Promise<unknown>, thread: Thread, words: string): Promise<void> {
    const deadline = Date.now() + patience
    while (Date.now() < deadline) {
      await press().catch(() => {}) // The buttons are gone: it was heard after all.
      const heard = await slack
        .until(() => ours(thread).some(({ text }) => text.includes(words)), 10_000)
        .catch(() => 0)
      if (heard) return
    }
    throw new Error(`nobody heard the click for “${words}”`)
  }

  const incidents: Record<number, () => Promise<void>> = {
    // An update: the old one ends in order.
    40: async () => {
      bots[0]?.child.kill('SIGTERM')
      await bots[0]?.exited
      bots = [await setup.connect()]
    },
    80: async () => void bots.push(await setup.connect()),
    110: async () => void bots.shift()?.child.kill('SIGKILL'),
    150: async () => {
      for (const each of bots) each.child.kill('SIGKILL')
      bots = [await setup.connect()]
    },
  }
  const threads: Thread[] = []
  let next = 0
  const worker = async () => {
    while (next < 200) {
      const number = next++
      const incident = incidents[number]?.()
      threads.push(await play(number))
      await incident
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))

  expect(threads).toHaveLength(200)
  // The last cards lose their buttons a moment after the last words.
  await slack.until(
    () =>
      threads.every((thread) => ours(thread).every(({ buttons }) => !buttons.some(({ text }) => text === 'Approve'))),
    patience,
  )
  for (const thread of threads) {
    const seen = slack.thread(thread.room, thread.ts).filter(({ text }) => text)
    expect.soft(seen.map(({ user }) => user)).toEqual(thread.expected.map(([who]) => who))
    for (const [index, [, words]] of thread.expected.entries()) expect.soft(seen[index]?.text).toContain(words)
  }
  // Nobody was told anything else: the private words are the refusals of those who may not decide.
  for (const person of staff)
    for (const { text } of slack.ephemerals(person)) expect.soft(text).toMatch(/^You may not answer this\.|^Too late\./)
  // Each card that both could decide was shown to each of them once, and says now who did.
  for (const approver of approvers) {
    const cards = slack.messages(slack.dm(approver)).filter(({ user }) => user === bot)
    expect(cards).toHaveLength(40)
    for (const { text, buttons } of cards) {
      expect.soft(text).toMatch(/(Approved|Denied) by A(nn|be)/)
      expect.soft(buttons.map((button) => button.text)).not.toContain('Approve')
    }
  }
  const runs = await setup.runs()
  expect(runs.every(({ status }) => status === 'succeeded')).toBe(true)
  expect(new Set(runs.map(({ key }) => key)).size).toBe(200)
  expect(setup.effects().filter((line) => /^\S+ w\d+$/.test(line))).toHaveLength(20)
})

async function attachAskUser({ workspace }: SlackSetup): Promise<void> {
  await database.db.pool.query(
    `INSERT INTO agent_tools (agent_id, tool_id) SELECT $1, id FROM tools WHERE handler_key = 'ask_user'`,
    [workspace.agentId],
  )
}
