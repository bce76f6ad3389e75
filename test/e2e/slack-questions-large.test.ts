// Cards whose words are as long and as odd as words get: Slack takes every one of them, and every form behind it.
import { useTestDatabase } from '@quartermaster/db/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { startSlackParts } from '../contracts/slack-parts.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 120_000 })

const odd = `*bold* _it_ \`code\` <!channel> <@U1> &amp; \u202e\u200b😀 ${'very long '.repeat(2_000)}\n\`\`\`fence`
const many = (count: number) => Array.from({ length: count }, (_, number) => `${number} ${odd}`)

const huge = {
  title: odd,
  body: odd,
  facts: many(60).map((value) => ({ label: odd, value })),
  recipients: many(200),
  diff: { path: odd, before: many(50).join('\n'), after: many(60).join('\n') },
  lease: { maxUses: 20, durationMs: 3_600_000 },
  mayEdit: true,
}

test('however long and odd what a card says, Slack takes it whole: no fallback, no refusal', async () => {
  const parts = await startSlackParts(database.db)
  onTestFinished(() => parts.close())
  const { slack, ada, ours } = parts
  await parts.work()
  const approvers = { requester: true, roles: ['member' as const] }
  const reasons = many(20).map((reason) => ({ verdict: 'ask', reason }))
  await parts.ask({ kind: 'confirmation', prompt: huge, reasons, toolArguments: { path: odd, content: many(40) } })
  await parts.ask({ kind: 'choice', prompt: { title: odd, options: many(5) }, approvers })
  await parts.ask({ kind: 'choice', prompt: { title: odd, options: many(100) }, approvers })
  await parts.ask({ kind: 'multi_choice', prompt: { title: odd, options: many(10) }, approvers })
  await parts.ask({ kind: 'multi_choice', prompt: { title: odd, options: many(300) }, approvers })
  const tabs = many(10).map((title, index) => ({
    title,
    question: odd,
    ...(index % 2 ? { options: many(index * 5) } : {}),
  }))
  await parts.ask({ kind: 'form', prompt: { title: odd, tabs }, approvers })
  await parts.ask({ kind: 'text', prompt: { title: odd, body: odd }, approvers })
  await parts.ask({ kind: 'plan', prompt: { title: '', body: '' } })
  const cards = await slack.until(() => (ours().length === 8 ? ours() : null), 60_000)
  expect(cards.every(({ blocks, buttons }) => blocks.length > 0 && buttons.length > 0)).toBe(true)
  expect(slack.requests.filter(({ answer }) => answer.ok === false)).toEqual([])
  for (const [index, button] of [
    [0, 'Show all'],
    [0, 'Edit…'],
    [0, 'Deny with reason…'],
    [2, 'Choose…'],
    [4, 'Choose…'],
    [5, 'Fill in…'],
    [6, 'Write an answer…'],
  ] as const) {
    await slack.openModal(ada, cards[index]!, button)
    await slack.closeModal(ada)
  }
  // What a message has no room for is chosen in a form.
  const form = await slack.openModal(ada, cards[4]!, 'Choose…')
  const menu = form.view.blocks.find(({ type }) => type === 'input')?.element as {
    option_groups: { options: { text: { text: string } }[] }[]
  }
  await slack.submitModal(ada, { choice: [menu.option_groups[2]!.options[7]!.text.text] })
  await slack.until(() => ours()[4]?.buttons.length === 0)
  const [answered] = await database.db.prisma.answer.findMany()
  expect(String(answered?.value)).toMatch(/^207 \*bold\*/)
  await slack.click(ada, cards[0]!, 'Approve')
  await slack.until(() => ours()[0]?.buttons.length === 0)
  expect(slack.requests.filter(({ answer }) => answer.ok === false)).toEqual([])
})
