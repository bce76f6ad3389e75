// Answers of a whole bot on Slack, while it streams: stopped, killed and started again, very long, with pictures. In the
// end everything is there once, and in order.
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test, vi } from 'vitest'
import { type SlackSetup, setUpSlack } from './slack-setup.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 150_000 })

const words = Array.from({ length: 40 }, (_, number) => `word${number} `)
const whole = words.join('').trim()
const mark = { tool: toApiName('sample.mark'), input: { text: 'a', ms: 1_500 } }

const oursIn = ({ slack }: SlackSetup, channel: { id: string }, ts: string) =>
  slack.thread(channel.id, ts).filter(({ user }) => user === slack.bot().userId)

/** Only the words of the answers: neither tools nor what stands small below. */
const texts = (messages: ReturnType<typeof oursIn>) =>
  messages.map(({ blocks }) =>
    blocks
      .flatMap((block) => (block.type === 'markdown' ? [String(block.text)] : []))
      .join('')
      .trim(),
  )

const succeeded = (setup: SlackSetup) =>
  setup.slack.until(
    () =>
      oursIn(setup, setup.slack.dm(people.get(setup)!), roots.get(setup)!)
        .at(-1)
        ?.buttons.some(({ text }) => text === 'Good answer'),
    90_000,
  )
const people = new Map<SlackSetup, ReturnType<SlackSetup['slack']['addUser']>>()
const roots = new Map<SlackSetup, string>()

function ask(setup: SlackSetup) {
  const ada = setup.slack.addUser('Ada')
  const root = setup.slack.say(ada, setup.slack.dm(ada), 'go').ts
  people.set(setup, ada)
  roots.set(setup, root)
  return { ada, root, dm: setup.slack.dm(ada) }
}

test('text streams while the model writes, tools while they run, and what was streamed is what stays', async () => {
  const setup = await setUpSlack(database, [
    { content: [{ text: ['Let me ', 'look. '] }, mark] },
    { content: [{ text: words }], paceMs: 80 },
  ])
  const { slack } = setup
  await setup.connect()
  const { root, dm } = ask(setup)
  await slack.until(() => oursIn(setup, dm, root).some(({ tasks }) => tasks[0]?.status === 'in_progress'), 60_000)
  const part = await slack.until(() =>
    texts(oursIn(setup, dm, root)).find((text) => text.startsWith('word0') && !text.includes('word39')),
  )
  expect(whole.startsWith(part)).toBe(true)
  await succeeded(setup)
  expect(texts(oursIn(setup, dm, root))).toEqual(['Let me look.', whole])
  expect(oursIn(setup, dm, root)[1]).toMatchObject({
    streaming: 'completed',
    tasks: [{ status: 'complete' }],
    edited: false,
  })
  await slack.until(() => slack.session(dm, root)?.status === 'active')
})

test('Stop, pressed while it streams, ends it: what was said stays, once', async () => {
  const setup = await setUpSlack(database, [{ content: [{ text: words }], paceMs: 250 }])
  const { slack } = setup
  await setup.connect()
  const { ada, root, dm } = ask(setup)
  await slack.until(() => texts(oursIn(setup, dm, root))[0]?.includes('word3'), 60_000)
  slack.pressStop(ada, { channel: dm.id, ts: root })
  await slack.until(() => oursIn(setup, dm, root).at(-1)?.text.includes('Stopped.'), 60_000)
  const said = texts(oursIn(setup, dm, root))
  expect(said).toHaveLength(2)
  expect(whole.startsWith(said[0] as string)).toBe(true)
  await slack.until(() => slack.session(dm, root)?.status === 'active')
  expect(slack.thread(dm, root).filter(({ streaming }) => streaming === 'in_progress')).toEqual([])
})

test.each(['model-streaming:20', 'step-recorded', 'tool-running', 'before-finish'])(
  'killed at %s, the next process brings every answer once and in order',
  async (point) => {
    const steps = [{ content: [{ text: ['Let me ', 'look. '] }, mark] }, { content: [{ text: words }], paceMs: 40 }]
    const setup = await setUpSlack(database, ({ messages }) =>
      messages.some(({ role }) => role === 'assistant') ? steps[1]! : steps[0]!,
    )
    const { slack } = setup
    const first = await setup.connect({ QM_TEST_CRASH_AT: point })
    const { root, dm } = ask(setup)
    expect(await first.exited).toMatchObject({ signal: 'SIGKILL' })
    await setup.connect()
    await succeeded(setup)
    const said = texts(oursIn(setup, dm, root)).filter(Boolean)
    expect(said).toEqual(['Let me look.', whole])
    expect(slack.thread(dm, root).filter(({ streaming }) => streaming === 'in_progress')).toEqual([])
  },
)

test('a very long answer is several messages and then a file, each within Slack’s limits', async () => {
  const paragraph = `${'A sentence of the answer. '.repeat(40)}\n\n`
  const setup = await setUpSlack(database, [{ content: [{ text: paragraph.repeat(150) }] }])
  const { slack } = setup
  await setup.connect()
  const { root, dm } = ask(setup)
  const last = await slack.until(() => oursIn(setup, dm, root).find(({ files }) => files.length), 90_000)
  expect(last.files[0]?.name).toBe('answer.md')
  expect(last.files[0]?.content.toString()).toBe(paragraph.repeat(150).trim())
  const answers = oursIn(setup, dm, root).filter(({ files }) => !files.length)
  expect(answers).toHaveLength(8)
  expect(slack.requests.filter(({ answer }) => answer.ok === false)).toEqual([])
})

test('a picture that a tool made stands in the thread', async () => {
  const picture = { tool: toApiName('sample.picture'), input: { text: 'dot' } }
  const setup = await setUpSlack(database, [{ content: [picture] }, { content: [{ text: 'There.' }] }])
  await setup.connect()
  const { root, dm } = ask(setup)
  await succeeded(setup)
  expect(oursIn(setup, dm, root).flatMap(({ files }) => files.map(({ name }) => name))).toEqual(['dot.png'])
})
