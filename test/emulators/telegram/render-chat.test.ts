import { Bot } from 'grammy'
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
