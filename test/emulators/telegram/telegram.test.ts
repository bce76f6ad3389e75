import { Bot, GrammyError, InputFile } from 'grammy'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { onePixel, startTelegramEmulator, type TelegramEmulator } from './index.ts'

let telegram: TelegramEmulator
let bot: Bot
let polling: Promise<void> | undefined

beforeEach(async () => {
  telegram = await startTelegramEmulator()
  bot = new Bot(telegram.token, { client: { apiRoot: telegram.apiRoot } })
})

afterEach(async () => {
  await bot.stop()
  await polling
  polling = undefined
  await telegram.close()
})

function start() {
  polling = bot.start()
}

test('a bot answers what a person says, with a button that the person presses', async () => {
  bot.on('message:text', (context) =>
    context.reply(`<b>You</b> said ${context.message.text}`, {
      parse_mode: 'HTML',
      reply_markup: { inline_keyboard: [[{ text: 'Good', callback_data: 'good', style: 'success' }]] },
    }),
  )
  bot.on('callback_query:data', async (context) => {
    await context.answerCallbackQuery({ text: 'Thanks', show_alert: true })
    await context.editMessageReplyMarkup({ reply_markup: { inline_keyboard: [[{ text: 'Good', disabled: {} }]] } })
  })
  start()
  const ada = telegram.user({ firstName: 'Ada', username: 'ada' })
  ada.say('hello')
  const answer = await telegram.until(() => telegram.chat(ada).messages.find(({ isBot }) => isBot))
  expect(answer).toMatchObject({
    text: 'You said hello',
    keyboard: [[{ label: 'Good', style: 'success', isDisabled: false }]],
    message: { entities: [{ type: 'bold', offset: 0, length: 3 }] },
  })
  ada.click('Good')
  await telegram.until(() => telegram.chat(ada).messages.at(-1)?.keyboard[0]?.[0]?.isDisabled)
  expect(telegram.notices(ada)).toEqual([{ userId: ada.id, text: 'Thanks', isAlert: true, url: undefined }])
  expect(() => ada.click('Good')).toThrow('is disabled')
})

test('a file that was uploaded can be fetched again, byte by byte', async () => {
  const ada = telegram.user()
  ada.start()
  const message = await bot.api.sendDocument(ada.id, new InputFile(Buffer.from('some bytes'), 'report.txt'), {
    caption: 'Here',
  })
  expect(message).toMatchObject({ caption: 'Here', document: { file_name: 'report.txt', file_size: 10 } })
  const file = await bot.api.getFile(message.document.file_id)
  const answer = await fetch(`${telegram.apiRoot}/file/bot${telegram.token}/${file.file_path}`)
  expect(await answer.text()).toBe('some bytes')
})

test('media of every kind is sent by the bot and seen as what it is', async () => {
  const ada = telegram.user()
  ada.start()
  const file = (name: string) => new InputFile(onePixel, name)
  await bot.api.sendPhoto(ada.id, file('p.png'))
  await bot.api.sendVoice(ada.id, file('v.ogg'), { duration: 2 })
  await bot.api.sendAudio(ada.id, file('a.mp3'), { title: 'Song' })
  await bot.api.sendVideo(ada.id, file('v.mp4'))
  await bot.api.sendAnimation(ada.id, file('a.gif'))
  await bot.api.sendMediaGroup(ada.id, [
    { type: 'photo', media: file('1.png'), caption: 'both' },
    { type: 'photo', media: file('2.png') },
  ])
  const seen = telegram.chat(ada).messages.slice(1)
  expect(seen.map(({ kind }) => kind)).toEqual(['photo', 'voice', 'audio', 'video', 'animation', 'photo', 'photo'])
  expect(seen.at(-2)?.message.media_group_id).toBe(seen.at(-1)?.message.media_group_id)
})

test('an edit that changes nothing is refused, one that does is taken', async () => {
  const ada = telegram.user()
  ada.start()
  const sent = await bot.api.sendMessage(ada.id, 'one')
  await expect(bot.api.editMessageText(ada.id, sent.message_id, 'one')).rejects.toThrow('message is not modified')
  await bot.api.editMessageText(ada.id, sent.message_id, 'two')
  expect(telegram.chat(ada).messages.at(-1)).toMatchObject({ text: 'two', isEdited: true })
  ada.deleteMessage(sent.message_id)
  await expect(bot.api.editMessageText(ada.id, sent.message_id, 'three')).rejects.toThrow('message to edit not found')
})

test('a stranger to the Bot API is told so', async () => {
  const other = new Bot('7000000001:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', { client: { apiRoot: telegram.apiRoot } })
  await expect(other.api.getMe()).rejects.toMatchObject({ error_code: 401, description: 'Unauthorized' })
  await expect(bot.api.sendMessage(1, 'x')).rejects.toMatchObject({ description: 'Bad Request: chat not found' })
  await expect(bot.api.raw.sendMessage({ chat_id: 1, text: 'x', txt: 'y' } as never)).rejects.toBeInstanceOf(
    GrammyError,
  )
})
