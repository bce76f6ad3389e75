// What people see of answers on Telegram, while they are written and when they are there, and what happens when Telegram
// does not take them.
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test, vi } from 'vitest'
import { deliveriesOf } from './run-setup.ts'
import { until } from './start-bot.ts'
import { setUpTelegram, updatesTaken } from './telegram-setup.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 120_000 })

const table = '| Tea | Cups |\n|---|--:|\n| Green | 3 |'

test('an answer is a rich message; what Telegram does not understand as one goes as ordinary messages', async () => {
  const long = Array.from({ length: 120 }, (_, index) => `${index} ${'word '.repeat(20)}`).join('\n\n')
  const { telegram, connect, join, answer, said } = await setUpTelegram(database, (request) => ({
    content: [{ text: JSON.stringify(request.messages).includes('long') ? long : `# Teas\n\n${table}` }],
  }))
  const ada = await join('Ada')
  await connect()
  ada.say('which?')
  const rich = await answer(ada, 'Green | 3')
  expect(rich.kind).toBe('rich')
  const refuse = { code: 400, description: 'Bad Request: rich message has too many blocks' }
  telegram.failNext({ method: 'editMessageText', refuse })
  ada.say('a long one')
  await answer(ada, '119 word')
  const plain = said(ada).slice(1)
  expect(plain.length).toBeGreaterThan(2)
  expect(plain.every(({ kind }) => kind === 'text')).toBe(true)
  for (let number = 0; number < 120; number++)
    expect(plain.filter(({ text }) => text.includes(`${number} word word`)).length).toBeGreaterThan(0)
})

test('pictures that a tool brings are shown as pictures', async () => {
  const { connect, join, said, answer } = await setUpTelegram(database, (request) =>
    JSON.stringify(request.messages).includes('tool_result')
      ? { content: [{ text: 'There it is.' }] }
      : { content: [{ tool: toApiName('sample.picture'), input: { text: 'dot' } }] },
  )
  const ada = await join('Ada')
  await connect()
  ada.say('draw')
  await answer(ada, 'There it is.')
  expect(said(ada).map(({ kind }) => kind)).toEqual(['photo', 'rich'])
})

test('in a group one message shows the work, with a button that stops it, and is gone when the answer is there', async () => {
  const gate = Promise.withResolvers<void>()
  const { connect, join, telegram, said, answer, runs, ended } = await setUpTelegram(database, async (request) => {
    if (JSON.stringify(request.messages).includes('for ever')) await new Promise((done) => setTimeout(done, 60_000))
    await gate.promise
    return { content: [{ text: 'Done at last.' }] }
  })
  const ada = await join('Ada')
  const group = telegram.group({ title: 'Ops', members: [ada] })
  await connect()
  const asked = ada.mention('work', { chat: group })
  const progress = await answer(group, 'Working…')
  expect(progress.replyTo).toBe(asked.message_id)
  gate.resolve()
  await answer(group, 'Done at last.')
  await telegram.until(() => said(group).length === 1, 45_000)
  ada.mention('work for ever', { chat: group })
  const second = await answer(group, 'Working…')
  ada.click('⏹ Stop', { chat: group, message: second.message })
  const stopped = (await until(runs, (all) => all.length === 2, 45_000))[1]
  expect((await ended(stopped?.id ?? '', 45_000)).status).toBe('stopped')
  await telegram.until(() => !said(group).some(({ text }) => text.includes('Working…')), 45_000)
})

test('somebody deletes the message that shows the work: the answer comes all the same', async () => {
  const gate = Promise.withResolvers<void>()
  const { connect, join, telegram, said, answer } = await setUpTelegram(database, async () => {
    await gate.promise
    return { content: [{ text: 'Done at last.' }] }
  })
  const ada = await join('Ada')
  const group = telegram.group({ title: 'Ops', members: [ada] })
  await connect()
  ada.mention('work', { chat: group })
  ada.deleteMessage((await answer(group, 'Working…')).message, { chat: group })
  gate.resolve()
  await answer(group, 'Done at last.')
  expect(said(group)).toHaveLength(1)
})

test('the button under a draft stops the run, and /stop does', async () => {
  const { connect, join, telegram, runs, ended } = await setUpTelegram(database, async () => {
    await new Promise((done) => setTimeout(done, 60_000))
    return { content: [{ text: 'never' }] }
  })
  const ada = await join('Ada')
  await connect()
  ada.say('work')
  await telegram.until(() => telegram.chat(ada).drafts.some(({ canStop }) => canStop), 45_000)
  ada.pressStop()
  const [first] = await until(runs, (all) => all.length === 1, 45_000)
  expect((await ended(first?.id ?? '', 45_000)).status).toBe('stopped')
  ada.say('work again')
  const [, second] = await until(runs, (all) => all.length === 2, 45_000)
  ada.command('stop')
  expect((await ended(second?.id ?? '', 45_000)).status).toBe('stopped')
})

