// Questions on Slack: what the cards say, what clicks and forms lead to, and whom they refuse. The channel is real (Bolt,
// the web client, sockets, deliveries); the run that asks is a row.
import { type QuestionKind, readQuestionCard } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { type SlackParts, startSlackParts } from '../contracts/slack-parts.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 60_000 })

async function start(options?: Parameters<typeof startSlackParts>[1]): Promise<SlackParts> {
  const parts = await startSlackParts(database.db, options)
  onTestFinished(() => parts.close())
  await parts.work()
  return parts
}

const cardOf = ({ place }: SlackParts, questionId: string) =>
  readQuestionCard(database.db, { workspaceId: place.workspaceId, questionId }).then((card) => card!)

const untilClosed = async (parts: SlackParts, questionId: string) => {
  await parts.slack.until(() => parts.ours().every(({ buttons }) => buttons.length === 0))
  return cardOf(parts, questionId)
}

/** The message with this question's buttons. */
const shown = (parts: SlackParts, words: string) =>
  parts.slack.until(() => parts.ours().find(({ text, buttons }) => text.includes(words) && buttons.length))

const confirmation = {
  kind: 'confirmation' as const,
  prompt: {
    title: 'Send the report to bob@example.com',
    facts: [{ label: 'Subject', value: '*Q3* <!channel> & more' }],
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
  const { text, buttons, blocks, fallback, metadata } = await shown(parts, 'Send the report')
  const order = [
    'Send the report',
    'To: bob@',
    'Subject: *Q3* <!channel> & more',
    '- two\n+ 2',
    'Why:',
    'May answer:',
    'Until',
  ]
  const places = order.map((words) => text.indexOf(words))
  expect(places.every((at) => at >= 0)).toBe(true)
  expect(places).toEqual([...places].sort((a, b) => a - b))
  expect(buttons.map((button) => button.text)).toEqual([
    'Approve',
    'Deny',
    'Approve for this thread',
    'Edit…',
    'Deny with reason…',
    'Show all',
  ])
  expect(JSON.stringify(blocks)).toContain('<!date^')
  // Foreign words stand in rich text only, where nothing is markup.
  expect(JSON.stringify(blocks.filter(({ type }) => type !== 'rich_text'))).not.toContain('<!channel>')
  expect(fallback).toContain('Needs your decision')
  expect(metadata).toMatchObject({ event_type: 'qm_delivery' })
  // The values name the question and bind the arguments; nothing of the arguments is in them.
  expect(buttons[0]?.value).toMatch(/^q_\w+ - digest-1$/)
})

test('whoever may not answer is told so alone, and nothing else happens; whoever may decides for every copy', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const eve = await parts.join('Eve', 'member')
  const guest = slack.addUser({ name: 'Gus', guest: 'multi' })
  slack.join(parts.room, guest)
  const questionId = await parts.ask(confirmation)
  const card = await shown(parts, 'Send the report')
  for (const user of [eve, guest]) {
    for (const button of ['Approve', 'Deny', 'Approve for this thread', 'Edit…', 'Deny with reason…'])
      await slack.click(user, card, button)
    await slack.until(() => slack.ephemerals(user).length === 5)
    expect(slack.modal(user)).toBeNull()
  }
  expect(slack.ephemerals(eve)[0]?.text).toMatch(/may not answer/i)
  await slack.click(guest, card, 'Show all')
  await slack.until(() => slack.ephemerals(guest).length === 6)
  expect(slack.modal(guest)).toBeNull()
  expect(await cardOf(parts, questionId)).toMatchObject({ status: 'open', answers: [] })
  expect((await shown(parts, 'Send the report')).buttons).toHaveLength(6)

  await slack.click(ada, card, 'Approve')
  const closed = await untilClosed(parts, questionId)
  expect(closed).toMatchObject({ status: 'answered', closed: { verdict: 'approve', by: { name: 'The approver' } } })
  const [seen] = parts.ours()
  expect(seen?.text).toContain('Approved by The approver')
  expect(seen?.text).toContain('- two\n+ 2')
  expect(slack.ephemerals(ada)).toEqual([])
})

test('a hundred clicks at once are one answer', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const bea = await parts.join('Bea', 'approver')
  const questionId = await parts.ask(confirmation)
  const card = await shown(parts, 'Send the report')
  await Promise.all(
    Array.from({ length: 100 }, (_, index) => slack.click(index % 2 ? ada : bea, card, index % 3 ? 'Approve' : 'Deny')),
  )
  const closed = await untilClosed(parts, questionId)
  expect(closed.answers).toHaveLength(1)
  await slack.until(() => slack.ephemerals(ada).length + slack.ephemerals(bea).length === 99)
})

