// What the emulator refuses, in Telegram's words, and what stands beside it that it takes.
import { Bot, InputFile } from 'grammy'
import type { InlineKeyboardButton } from 'grammy/types'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onePixel, type Person, startTelegramEmulator, type TelegramEmulator } from './index.ts'

let telegram: TelegramEmulator
let api: Bot['api']
let ada: Person

beforeAll(async () => {
  telegram = await startTelegramEmulator()
  api = new Bot(telegram.token, { client: { apiRoot: telegram.apiRoot } }).api
  ada = telegram.user({ firstName: 'Ada' })
  ada.start()
})

afterAll(() => telegram.close())

const refused = (call: Promise<unknown>, description: string | RegExp) =>
  expect(call).rejects.toMatchObject({
    error_code: 400,
    description: typeof description === 'string' ? `Bad Request: ${description}` : expect.stringMatching(description),
  })
const sendHtml = (html: string) => api.sendMessage(ada.id, html, { parse_mode: 'HTML' })

test.each([
  ['<div>x</div>', 'Unsupported start tag "div" at byte offset 0'],
  ['é<br>', 'Unsupported start tag "br" at byte offset 2'],
  ['<span>x</span>', 'Unsupported start tag "span" at byte offset 0'],
  ['1 < 2', 'Unsupported start tag "" at byte offset 2'],
  ['<b>x', 'Can\'t find end tag corresponding to start tag "b"'],
  ['x</b>', 'Unexpected end tag at byte offset 1'],
  ['<b><i>x</b></i>', 'Unmatched end tag at byte offset 7, expected "</i>", found "</b>"'],
  ['<b', 'Unclosed start tag at byte offset 0'],
])('refuses the HTML %s', async (html, problem) => {
  await refused(sendHtml(html), `can't parse entities: ${problem}`)
})

test('takes the HTML that Telegram describes', async () => {
  const sent = await sendHtml(
    '<b>b<i>bi</i></b> <s>s</s> <a href="https://example.com/?a=1&amp;b=2">link</a> 1 &lt; 2 &#38; &copy;\n<pre><code class="language-ts">let x</code></pre><blockquote expandable>q</blockquote>',
  )
  expect(sent.text).toBe('bbi s link 1 < 2 & &copy;\nlet xq')
  expect(sent.entities).toEqual([
    { type: 'bold', offset: 0, length: 3 },
    { type: 'italic', offset: 1, length: 2 },
    { type: 'strikethrough', offset: 4, length: 1 },
    { type: 'text_link', offset: 6, length: 4, url: 'https://example.com/?a=1&b=2' },
    { type: 'pre', offset: 26, length: 5, language: 'ts' },
    { type: 'expandable_blockquote', offset: 31, length: 1 },
  ])
})

test('refuses what it cannot parse rather than pretend', async () => {
  await refused(api.sendMessage(ada.id, '*x*', { parse_mode: 'MarkdownV2' }), 'the emulator does not parse MarkdownV2')
  await refused(api.sendMessage(ada.id, 'x', { parse_mode: 'BBCode' as never }), 'unsupported parse_mode')
  await refused(
    api.raw.sendRichMessage({ chat_id: ada.id, rich_message: { html: 'x' } }),
    'the emulator does not parse rich HTML',
  )
})

test.each<[string, object]>([
  ["can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard", { text: 'x' }],
  ['can\'t parse inline keyboard button: Field "text" must be of type String', { callback_data: 'x' }],
  [
    'can\'t parse inline keyboard button: a button can\'t have both "callback_data" and "disabled"',
    { text: 'x', callback_data: 'x', disabled: {} },
  ],
  ['invalid button style specified', { text: 'x', callback_data: 'x', style: 'pink' }],
  ['can\'t parse inline keyboard button: Field "disabled" must be of type Object', { text: 'x', disabled: true }],
  [
    "inline keyboard button URL 'http://localhost:3000/x' is invalid: Wrong HTTP URL",
    { text: 'x', url: 'http://localhost:3000/x' },
  ],
  [
    "inline keyboard button URL 'ftp://example.com' is invalid: Unsupported URL protocol",
    { text: 'x', url: 'ftp://example.com' },
  ],
])('refuses a button: %s', async (problem, button) => {
  const reply_markup = { inline_keyboard: [[button as InlineKeyboardButton]] }
  await refused(api.sendMessage(ada.id, 'x', { reply_markup }), problem)
})

