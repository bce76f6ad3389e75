// What the way in and the way out of Telegram share: the API, and who we are there.
import { autoRetry } from '@grammyjs/auto-retry'
import { openChannel } from '@quartermaster/db'
import { Api } from 'grammy'
import type { ChatServices } from '../../../chat/chat-services.ts'
import type { BotEnv } from '../../../env.ts'
import type { Log } from '../../../log.ts'
import { telegramLimits } from '../limits.ts'

export type TelegramSettings = NonNullable<BotEnv['telegram']>

export interface TelegramConnection {
  settings: TelegramSettings
  chat: ChatServices
  log: Log
  /** Tries nothing twice: whoever calls decides what a refusal means. */
  api: Api
  /** For what nobody sends again, replies to commands and notices: it waits as long as Telegram asks for, within reason. */
  patientApi: Api
  /** Who we are, asked once; asked again where that failed. */
  self(): Promise<TelegramSelf>
  /** Who we are, where that is known already. */
  knownSelf(): TelegramSelf | null
}

export interface TelegramSelf {
  /** The id of the channel's row. */
  channelId: string
  workspaceId: string
  botId: number
  username: string
  /** In groups it is sent only what is meant for it. */
  hasPrivacy: boolean
}

export function createTelegramConnection(settings: TelegramSettings, chat: ChatServices): TelegramConnection {
  const options = { apiRoot: settings.apiRoot, timeoutSeconds: telegramLimits.pollSeconds + 15 }
  const api = new Api(settings.botToken, options)
  const patientApi = new Api(settings.botToken, options)
  patientApi.config.use(autoRetry({ maxDelaySeconds: 30, maxRetryAttempts: 3, rethrowHttpErrors: true }))
  let asking: Promise<TelegramSelf> | null = null
  let known: TelegramSelf | null = null

  async function ask(): Promise<TelegramSelf> {
    const me = await api.getMe(within(telegramLimits.callMs))
    const row = { kind: 'telegram', externalId: String(me.id), name: `@${me.username}` } as const
    const { id, workspaceId } = await openChannel(chat.db, row)
    const hasPrivacy = !me.can_read_all_group_messages
    known = { channelId: id, workspaceId, botId: me.id, username: me.username, hasPrivacy }
    return known
  }

  return {
    settings,
    chat,
    log: chat.log,
    api,
    patientApi,
    self() {
      asking ??= ask().catch((error: unknown) => {
        asking = null
        throw error
      })
      return asking
    },
    knownSelf: () => known,
  }
}

/** grammY's types name the signal of an old package; it takes the platform's own. */
export const asSignal = (signal: AbortSignal) => signal as never

export const within = (ms: number) => asSignal(AbortSignal.timeout(ms))