test('what a denial gives as its reason is written in a form, and stands on the card', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const questionId = await parts.ask(confirmation)
  await slack.openModal(ada, await shown(parts, 'Send the report'), 'Deny with reason…')
  expect((await slack.submitModal(ada, { reason: '   ' })).errors).toHaveProperty('reason')
  expect((await slack.submitModal(ada, { reason: 'Not *before* noon' })).errors).toEqual({})
  expect(slack.modal(ada)).toBeNull()
  expect(await untilClosed(parts, questionId)).toMatchObject({
    answers: [{ verdict: 'deny', reason: 'Not *before* noon' }],
  })
  expect(parts.ours()[0]?.text.replace(/\u200b/g, '')).toContain('Denied by The approver: Not *before* noon')
})

test('approving for the thread says first what it spares, and grants it', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const questionId = await parts.ask(confirmation)
  const card = await shown(parts, 'Send the report')
  const lease = card.buttons.find(({ text }) => text === 'Approve for this thread')
  expect(JSON.stringify(lease?.confirm)).toContain('the next 20 calls of this tool, for 1 hour')
  expect((await slack.click(ada, card, 'Approve for this thread', { sure: false })).sent).toBe(false)
  await slack.click(ada, card, 'Approve for this thread')
  await untilClosed(parts, questionId)
  expect(await database.db.prisma.lease.count({ where: { conversationId: parts.place.conversationId } })).toBe(1)
})

test('all arguments are one click away, in full', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const content = Array.from({ length: 900 }, (_, line) => `line ${line} of <the> *file*`).join('\n')
  await parts.ask({ ...confirmation, toolArguments: { path: 'a.txt', content } })
  const modal = await slack.openModal(ada, await shown(parts, 'Send the report'), 'Show all')
  const text = slack.modal(ada)?.seen.text.replaceAll('\n', '') ?? ''
  expect(modal.view.submit).toBeUndefined()
  expect(text).toContain('"path": "a.txt"')
  expect(text).toContain(JSON.stringify(content).slice(1, -1))
})

const ask = (kind: QuestionKind, prompt: object) => ({
  kind,
  prompt,
  approvers: { requester: true, roles: ['member' as const] },
})

test('few options are buttons, and the one that was pressed is the answer', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const questionId = await parts.ask(ask('choice', { title: 'Deploy where?', options: ['staging', 'production'] }))
  const card = await shown(parts, 'Deploy where?')
  expect(card.buttons.map(({ text }) => text)).toEqual(['staging', 'production', 'I would rather not'])
  await slack.click(ada, card, 'production')
  expect(await untilClosed(parts, questionId)).toMatchObject({ answers: [{ value: 'production' }] })
  expect(parts.ours()[0]?.text).toContain('Answered by The approver: production')
})

test('options that no button can show are written out, with numbers to press', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const options = ['Keep everything as it is for now and look again on Monday', 'x'.repeat(200)]
  const questionId = await parts.ask(ask('choice', { title: 'And now?', options }))
  const card = await shown(parts, 'And now?')
  expect(card.text).toContain(`1. ${options[0]}\n2. ${options[1]}`)
  for (const { text } of card.buttons) expect(text.length).toBeLessThanOrEqual(30)
  await slack.click(ada, card, card.buttons[1]?.text as string)
  expect(await untilClosed(parts, questionId)).toMatchObject({ answers: [{ value: options[1] }] })
})

test('more options are a menu, more than a hundred a menu in groups, and nothing counts before the button', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const options = Array.from({ length: 150 }, (_, number) => `Option ${number}`)
  const questionId = await parts.ask(ask('choice', { title: 'Which one?', options }))
  const card = await shown(parts, 'Which one?')
  expect(card.menus).toMatchObject([{ type: 'static_select', options }])
  await slack.click(ada, card, 'Answer')
  await slack.until(() => slack.ephemerals(ada).length === 1)
  await slack.choose(ada, card, 'Choose one', 'Option 17')
  await slack.choose(ada, card, 'Choose one', 'Option 142')
  expect(await cardOf(parts, questionId)).toMatchObject({ status: 'open' })
  await slack.click(ada, card, 'Answer')
  expect(await untilClosed(parts, questionId)).toMatchObject({ answers: [{ value: 'Option 142' }] })
})

test.each([
  ['checkboxes', 4],
  ['multi_static_select', 30],
])('several of %s', async (type, count) => {
  const parts = await start()
  const { slack, ada } = parts
  const options = Array.from({ length: count }, (_, number) => `Option ${number}`)
  const questionId = await parts.ask(ask('multi_choice', { title: 'Which ones?', options }))
  const card = await shown(parts, 'Which ones?')
  expect(card.menus).toMatchObject([{ type, options }])
  await slack.choose(ada, card, card.menus[0]?.actionId as string, 'Option 1', 'Option 3')
  await slack.click(ada, card, 'Answer with these')
  expect(await untilClosed(parts, questionId)).toMatchObject({ answers: [{ value: ['Option 1', 'Option 3'] }] })
})