test('takes buttons with a style, disabled ones, and those that copy or open something', async () => {
  const row: InlineKeyboardButton[] = [
    { text: 'Yes', callback_data: 'y', style: 'success' },
    { text: 'Gone', disabled: {} },
    { text: 'Copy', copy_text: { text: 'npm start' } },
    { text: 'Open', url: 'http://127.0.0.1:3000/questions/1' },
  ]
  await api.sendMessage(ada.id, 'x', { reply_markup: { inline_keyboard: [row] } })
  expect(ada.click('Copy')).toEqual({ copied: 'npm start' })
  expect(ada.click('Open')).toEqual({ url: 'http://127.0.0.1:3000/questions/1' })
})

test('an edit or a reply needs a message that is there', async () => {
  const own = ada.say('mine')
  await refused(api.editMessageText(ada.id, own.message_id, 'x'), "message can't be edited")
  await refused(api.editMessageText(ada.id, 999_999, 'x'), 'message to edit not found')
  await refused(api.deleteMessage(ada.id, 999_999), 'message to delete not found')
  await refused(
    api.sendMessage(ada.id, 'x', { reply_parameters: { message_id: 999_999 } }),
    'message to be replied not found',
  )
  await api.sendMessage(ada.id, 'x', { reply_parameters: { message_id: 999_999, allow_sending_without_reply: true } })
  const reply = await api.sendMessage(ada.id, 'x', { reply_parameters: { message_id: own.message_id } })
  expect(reply.reply_to_message).toMatchObject({ text: 'mine' })
})

test('files come as parts of a form or by their identifier, not by an address', async () => {
  const sent = await api.sendPhoto(ada.id, new InputFile(onePixel, 'p.png'))
  const fileId = String(sent.photo[0]?.file_id)
  await api.sendPhoto(ada.id, fileId)
  await refused(api.sendDocument(ada.id, fileId), "can't use file of type photo as document")
  await refused(api.sendPhoto(ada.id, 'nonsense'), 'wrong remote file identifier specified: Wrong string length')
  await refused(api.sendPhoto(ada.id, 'https://example.com/p.png'), 'failed to get HTTP URL content')
  await refused(api.sendDocument(ada.id, new InputFile(Buffer.alloc(0), 'x.txt')), 'file must be non-empty')
  await refused(api.getFile('nonsense'), 'invalid file_id')
})

test('the parts of a rich message are checked', async () => {
  const send = (rich_message: object) => api.raw.sendRichMessage({ chat_id: ada.id, rich_message })
  await refused(send({}), 'exactly one of the fields html, markdown, or blocks must be used')
  await refused(send({ markdown: ' ' }), 'message text is empty')
  await refused(send({ markdown: '![](https://example.com/p.png)' }), 'failed to get HTTP URL content')
  const media = [{ id: 'p', media: { type: 'photo', media: 'attach://gone' } }]
  await refused(send({ markdown: '![](tg://photo?id=p)', media }), 'file attachment not found')
  await refused(send({ markdown: '![](tg://photo?id=p)' }), 'rich message media "p" not found')
  await refused(send({ blocks: [{ type: 'thinking', text: 'x' }] }), 'thinking blocks can be used only in drafts')
  await send({ blocks: [{ type: 'paragraph', text: ['a', { type: 'bold', text: 'b' }] }] })
  const list = { type: 'list', items: [{ value: 3, type: '1', blocks: [{ type: 'paragraph', text: 'three' }] }] }
  await send({ blocks: [list] })
  expect(telegram.chat(ada).messages.at(-1)?.text).toBe('3. three')
  await refused(
    send({ blocks: [{ type: 'heading', text: 'x', size: 7 }] }),
    /^Bad Request: can't parse rich message blocks: "0.size"/,
  )
  await refused(
    send({ blocks: [{ type: 'paragraf', text: 'x' }] }),
    /^Bad Request: can't parse rich message blocks: "0.type"/,
  )
  const buttons = (button: object) => send({ blocks: [{ type: 'buttons', buttons: [{ text: 'x', ...button }] }] })
  await refused(buttons({ callback_data: 'x'.repeat(65) }), 'BUTTON_DATA_INVALID')
  await buttons({ callback_data: 'x', style: 'link' })
  await send({ markdown: '# Title\n\n- [x] done\n- todo\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```ts\nx < 1\n```' })
  expect(telegram.chat(ada).messages.at(-1)?.text).toBe('Title\n• ☑ done\n• todo\na | b\n1 | 2\nx < 1')
})

