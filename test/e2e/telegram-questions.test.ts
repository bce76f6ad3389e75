// Questions on Telegram: what the cards say, what clicks and replies lead to, and whom they refuse. The channel is real
// (grammY, sockets, deliveries); the run that asks is a row.
import { readQuestionCard } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startTelegramParts, type TelegramParts } from '../contracts/telegram-parts.ts'
import type { Person, SeenMessage } from '../emulators/telegram/index.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 90_000 })

async function start(options?: Parameters<typeof startTelegramParts>[1]): Promise<TelegramParts> {
  const parts = await startTelegramParts(database.db, options)
  onTestFinished(() => parts.close())
  await parts.work()
  return parts
}

const cardOf = ({ place }: TelegramParts, questionId: string) =>
  readQuestionCard(database.db, { workspaceId: place.workspaceId, questionId }).then((card) => card!)

const ours = ({ telegram, ada, group }: TelegramParts): SeenMessage[] =>
  telegram.chat(group ?? ada).messages.filter(({ isBot }) => isBot)

/** The message with these words, as soon as it has as many buttons (or any). */
const shown = (parts: TelegramParts, words: string, buttons = true) =>
  parts.telegram.until(
    () => ours(parts).find(({ text, keyboard }) => text.includes(words) && keyboard.length > 0 === buttons),
    45_000,
  )

const labels = ({ keyboard }: SeenMessage) => keyboard.flat().map(({ label }) => label)

async function untilClosed(parts: TelegramParts, questionId: string, words: string) {
  await shown(parts, words, false)
  return cardOf(parts, questionId)
}

const noticed = (parts: TelegramParts, person: Person, count: number) =>
  parts.telegram.until(() => parts.telegram.notices(person).length === count && parts.telegram.notices(person), 45_000)

const confirmation = {
  kind: 'confirmation' as const,
  prompt: {
    title: 'Send the report to bob@example.com',
    facts: [{ label: 'Subject', value: '<b>Q3</b> & more' }],
    recipients: ['bob@example.com'],
    diff: { path: 'report.md', before: 'one\ntwo\nthree\n', after: 'one\n2\nthree\n' },
    lease: { maxUses: 20, durationMs: 3_600_000 },
    mayEdit: true,
  },
  reasons: [{ verdict: 'ask', reason: 'Mail leaves the house.' }],
}

test('a confirmation says what will happen, to whom, what changes, why, who may answer and until when', async () => {
  const parts = await start()
  await parts.ask(confirmation)
  const card = await shown(parts, 'Send the report')
  const order = [
    'Send the report',
    'To: bob@',
    'Subject: <b>Q3</b> & more',
    '- two\n+ 2',
    'Why:',
    'May answer:',
    'Until',
  ]
  const places = order.map((words) => card.text.indexOf(words))
  expect(places.every((at) => at >= 0)).toBe(true)
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(labels(card)).toEqual([
    ...['✅ Approve', '⛔ Deny', 'Approve for this thread', 'Edit…', 'Deny with reason…', 'Show all'],
  ])
  expect(card.keyboard[0]?.map(({ style }) => style)).toEqual(['success', 'danger'])
  for (const row of card.message.reply_markup?.inline_keyboard ?? [])
    for (const button of row)
      if ('callback_data' in button) {
        expect(Buffer.byteLength(button.callback_data)).toBeLessThanOrEqual(64)
        expect(button.callback_data).not.toContain('bob')
      }
})

test('whoever may not answer is told so alone; whoever may decides, and the buttons go', async () => {
  const parts = await start({ inGroup: true })
  const { telegram, ada, group } = parts
  const eve = await parts.join('Eve', 'member')
  const stranger = telegram.user({ firstName: 'Sam' })
  group?.add(stranger)
  const questionId = await parts.ask(confirmation)
  const card = await shown(parts, 'Send the report')
  const where = { chat: group!, message: card.message }
  for (const [index, label] of [
    '✅ Approve',
    '⛔ Deny',
    'Approve for this thread',
    'Edit…',
    'Deny with reason…',
  ].entries())
    for (const person of [eve, stranger]) {
      person.click(label, where)
      const notices = await noticed(parts, person, index + 1)
      expect(notices.at(-1)).toMatchObject({ isAlert: true })
    }
  stranger.click('Show all', where)
  await noticed(parts, stranger, 6)
  expect(telegram.ephemerals(group!, stranger)).toEqual([])
  expect(await cardOf(parts, questionId)).toMatchObject({ status: 'open', answers: [] })
  ada.click('✅ Approve', where)
  const closed = await untilClosed(parts, questionId, 'Approved by The approver')
  expect(closed).toMatchObject({ status: 'answered', closed: { verdict: 'approve' } })
  expect(ours(parts)).toHaveLength(1)
})

