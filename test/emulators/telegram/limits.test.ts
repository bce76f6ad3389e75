// Every limit of the table in the design: the value just within is taken, one more is refused.
import { Bot, InputFile } from 'grammy'
import type { InlineKeyboardButton } from 'grammy/types'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { onePixel, type Person, startTelegramEmulator, type TelegramEmulator } from './index.ts'

let telegram: TelegramEmulator
let api: Bot['api']
let ada: Person

beforeAll(async () => {
  telegram = await startTelegramEmulator({ hasTopics: true })
  api = new Bot(telegram.token, { client: { apiRoot: telegram.apiRoot } }).api
  ada = telegram.user({ firstName: 'Ada' })
  ada.start()
})

afterAll(() => telegram.close())

const refused = (call: Promise<unknown>, description: string) =>
  expect(call).rejects.toMatchObject({ error_code: 400, description: `Bad Request: ${description}` })
const keyboard = (...buttons: InlineKeyboardButton[]) => ({ reply_markup: { inline_keyboard: [buttons] } })
const rich = (markdown: string) => api.raw.sendRichMessage({ chat_id: ada.id, rich_message: { markdown } })
const megabyte = 1024 * 1024

test('a text has 4096 characters, counted after its entities are parsed', async () => {
  const sent = await api.sendMessage(ada.id, `<b>${'é'.repeat(4096)}</b>`, { parse_mode: 'HTML' })
  await refused(api.sendMessage(ada.id, 'é'.repeat(4097)), 'message is too long')
  await api.editMessageText(ada.id, sent.message_id, '😀'.repeat(4096))
  await refused(api.editMessageText(ada.id, sent.message_id, '😀'.repeat(4097)), 'message is too long')
  await refused(api.sendMessage(ada.id, ' \n '), 'message text is empty')
  await refused(api.sendMessage(ada.id, '<b></b>', { parse_mode: 'HTML' }), 'message text is empty')
})

test('a caption has 1024 characters', async () => {
  const file = () => new InputFile(Buffer.from('x'), 'x.txt')
  const sent = await api.sendDocument(ada.id, file(), { caption: 'x'.repeat(1024) })
  await refused(api.sendDocument(ada.id, file(), { caption: 'x'.repeat(1025) }), 'message caption is too long')
  await refused(
    api.editMessageCaption(ada.id, sent.message_id, { caption: 'y'.repeat(1025) }),
    'message caption is too long',
  )
  await api.editMessageCaption(ada.id, sent.message_id, { caption: 'y'.repeat(1024) })
})

test('the answer to a pressed button has 200 characters', async () => {
  await api.sendMessage(ada.id, 'press', keyboard({ text: 'P', callback_data: 'p' }))
  const { queryId } = ada.click('P')
  await refused(api.answerCallbackQuery(String(queryId), { text: 'x'.repeat(201) }), 'MESSAGE_TOO_LONG')
  await api.answerCallbackQuery(String(queryId), { text: 'x'.repeat(200) })
})

test('the data of a button has 1 to 64 bytes', async () => {
  await api.sendMessage(ada.id, 'x', keyboard({ text: 'x', callback_data: 'é'.repeat(32) }))
  await refused(
    api.sendMessage(ada.id, 'x', keyboard({ text: 'x', callback_data: `${'é'.repeat(32)}x` })),
    'BUTTON_DATA_INVALID',
  )
  await refused(api.sendMessage(ada.id, 'x', keyboard({ text: 'x', callback_data: '' })), 'BUTTON_DATA_INVALID')
})

test('what a button copies has 256 characters, and a keyboard 100 buttons', async () => {
  await api.sendMessage(ada.id, 'x', keyboard({ text: 'x', copy_text: { text: 'x'.repeat(256) } }))
  await refused(
    api.sendMessage(ada.id, 'x', keyboard({ text: 'x', copy_text: { text: 'x'.repeat(257) } })),
    'BUTTON_COPY_TEXT_INVALID',
  )
  const rows = Array.from({ length: 100 }, (_, index) => [{ text: `${index}`, callback_data: `${index}` }])
  await api.sendMessage(ada.id, 'x', { reply_markup: { inline_keyboard: rows } })
  const more = { inline_keyboard: [...rows, [{ text: 'x', callback_data: 'x' }]] }
  await refused(api.sendMessage(ada.id, 'x', { reply_markup: more }), 'reply markup is too long')
})

test('a rich message has 32,768 characters', async () => {
  await rich(`**${'x'.repeat(32_768)}**`)
  await refused(rich('x'.repeat(32_769)), 'message is too long')
})

test('a rich message has 500 blocks, items of lists and rows of tables counted', async () => {
  const paragraphs = (count: number) => Array.from({ length: count }, (_, index) => `p${index}`).join('\n\n')
  await rich(paragraphs(500))
  await refused(rich(paragraphs(501)), 'rich message has too many blocks')
  // A list of n is the list, n items, and a paragraph in each.
  const list = (count: number) => Array.from({ length: count }, () => '- item').join('\n')
  await rich(list(249))
  await refused(rich(list(250)), 'rich message has too many blocks')
})

test('a rich message is 16 levels deep', async () => {
  const quotes = (depth: number) => `${'>'.repeat(depth)} deep`
  await rich(quotes(15))
  await refused(rich(quotes(16)), 'rich message is nested too deep')
  await refused(rich(`${'>'.repeat(15)} **deep**`), 'rich message is nested too deep')
})

