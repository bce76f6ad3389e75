import { Bot } from 'grammy'
import type { InputRichBlock } from 'grammy/types'
import { expect, test } from 'vitest'
import { startTelegramEmulator } from './index.ts'

test('a chat is a page with everything that a person sees, and nothing that it would have to fetch', async () => {
  const telegram = await startTelegramEmulator()
  const { api } = new Bot(telegram.token, { client: { apiRoot: telegram.apiRoot } })
  const ada = telegram.user({ firstName: 'Ada' })
  ada.say('<script>alert("hi")</script>')
  ada.sendDocument({ name: 'report.pdf' })
  await api.sendMessage(ada.id, 'May I <b>delete</b> it?', {
    parse_mode: 'HTML',
    reply_markup: {
      inline_keyboard: [
        [
          { text: 'Approve', callback_data: 'a', style: 'success' },
          { text: 'Deny', disabled: {} },
        ],
      ],
    },
  })
  await api.raw.sendRichMessage({
    chat_id: ada.id,
    rich_message: { markdown: '## Result\n\n| a | b |\n|---|---|\n| 1 | **2** |' },
  })
  await api.raw.sendRichMessageDraft({
    chat_id: ada.id,
    draft_id: 1,
    rich_message: { markdown: 'Writing' },
    can_stop: true,
  })
  const page = telegram.renderChat(ada)
  await telegram.close()
  expect(page).toContain('May I <b>delete</b> it?')
  expect(page).toContain('<span class="button success ">Approve</span>')
  expect(page).toContain('<span class="button  disabled">Deny</span>')
  expect(page).toContain('<h2>Result</h2>')
  expect(page).toContain('<td><b>2</b></td>')
  expect(page).toContain('report.pdf')
  expect(page).toContain('Writing')
  expect(page).toContain('■ Stop')
  expect(page).toContain('&#60;script&#62;')
  expect(page).not.toMatch(/<script|<link|<img|src=|url\(|@import/)
})

test('the items of a list have a label, also where the bot sends blocks, which have none', async () => {
  const telegram = await startTelegramEmulator()
  const { api } = new Bot(telegram.token, { client: { apiRoot: telegram.apiRoot } })
  const ada = telegram.user({ firstName: 'Ada' })
  ada.start()
  const item = (text: string) => ({ blocks: [{ type: 'paragraph' as const, text }] })
  const blocks = [
    {
      type: 'list',
      items: [item('plain'), { ...item('done'), has_checkbox: true, is_checked: true }],
    },
    {
      type: 'blockquote',
      blocks: [
        {
          type: 'list',
          items: [
            { ...item('third'), type: '1', value: 3 },
            { ...item('second'), type: 'a' },
            { ...item('fourth'), type: 'I', value: 4 },
          ],
        },
      ],
    },
  ] satisfies InputRichBlock[]
  const expected = ['• plain', '• ☑ done', '3. third', 'b. second', 'IV. fourth'].join('\n')
  const seen = () => telegram.chat(ada).messages.at(-1)?.text
  await api.raw.sendRichMessageDraft({ chat_id: ada.id, draft_id: 1, rich_message: { blocks } })
  expect(telegram.chat(ada).drafts[0]?.text).toBe(expected)
  await api.raw.sendRichMessage({ chat_id: ada.id, rich_message: { blocks } })
  expect(seen()).toBe(expected)
  const { message_id } = await api.sendMessage(ada.id, 'opened')
  await api.raw.editMessageText({ chat_id: ada.id, message_id, rich_message: { blocks } })
  expect(seen()).toBe(expected)
  const page = telegram.renderChat(ada)
  await telegram.close()
  expect(page).toContain('<span>IV. </span>')
  expect(page).not.toContain('undefined')
})
