// Telegram, through a bot: long polling by one process of the fleet, or a webhook on the gateway.
import { Problem } from '@quartermaster/db'
import type { ChatServices } from '../../chat/chat-services.ts'
import type { Channel } from '../channel.ts'
import { createConnectionState } from './connect/connection-state.ts'
import { keepWebhook } from './connect/keep-webhook.ts'
import { pollUpdates } from './connect/poll-updates.ts'
import { receiveWebhook } from './connect/receive-webhook.ts'
import { setCommands } from './connect/set-up-bot.ts'
import { createTakingUpdates } from './connect/take-updates.ts'
import { createTelegramConnection, type TelegramSettings } from './connect/telegram-connection.ts'
import { createDeliver } from './deliver/deliver.ts'
import { channelLimits } from './limits.ts'
import { createPresenting } from './present/create-presenting.ts'
import { fetchFile } from './receive/fetch-file.ts'
import { createHandling } from './receive/handle-update.ts'

export interface TelegramChannelOptions {
  settings: TelegramSettings
  chat: ChatServices
}

/** Throws a Problem where a webhook is asked for without its secret: then anybody could speak as anybody. */
export function createTelegramChannel({ settings, chat }: TelegramChannelOptions): Channel {
  const { webhookUrl, webhookSecret } = settings
  if (webhookUrl && !webhookSecret)
    throw new Problem(
      'TELEGRAM_WEBHOOK_URL is set without TELEGRAM_WEBHOOK_SECRET, by which calls of Telegram are told from others.',
      'Set TELEGRAM_WEBHOOK_SECRET to 32 or more random letters and digits, or remove TELEGRAM_WEBHOOK_URL.',
    )
  const telegram = createTelegramConnection(settings, chat)
  const presenting = createPresenting(telegram)
  const state = createConnectionState(telegram)
  const taking = createTakingUpdates(telegram, createHandling(telegram))
  const stopping = new AbortController()
  const onBegin = () =>
    setCommands(telegram).catch((error: unknown) => telegram.log.warn({ error }, 'the commands were not set'))

  return {
    kind: 'telegram',
    limits: channelLimits,
    deliver: createDeliver(telegram, presenting),
    present: presenting.present,
    fetch: (reference, _where, signal) => fetchFile(telegram, reference, signal),
    directKey: (identityExternalId) => identityExternalId,
    health: () => state.health(),
    mount(gateway) {
      if (!webhookUrl || !webhookSecret) return
      const take = taking.takeOne
      receiveWebhook(gateway, { secret: webhookSecret, log: chat.log, take: (update) => take(update, stopping.signal) })
    },
    async start(signal) {
      signal.addEventListener('abort', () => stopping.abort(), { once: true })
      const receiving = webhookUrl
        ? keepWebhook({ telegram, state, onBegin }, signal)
        : pollUpdates({ telegram, state, take: taking.take, onBegin }, signal)
      // It mends itself until it is stopped; nobody waits for Telegram to begin.
      receiving.catch((error: unknown) => telegram.log.error({ error }, 'receiving from Telegram ended'))
    },
  }
}
