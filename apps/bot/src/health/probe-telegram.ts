import type { UserFromGetMe, WebhookInfo } from '@grammyjs/types'
import type { PartHealth } from '@quartermaster/db'
import { Api, GrammyError } from 'grammy'
import { webhookPath } from '../channels/telegram/connect/webhook-path.ts'
import type { BotEnv } from '../env.ts'

/** Whether Telegram knows the token, whether messages come here, and what the bot is set up to hear. */
export async function probeTelegram(telegram: BotEnv['telegram'], signal: AbortSignal): Promise<PartHealth> {
  if (!telegram) return { state: 'off', detail: 'Telegram is not connected.', next: 'Set TELEGRAM_BOT_TOKEN' }
  try {
    const api = new Api(telegram.botToken, { apiRoot: telegram.apiRoot })
    // grammY's types name the signal of an old package; it takes the platform's own.
    const me = await api.getMe(signal as never)
    const webhook = await api.getWebhookInfo(signal as never).catch(() => null)
    const conflict = webhook && conflictOf(telegram, webhook)
    if (conflict) return conflict
    return { state: 'ok', detail: [`Telegram answers as @${me.username}.`, ...hearing(me)].join(' '), next: null }
  } catch (error) {
    // The address of a request holds the token, so nothing but Telegram's own description is repeated.
    if (error instanceof GrammyError && (error.error_code === 401 || error.error_code === 404))
      return {
        state: 'problem',
        detail: `Telegram refuses the token (${error.description}).`,
        next: 'Copy the token from @BotFather into TELEGRAM_BOT_TOKEN again',
      }
    return {
      state: 'problem',
      detail:
        error instanceof GrammyError
          ? `Telegram answered with an error (${error.description}).`
          : 'Telegram cannot be reached.',
      next: 'Check the network (and TELEGRAM_API_ROOT if it is set)',
    }
  }
}

/** Telegram gives a bot's messages to its webhook or to whoever polls, never to both. */
function conflictOf(telegram: NonNullable<BotEnv['telegram']>, webhook: WebhookInfo): PartHealth | null {
  const { url = '', last_error_message: failure, pending_update_count: waiting } = webhook
  if (!telegram.webhookUrl && url && !url.endsWith(webhookPath))
    return {
      state: 'problem',
      detail: `A webhook of another program (${URL.parse(url)?.host ?? 'somewhere'}) is set for this bot, so Telegram gives its messages to that program.`,
      next: 'Delete that webhook (deleteWebhook), or give this bot a token of its own from @BotFather',
    }
  if (telegram.webhookUrl && failure && waiting > 0)
    return {
      state: 'warning',
      detail: `Telegram could not call the webhook: ${failure}.`,
      next: 'Check that TELEGRAM_WEBHOOK_URL leads to the gateway of the bot',
    }
  return null
}

function hearing(me: Partial<UserFromGetMe>): string[] {
  return [
    ...(me.can_read_all_group_messages === false
      ? ['In groups it is sent only what is meant for it (privacy mode).']
      : []),
    ...(me.can_read_all_group_messages === true ? ['In groups it is sent everything (privacy mode is off).'] : []),
    ...(me.can_join_groups === false ? ['It may not be added to groups.'] : []),
    ...(me.has_topics_enabled === true ? ['Private chats have topics, each a conversation.'] : []),
  ]
}