test('a storm of refusals: every wait is kept, nothing is lost, nothing is doubled, the order holds', async () => {
  const { connect, join, telegram, said, answer } = await setUpTelegram(database)
  const people = await Promise.all(['Ada', 'Bob', 'Cleo'].map((name) => join(name)))
  await connect()
  for (const person of people) person.say('warm up')
  for (const person of people) await answer(person, 'You said: warm up')
  telegram.storm({ share: 0.5, seconds: [1, 2] })
  for (const number of [1, 2, 3]) {
    for (const person of people) person.say(`word ${number}`)
    for (const person of people) await answer(person, `You said: word ${number}`)
  }
  telegram.storm(false)
  for (const person of people)
    expect(said(person).map(({ text }) => text)).toEqual([
      ...['You said: warm up', 'You said: word 1', 'You said: word 2', 'You said: word 3'],
    ])
  // Nobody came back before the time that Telegram had asked for.
  const calls = telegram.requests.filter(({ method }) => ['sendMessage', 'editMessageText'].includes(method))
  for (const person of people) {
    const own = calls.filter(({ fields }) => Number(fields.chat_id) === person.id)
    for (const [index, { answer: refused, at }] of own.entries()) {
      if (refused?.ok !== false || refused.error_code !== 429) continue
      const wait = Number((refused.parameters as { retry_after?: number })?.retry_after ?? 0) * 1_000
      const next = own[index + 1]
      if (next) expect(next.at - at).toBeGreaterThanOrEqual(wait)
    }
  }
})

test('an answer that was lost on the way is not written twice', async () => {
  const { connect, join, telegram, said, answer, channelId } = await setUpTelegram(database)
  const ada = await join('Ada')
  await connect()
  ada.say('warm up')
  await answer(ada, 'You said: warm up')
  telegram.failNext({ method: 'editMessageText', lose: 'answer' })
  ada.say('hello')
  await answer(ada, 'You said: hello')
  await until(
    () => database.db.prisma.delivery.count({ where: { channelId, status: { in: ['pending', 'sending'] } } }),
    (count) => count === 0,
    60_000,
  )
  expect(said(ada).map(({ text }) => text)).toEqual(['You said: warm up', 'You said: hello'])
})

test('somebody who has blocked the bot, and a group that has removed it, are given up with a reason', async () => {
  const gates = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const { connect, join, telegram, runs } = await setUpTelegram(database, async (request) => {
    await gates[JSON.stringify(request.messages).includes('group') ? 1 : 0]?.promise
    return { content: [{ text: 'Too late.' }] }
  })
  const ada = await join('Ada')
  const group = telegram.group({ title: 'Ops', members: [ada] })
  await connect()
  ada.say('hello')
  ada.mention('hello from the group', { chat: group })
  await until(runs, (all) => all.length === 2, 45_000)
  await updatesTaken(telegram)
  ada.block()
  group.kickBot()
  for (const gate of gates) gate.resolve()
  const failed = await until(
    () => database.db.prisma.delivery.findMany({ where: { channel: { externalId: String(telegram.bot.id) } } }),
    (all) => all.length === 2 && all.every(({ status }) => status === 'failed'),
    60_000,
  )
  expect(failed.map(({ error }) => error).sort()).toEqual([
    expect.stringContaining('bot was blocked by the user'),
    expect.stringContaining('bot was kicked from the'),
  ])
  for (const { conversationId } of await runs()) expect(await deliveriesOf(database.db, conversationId)).toHaveLength(1)
})

test('a question in a run is asked in the chat, and its answer goes on with the run', async () => {
  const { connect, join, telegram, said, answer, effects } = await setUpTelegram(database, (request) =>
    JSON.stringify(request.messages).includes('tool_result')
      ? { content: [{ text: 'It is marked.' }] }
      : { content: [{ tool: toApiName('sample.confirmed'), input: { text: 'x' } }] },
  )
  const ada = await join('Ada', 'approver')
  await connect()
  ada.say('mark it')
  const card = await telegram.until(() => said(ada).find(({ keyboard }) => keyboard.length), 45_000)
  ada.click('✅ Approve', { message: card.message })
  await answer(ada, 'It is marked.')
  expect(effects()).toHaveLength(1)
  await answer(ada, 'Approved by Ada')
  expect(said(ada)).toHaveLength(2)
})

test('what another bot was to say is not said by this one', async () => {
  const one = await setUpTelegram(database)
  const two = await setUpTelegram(database)
  const [ada, bob] = [await one.join('Ada'), await two.join('Bob')]
  const bot = await one.connect({ QM_ROLES: 'ingress' })
  ada.say('to the first bot')
  await updatesTaken(one.telegram)
  bot.child.kill('SIGTERM')
  await bot.exited
  // A process of the second bot works on the run; only one of the first can say what came of it.
  await two.connect()
  bob.say('to the second bot')
  await two.answer(bob, 'You said: to the second bot')
  const [run] = await one.runs()
  await one.ended(run?.id ?? '', 45_000)
  expect(two.said(bob)).toHaveLength(1)
  expect(one.said(ada)).toEqual([])
  expect(await deliveriesOf(database.db, run?.conversationId ?? '')).toHaveLength(1)
})
