// What `npm run doctor` and the health say about Telegram.
import { Api } from 'grammy'
import { expect, onTestFinished, test } from 'vitest'
import { probeTelegram } from '../../apps/bot/src/health/probe-telegram.ts'
import { startTelegramEmulator, type TelegramEmulatorOptions } from '../emulators/telegram/index.ts'

async function probe(
  options: TelegramEmulatorOptions = {},
  more: { webhookUrl?: string; botToken?: string } = {},
  hook = '',
) {
  const telegram = await startTelegramEmulator(options)
  onTestFinished(() => telegram.close())
  const { apiRoot, token: botToken } = telegram
  if (hook) await new Api(botToken, { apiRoot }).setWebhook(hook)
  return probeTelegram({ botToken, apiRoot, ...more }, AbortSignal.timeout(10_000))
}

test('a bot that is set up says its name, and what it hears', async () => {
  expect(await probe()).toEqual({
    state: 'ok',
    detail: 'Telegram answers as @quartermaster_bot. In groups it is sent only what is meant for it (privacy mode).',
    next: null,
  })
  const open = await probe({ isPrivate: false, hasTopics: true })
  expect(open.detail).toContain('In groups it is sent everything (privacy mode is off).')
  expect(open.detail).toContain('Private chats have topics, each a conversation.')
})

test('a refused token is a problem that names the variable', async () => {
  expect(await probe({}, { botToken: '1234567:wrongwrongwrongwrongwrongwrongwro' })).toMatchObject({
    state: 'problem',
    next: expect.stringContaining('TELEGRAM_BOT_TOKEN'),
  })
})

test('a webhook of another program is a problem that names its host; one of ours is none', async () => {
  expect(await probe({}, {}, 'https://other.example.com/hook')).toMatchObject({
    state: 'problem',
    detail: expect.stringContaining('other.example.com'),
  })
  expect(await probe({}, {}, 'https://bot.example.com/telegram/webhook')).toMatchObject({ state: 'ok' })
  expect(
    await probe({}, { webhookUrl: 'https://bot.example.com' }, 'https://bot.example.com/telegram/webhook'),
  ).toMatchObject({ state: 'ok' })
})
