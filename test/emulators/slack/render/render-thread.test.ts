import { WebClient } from '@slack/web-api'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Channel, type SlackEmulator, startSlackEmulator, type User } from '../index.ts'

let slack: SlackEmulator
let web: WebClient
let ada: User
let room: Channel
beforeAll(async () => {
  slack = await startSlackEmulator()
  web = new WebClient(slack.botToken, { slackApiUrl: slack.apiUrl })
  ada = slack.addUser('Ada Lovelace')
  room = slack.addChannel('ops', [ada])
})
afterAll(() => slack.close())

test('a thread is a page of its own with what people see: words, cards, tasks, tables, files', async () => {
  const asked = slack.mention(ada, room, 'mail <script>alert(1)</script> to all & wait')
  const place = { channel: room.id, thread_ts: asked.ts }
  const { ts } = await web.chat.startStream({
    ...place,
    recipient_team_id: slack.team.id,
    recipient_user_id: ada.id,
    chunks: [
      { type: 'task_update', id: '1', title: 'Looked for the list', status: 'complete', output: '12 people' },
      { type: 'markdown_text', text: 'There are **12** people.\n\n| a | b |\n|---|---|\n| 1 | 2 |' },
    ],
  })
  await web.chat.stopStream({ channel: room.id, ts: String(ts) })
  await web.chat.postMessage({
    ...place,
    text: 'May I?',
    blocks: [
      { type: 'header', text: { type: 'plain_text', text: 'Send mail' } },
      {
        type: 'section',
        text: { type: 'mrkdwn', text: `*To* <@${ada.id}>, \`all@acme\`: <https://a.example|the draft>` },
      },
      {
        type: 'actions',
        elements: [
          { type: 'button', text: { type: 'plain_text', text: 'Approve' }, style: 'primary' },
          {
            type: 'button',
            text: { type: 'plain_text', text: 'A button whose text is longer than what is shown of it' },
          },
        ],
      },
      { type: 'context', elements: [{ type: 'mrkdwn', text: 'Only approvers may answer.' }] },
    ],
  })
  await web.filesUploadV2({ channel_id: room.id, thread_ts: asked.ts, filename: 'log.txt', content: 'a log' })
  await web.chat.postEphemeral({ ...place, user: ada.id, text: 'You may not answer this.' })
  const page = slack.renderThread(room, asked.ts, ada)
  for (const part of [
    '&lt;script&gt;alert(1)&lt;/script&gt; to all &amp; wait',
    'Looked for the list',
    '<strong>12</strong> people',
    '<td>2</td>',
    '<h2>Send mail</h2>',
    '<b>To</b> <span class="mention">@Ada Lovelace</span>, <code>all@acme</code>: <a href="https://a.example">the draft</a>',
    '<button class="primary" title="Approve">Approve</button>',
    '>A button whose text is longer …</button>',
    'log.txt',
    'You may not answer this.',
  ])
    expect(page).toContain(part)
  expect(page).not.toContain('<script>')
  expect(page).not.toMatch(/src=|<link/)
  expect(slack.renderThread(room, asked.ts)).not.toContain('You may not answer this.')
})

test('a moment is its fallback, in what people read and on the page, wherever markup is read', async () => {
  const moment = '<!date^1795024800^{date_short_pretty} {time}|2026-11-18 18:00 UTC>'
  const linked = '<!date^1795024800^{time}^https://a.example/|6 &amp; a bit>'
  const { ts } = await web.chat.postMessage({
    channel: room.id,
    text: `Until ${moment}`,
    blocks: [
      { type: 'section', text: { type: 'mrkdwn', text: `Until *${moment}*` } },
      { type: 'context', elements: [{ type: 'mrkdwn', text: `or ${linked}` }] },
      // Only markup is read: elsewhere it is what somebody wrote.
      { type: 'section', text: { type: 'plain_text', text: moment } },
    ],
  })
  const bare = await web.chat.postMessage({ channel: room.id, text: `Since ${moment}` })
  const read = (at: string | undefined) => slack.messages(room).find((message) => message.ts === at)?.text
  expect(read(ts)).toBe(`Until *2026-11-18 18:00 UTC*\nor 6 & a bit\n${moment}`)
  expect(read(bare.ts)).toBe('Since 2026-11-18 18:00 UTC')
  const page = slack.renderThread(room, String(ts))
  expect(page).toContain('Until <b>2026-11-18 18:00 UTC</b>')
  expect(page).toContain('or 6 &amp; a bit')
  expect(slack.renderThread(room, String(bare.ts))).toContain('Since 2026-11-18 18:00 UTC')
})