test('a table has 20 columns', async () => {
  const table = (columns: number) => {
    const row = (cell: string) => `|${`${cell}|`.repeat(columns)}`
    return [row('a'), row('-'), row('b')].join('\n')
  }
  await rich(table(20))
  await refused(rich(table(21)), 'rich message has a table with too many columns')
})

test('a rich message has 50 media', async () => {
  const send = (count: number) =>
    api.raw.sendRichMessage({
      chat_id: ada.id,
      rich_message: {
        markdown: Array.from({ length: count }, () => '![](tg://photo?id=one)').join('\n\n'),
        media: [{ id: 'one', media: { type: 'photo', media: new InputFile(onePixel, 'p.png') } }],
      },
    })
  await send(50)
  await refused(send(51), 'rich message has too many media')
})

test('a draft has the limits of the message it becomes', async () => {
  const draft = (text: string) => api.raw.sendMessageDraft({ chat_id: ada.id, draft_id: 1, text })
  await draft('x'.repeat(4096))
  await refused(draft('x'.repeat(4097)), 'message is too long')
  const richDraft = (markdown: string) =>
    api.raw.sendRichMessageDraft({ chat_id: ada.id, draft_id: 1, rich_message: { markdown } })
  await richDraft('x'.repeat(32_768))
  await refused(richDraft('x'.repeat(32_769)), 'message is too long')
})

test('there are 100 commands, with names of 32 and descriptions of 256 characters', async () => {
  const named = (command: string, description = 'does it') => [{ command, description }]
  const many = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ command: `c${index}`, description: 'x' }))
  await api.setMyCommands(many(100))
  await refused(api.setMyCommands(many(101)), 'too many commands specified')
  await api.setMyCommands(named(`a_9${'x'.repeat(29)}`, 'x'.repeat(256)))
  await refused(api.setMyCommands(named('x'.repeat(33))), 'BOT_COMMAND_INVALID')
  await refused(api.setMyCommands(named('Upper')), 'BOT_COMMAND_INVALID')
  await refused(api.setMyCommands(named('with-dash')), 'BOT_COMMAND_INVALID')
  await refused(api.setMyCommands(named('x', 'x'.repeat(257))), 'BOT_COMMAND_DESCRIPTION_INVALID')
})

test('a file of 20 MB can be fetched, a larger one not', async () => {
  const within = ada.sendDocument({ bytes: Buffer.alloc(20 * megabyte) })
  const beyond = ada.sendDocument({ bytes: Buffer.alloc(20 * megabyte + 1) })
  const file = await api.getFile(String(within.document?.file_id))
  const answer = await fetch(`${telegram.apiRoot}/file/bot${telegram.token}/${file.file_path}`)
  expect((await answer.arrayBuffer()).byteLength).toBe(20 * megabyte)
  await refused(api.getFile(String(beyond.document?.file_id)), 'file is too big')
})

test('a file of 50 MB can be sent, a larger one not', async () => {
  const file = (bytes: number) => new InputFile(Buffer.alloc(bytes), 'big.bin')
  await api.sendDocument(ada.id, file(50 * megabyte))
  await expect(api.sendDocument(ada.id, file(50 * megabyte + 1))).rejects.toMatchObject({
    error_code: 413,
    description: 'Request Entity Too Large',
  })
}, 60_000)

test('a photo has 10 MB, and is a picture', async () => {
  const photo = (bytes: number) =>
    new InputFile(Buffer.concat([onePixel, Buffer.alloc(bytes - onePixel.length)]), 'p.png')
  await api.sendPhoto(ada.id, photo(10 * megabyte))
  await refused(
    api.sendPhoto(ada.id, photo(10 * megabyte + 1)),
    'file of size 10485761 bytes is too big for a photo; the maximum size is 10485760 bytes',
  )
  await refused(api.sendPhoto(ada.id, new InputFile(Buffer.from('text'), 'p.png')), 'IMAGE_PROCESS_FAILED')
}, 60_000)

test.each([443, 80, 88, 8443])('a webhook may be at port %i', async (port) => {
  await api.setWebhook(`https://bot.example.com:${port}/hook`, { secret_token: 'Az0_-'.padEnd(256, 'x') })
  await api.deleteWebhook()
})

test('a webhook is at a port of the four, by HTTPS, with a secret of at most 256 plain characters', async () => {
  const url = 'https://bot.example.com/hook'
  await refused(
    api.setWebhook('https://bot.example.com:8080/hook'),
    'bad webhook: Webhook can be set up only on ports 80, 88, 443 or 8443',
  )
  await refused(api.setWebhook('http://bot.example.com/hook'), 'bad webhook: An HTTPS URL must be provided for webhook')
  await refused(api.setWebhook(url, { secret_token: 'x'.repeat(257) }), 'secret token is too long')
  await refused(api.setWebhook(url, { secret_token: 'no spaces' }), 'secret token contains unallowed characters')
  await refused(api.setWebhook(url, { max_connections: 101 }), 'max_connections must be between 1 and 100')
})

test('the name of a topic has 128 characters', async () => {
  const { message_thread_id: topic } = await api.createForumTopic(ada.id, 'x'.repeat(128))
  await refused(api.createForumTopic(ada.id, 'x'.repeat(129)), 'TOPIC_TITLE_INVALID')
  await refused(api.editForumTopic(ada.id, topic, { name: 'y'.repeat(129) }), 'TOPIC_TITLE_INVALID')
})