test('fifty clicks at once are one answer', async () => {
  const parts = await start()
  const { ada } = parts
  const questionId = await parts.ask(confirmation)
  const card = await shown(parts, 'Send the report')
  for (let time = 0; time < 50; time++) ada.click(time % 3 ? '✅ Approve' : '⛔ Deny', { message: card.message })
  const closed = await untilClosed(parts, questionId, 'by The approver')
  expect(closed.answers).toHaveLength(1)
  await noticed(parts, ada, 50)
})

test('all arguments are one click away', async () => {
  const parts = await start()
  const { ada } = parts
  await parts.ask({ ...confirmation, toolArguments: { body: 'a long letter', to: 'bob' } })
  ada.click('Show all', { message: (await shown(parts, 'Send the report')).message })
  await shown(parts, '"body": "a long letter"', false)
})

test('a reason is written as a reply; cancelling changes nothing', async () => {
  const parts = await start()
  const { ada } = parts
  const questionId = await parts.ask(confirmation)
  const card = await shown(parts, 'Send the report')
  ada.click('Deny with reason…', { message: card.message })
  const first = await shown(parts, 'with the reason')
  ada.click('Cancel', { message: first.message })
  await parts.telegram.until(() => !ours(parts).some(({ text }) => text.includes('with the reason')), 45_000)
  expect((await cardOf(parts, questionId)).status).toBe('open')
  ada.click('Deny with reason…', { message: card.message })
  ada.reply((await shown(parts, 'with the reason')).message, 'Not <before> noon')
  const closed = await untilClosed(parts, questionId, 'Denied by The approver: Not <before> noon')
  expect(closed.answers).toMatchObject([{ verdict: 'deny', reason: 'Not <before> noon' }])
})

test('arguments are edited by a reply with JSON; what is no JSON is said and asked for again', async () => {
  const parts = await start({ consoleUrl: 'https://console.example.com' })
  const { ada } = parts
  const questionId = await parts.ask({ ...confirmation, toolArguments: { path: 'a.txt', content: 'x' } })
  ada.click('Edit…', { message: (await shown(parts, 'Send the report')).message })
  const prompt = await shown(parts, 'as JSON')
  expect(prompt.text).toContain('"path": "a.txt"')
  expect(prompt.keyboard.flat().find(({ url }) => url)?.url).toBe(`https://console.example.com/approvals/${questionId}`)
  ada.reply(prompt.message, '{ path: b }')
  await shown(parts, 'That is not JSON', false)
  expect((await cardOf(parts, questionId)).status).toBe('open')
  ada.reply(prompt.message, '{"path": "b.txt", "content": "y"}')
  const closed = await untilClosed(parts, questionId, 'Approved by The approver')
  expect(closed.arguments).toMatchObject({ path: 'b.txt', content: 'y' })
})

test('an option is chosen by its button, of many on several pages', async () => {
  const parts = await start()
  const { ada } = parts
  const few = await parts.ask({ kind: 'choice', prompt: { title: 'Which tea?', options: ['Green', 'Black'] } })
  ada.click('Black', { message: (await shown(parts, 'Which tea?')).message })
  expect((await untilClosed(parts, few, 'Answered by The approver: Black')).answers[0]?.value).toBe('Black')
  const options = Array.from({ length: 23 }, (_, index) => `Number ${index + 1}`)
  const many = await parts.ask({ kind: 'choice', prompt: { title: 'Which number?', options } })
  const { message } = await shown(parts, 'Which number?')
  ada.click('▶', { message })
  await parts.telegram.until(() => ours(parts).some((one) => labels(one).includes('Number 11')), 45_000)
  ada.click('▶', { message })
  await parts.telegram.until(() => ours(parts).some((one) => labels(one).includes('Number 23')), 45_000)
  ada.click('Number 23', { message })
  expect((await untilClosed(parts, many, 'Answered by The approver: Number 23')).answers[0]?.value).toBe('Number 23')
})