test('a text is written in the thread or in a form', async () => {
  const parts = await start()
  const { slack, ada, root, room } = parts
  const first = await parts.ask(ask('text', { title: 'What is it called?' }))
  const card = await shown(parts, 'What is it called?')
  expect(card.text).toContain('Reply in this thread to answer.')
  slack.say(ada, room, 'The mill', { thread: root })
  expect(await untilClosed(parts, first)).toMatchObject({ answers: [{ value: 'The mill' }] })

  const second = await parts.ask(ask('text', { title: 'And its colour?' }))
  await slack.openModal(ada, await shown(parts, 'And its colour?'), 'Write an answer…')
  await slack.submitModal(ada, { answer: 'Red' })
  expect(await untilClosed(parts, second)).toMatchObject({ answers: [{ value: 'Red' }] })
})

test('a form of several questions is a modal with a field for each', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const tabs = [
    { title: 'Name', question: 'What is it called?' },
    { title: 'Size', question: 'How large?', options: ['small', 'large'] },
    { title: 'Colours', question: 'Which ones?', options: ['red', 'green', 'blue'], multiple: true },
    { title: 'City', question: 'Where?', options: Array.from({ length: 40 }, (_, number) => `City ${number}`) },
  ]
  const questionId = await parts.ask(ask('form', { title: 'About the mill', tabs }))
  const card = await shown(parts, 'About the mill')
  expect(card.text).toContain('Size: How large?')
  await slack.openModal(ada, card, 'Fill in…')
  expect((await slack.submitModal(ada, { Name: 'The mill' })).errors).not.toEqual({})
  await slack.submitModal(ada, { Size: 'large', Colours: ['red', 'blue'], City: 'City 39' })
  expect(await untilClosed(parts, questionId)).toMatchObject({
    answers: [{ value: ['The mill', 'large', ['red', 'blue'], 'City 39'] }],
  })
})

test('whoever would rather not answer says so', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const questionId = await parts.ask(ask('choice', { title: 'Deploy where?', options: ['a', 'b'] }))
  await slack.click(ada, await shown(parts, 'Deploy where?'), 'I would rather not')
  expect(await untilClosed(parts, questionId)).toMatchObject({ answers: [{ verdict: 'deny' }] })
  expect(parts.ours()[0]?.text).toContain('Not answered by The approver')
})

test('a plan is approved or not, and a used-up budget offers its ways on', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const plan = await parts.ask({ kind: 'plan', prompt: { title: 'The plan', body: '1. Look\n2. **Mend**' } })
  const card = await shown(parts, 'The plan')
  expect(card.buttons.map(({ text }) => text)).toEqual(['Approve', 'Deny', 'Deny with reason…'])
  await slack.click(ada, card, 'Approve')
  expect(await untilClosed(parts, plan)).toMatchObject({ closed: { verdict: 'approve' } })
  const budget = await parts.ask(ask('budget', { title: 'The budget is used up' }))
  const second = await shown(parts, 'The budget')
  expect(second.buttons.map(({ text }) => text)).toEqual(['+$2', 'Finish up', 'Stop'])
  await slack.click(ada, second, 'Finish up')
  expect(await untilClosed(parts, budget)).toMatchObject({ answers: [{ value: 'Finish up' }] })
})

test('an old card says what became of its question, whatever is pressed on it', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const bea = await parts.join('Bea', 'approver')
  await parts.ask(confirmation)
  const card = await shown(parts, 'Send the report')
  // The card cannot be changed for a while, so it goes on offering what nobody can do any more.
  slack.storm({ percent: 100, minSeconds: 20, maxSeconds: 20, methods: ['chat.update'] })
  await slack.click(ada, card, 'Approve')
  await slack.until(() => slack.calls('chat.update').length > 0)
  for (const button of ['Deny', 'Edit…']) await slack.click(bea, card, button)
  await slack.until(() => slack.ephemerals(bea).length === 2)
  for (const { text } of slack.ephemerals(bea)) expect(text).toContain('Approved by The approver')
})

test('of a question whose time is over, the click says so', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const questionId = await parts.ask(confirmation)
  const card = await shown(parts, 'Send the report')
  await database.db.pool.query(`UPDATE questions SET expires_at = now() - interval '1 second' WHERE id = $1`, [
    questionId,
  ])
  await slack.click(ada, card, 'Approve')
  await slack.click(ada, card, 'Deny with reason…')
  await slack.until(() => slack.ephemerals(ada).length === 2)
  for (const { text } of slack.ephemerals(ada)) expect(text).toMatch(/over|in time/)
  expect((await cardOf(parts, questionId)).answers).toEqual([])
})

test('where two must approve, the card counts them', async () => {
  const parts = await start()
  const { slack, ada } = parts
  const bea = await parts.join('Bea', 'approver')
  const questionId = await parts.ask({ ...confirmation, requiredAnswers: 2 })
  const card = await shown(parts, '0 of 2 approved')
  await slack.click(ada, card, 'Approve')
  await slack.click(bea, await shown(parts, '1 of 2 approved'), 'Approve')
  expect(await untilClosed(parts, questionId)).toMatchObject({ approvals: { given: 2 } })
  expect(parts.ours()[0]?.text).toContain('also approved by')
})