async function post(
  path: string,
  body?: RequestInit,
): Promise<{ status: number; answer: { description?: string; ok: boolean } }> {
  const answer = await fetch(`${telegram.apiRoot}${path}`, { method: 'POST', ...body })
  return { status: answer.status, answer: await answer.json() }
}

test('a call may be JSON, urlencoded, a form or a query, and the name of a method in any case', async () => {
  const path = `/bot${telegram.token}/SENDMESSAGE`
  const fields = {
    chat_id: String(ada.id),
    text: 'x',
    reply_markup: '{"inline_keyboard":[[{"text":"a","callback_data":"b"}]]}',
  }
  const form = new FormData()
  for (const [name, value] of Object.entries(fields)) form.append(name, value)
  const ways = [
    post(`${path}?${new URLSearchParams(fields)}`),
    post(path, { body: new URLSearchParams(fields) }),
    post(path, { body: form }),
    post(path, { body: JSON.stringify(fields), headers: { 'content-type': 'application/json' } }),
  ]
  for (const way of ways) expect(await way).toMatchObject({ status: 200, answer: { ok: true } })
})

test('unknown methods, parameters and tokens are refused', async () => {
  const json = (body: object) => ({ body: JSON.stringify(body), headers: { 'content-type': 'application/json' } })
  expect(await post(`/bot${telegram.token}/sendPigeon`)).toMatchObject({
    status: 404,
    answer: { description: 'Not Found: method not found' },
  })
  expect(await post('/botnonsense/getMe')).toMatchObject({ status: 404, answer: { description: 'Not Found' } })
  expect(await post('/bot7000000001:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA/getMe')).toMatchObject({ status: 401 })
  const send = (body: object) => post(`/bot${telegram.token}/sendMessage`, json(body))
  const describe = async (body: object) => (await send(body)).answer.description
  expect(await describe({ chat_id: ada.id, text: 'x', parsemode: 'HTML' })).toBe(
    'Bad Request: the method has no parameter "parsemode"',
  )
  expect(await describe({ text: 'x' })).toBe('Bad Request: chat_id is empty')
  expect(await describe({ chat_id: ada.id })).toBe('Bad Request: message text is empty')
  expect(await describe({ chat_id: ada.id, text: 'x', disable_notification: 'perhaps' })).toContain(
    '"disable_notification"',
  )
  expect(await describe({ chat_id: ada.id, text: 'x', message_thread_id: 'first' })).toContain('"message_thread_id"')
  expect(await describe({ chat_id: ada.id, text: 'x', reply_parameters: { id: 1 } })).toContain('no parameter "id"')
})

test('a connection can break before or after the deed', async () => {
  const bob = telegram.user()
  bob.start()
  const seen = () => telegram.chat(bob).messages.filter(({ isBot }) => isBot).length
  telegram.failNext({ method: 'sendMessage', lose: 'request' }, { method: 'sendMessage', lose: 'answer' })
  await expect(api.sendMessage(bob.id, 'x')).rejects.toThrow('Network request')
  expect(seen()).toBe(0)
  await expect(api.sendMessage(bob.id, 'x')).rejects.toThrow('Network request')
  expect(seen()).toBe(1)
  telegram.failNext({ refuse: { code: 500, description: 'Internal Server Error' } })
  await expect(api.sendMessage(bob.id, 'x')).rejects.toMatchObject({ error_code: 500 })
  await api.sendMessage(bob.id, 'x')
  expect(seen()).toBe(2)
})

test.each([
  'Press <tg-button type="callback_data" data="approve:1">Yes</tg-button> now',
  '<tg-button type="callback_data" data="approve:1">Yes</tg-button>',
])('a button that somebody wrote into Markdown is a real button: %s', async (markdown) => {
  const bob = telegram.user()
  bob.start()
  await api.raw.sendRichMessage({ chat_id: bob.id, rich_message: { markdown } })
  expect(telegram.chat(bob).messages.at(-1)?.richButtons).toMatchObject([{ label: 'Yes' }])
  bob.click('Yes')
  expect(telegram.updates().at(-1)?.callback_query?.data).toBe('approve:1')
  await api.raw.sendRichMessage({ chat_id: bob.id, rich_message: { markdown: `\`${markdown}\`` } })
  expect(telegram.chat(bob).messages.at(-1)?.richButtons).toEqual([])
})