test('several options are toggled and then sent', async () => {
  const parts = await start()
  const { ada } = parts
  const questionId = await parts.ask({
    kind: 'multi_choice',
    prompt: { title: 'Which teas?', options: ['A', 'B', 'C'] },
  })
  const { message } = await shown(parts, 'Which teas?')
  ada.click('Send', { message })
  expect((await noticed(parts, ada, 1))[0]).toMatchObject({
    text: expect.stringContaining('at least one'),
    isAlert: true,
  })
  for (const label of ['☐ C', '☐ A', '☐ B', '☑ B']) {
    await parts.telegram.until(() => ours(parts).some((one) => labels(one).includes(label)), 45_000)
    ada.click(label, { message })
  }
  await parts.telegram.until(
    () => ours(parts).some((one) => labels(one).join() === '☑ A,☐ B,☑ C,Send,Do not answer'),
    45_000,
  )
  ada.click('Send', { message })
  expect((await untilClosed(parts, questionId, 'Answered by')).answers[0]?.value).toEqual(['A', 'C'])
})

test('a form is turned page by page, written to by replies, and sent from its summary', async () => {
  const parts = await start()
  const { ada } = parts
  const tabs = [
    { title: 'Tea', question: 'Which tea?', options: ['Green', 'Black'] },
    { title: 'With', question: 'What with it?', options: ['Milk', 'Sugar'], multiple: true },
    { title: 'Name', question: 'For whom?' },
  ]
  const questionId = await parts.ask({ kind: 'form', prompt: { title: 'Your order', tabs } })
  const { message } = await shown(parts, '1 of 3 · Tea')
  ada.click('○ Black', { message })
  await shown(parts, '2 of 3 · With')
  for (const label of ['☐ Milk', '☐ Sugar', '☑ Milk']) {
    await parts.telegram.until(() => ours(parts).some((one) => labels(one).includes(label)), 45_000)
    ada.click(label, { message })
  }
  ada.click('▶', { message })
  await shown(parts, '3 of 3 · Name')
  ada.click('◀', { message })
  await shown(parts, '2 of 3 · With')
  ada.click('▶', { message })
  await shown(parts, '3 of 3 · Name')
  ada.click('▶', { message })
  expect((await shown(parts, 'Your answers')).text).toContain('Name: not answered yet')
  ada.click('Send', { message })
  await noticed(parts, ada, 1)
  ada.click('◀', { message })
  await shown(parts, '3 of 3 · Name')
  ada.click('✍️ Write…', { message })
  ada.reply((await shown(parts, 'with your answer')).message, 'For Bob & me')
  await parts.telegram.until(() => ours(parts).some(({ text }) => text.includes('Name: For Bob & me')), 45_000)
  ada.click('Send', { message })
  expect((await untilClosed(parts, questionId, 'Answered by')).answers[0]?.value).toEqual([
    'Black',
    ['Sugar'],
    'For Bob & me',
  ])
})

test('a text is asked for and answered by a reply, and by a message in the chat', async () => {
  const parts = await start()
  const { ada } = parts
  const one = await parts.ask({ kind: 'text', prompt: { title: 'What is your name?' } })
  ada.reply((await shown(parts, 'What is your name?')).message, 'Ada')
  expect((await untilClosed(parts, one, 'Answered by The approver: Ada')).answers[0]?.value).toBe('Ada')
  const two = await parts.ask({ kind: 'text', prompt: { title: 'And your town?' } })
  await shown(parts, 'And your town?')
  ada.say('London')
  expect((await untilClosed(parts, two, 'Answered by The approver: London')).answers[0]?.value).toBe('London')
})

test('an old card says what became of it', async () => {
  const parts = await start()
  const { telegram, ada } = parts
  const questionId = await parts.ask(confirmation)
  const card = await shown(parts, 'Send the report')
  // The card's change is lost, so it still has its buttons.
  telegram.failNext({
    method: 'editMessageText',
    refuse: { code: 400, description: "Bad Request: message can't be edited" },
  })
  ada.click('⛔ Deny', { message: card.message })
  await noticed(parts, ada, 1)
  await telegram.until(() => telegram.calls('editMessageText').at(-1)?.answer?.ok === false, 45_000)
  ada.click('✅ Approve', { message: card.message })
  const [, stale] = await noticed(parts, ada, 2)
  expect(stale).toMatchObject({ isAlert: true, text: expect.stringContaining('Denied by The approver') })
  expect(await cardOf(parts, questionId)).toMatchObject({ closed: { verdict: 'deny' } })
  await shown(parts, 'Denied by The approver', false)
})
