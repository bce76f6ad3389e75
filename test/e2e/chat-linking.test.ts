// One person on several platforms: asked on Slack, approved on Telegram by somebody who is linked there.
import { createLinkCode } from '@quartermaster/db'
import { useTestDatabase } from '@quartermaster/db/testing'
import { toApiName } from '@quartermaster/tools'
import { expect, test, vi } from 'vitest'
import { setUpSlack } from './slack-setup.ts'
import { setUpTelegram } from './telegram-setup.ts'

const database = useTestDatabase()
vi.setConfig({ testTimeout: 150_000 })

test('what is asked on Slack is approved on Telegram by whom a code has linked there, and every card says so', async () => {
  const parts = await setUpTelegram(database, [
    { content: [{ tool: toApiName('sample.confirmed'), input: { text: 'b' } }] },
    { content: [{ text: 'All done.' }] },
  ])
  const { telegram, said, workspace } = parts
  const setup = await setUpSlack(database, undefined, {}, parts)
  const { slack } = setup
  await setup.connect(parts.environment)

  // The approver of the console says their code on Telegram.
  const ann = telegram.user({ firstName: 'Ann' })
  const { workspaceId, members } = workspace
  const { code } = await createLinkCode(database.db, { workspaceId, memberId: members.approver })
  ann.start(code)
  await parts.answer(ann, 'Welcome, The approver.')

  const eve = slack.addUser('Eve')
  const room = slack.addChannel('ops', [eve])
  const asked = slack.mention(eve, room, 'please do it')
  const hasButtons = ({ buttons }: { buttons: unknown[] }) => buttons.length > 0
  await slack.until(() => slack.thread(room, asked.ts).find(hasButtons), 60_000)
  const copy = await telegram.until(
    () => said(ann).find(({ keyboard }) => keyboard?.flat().some(({ label }) => label.includes('Approve'))),
    60_000,
  )
  expect(setup.effects()).toEqual([])
  ann.click('✅ Approve', { message: copy.message })

  await slack.until(() => slack.thread(room, asked.ts).at(-1)?.text.includes('All done.'), 60_000)
  expect(setup.effects().map((line) => line.split(' ')[1])).toEqual(['b'])
  const decided = 'Approved by The approver'
  await slack.until(() => slack.thread(room, asked.ts).some(({ text }) => text.includes(decided)), 60_000)
  await telegram.until(() => said(ann).some(({ text }) => text.includes(decided)), 60_000)
  const open = slack.thread(room, asked.ts).filter(({ buttons }) => buttons.some(({ text }) => text === 'Approve'))
  expect(open).toEqual([])
})
