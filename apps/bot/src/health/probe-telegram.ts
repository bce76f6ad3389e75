import type { PartHealth } from '@quartermaster/db'
import { Api, GrammyError } from 'grammy'
import type { BotEnv } from '../env.ts'

/** Whether Telegram knows the token. */
export async function probeTelegram(telegram: BotEnv['telegram'], signal: AbortSignal): Promise<PartHealth> {
  if (!telegram) return { state: 'off', detail: 'Telegram is not connected.', next: 'Set TELEGRAM_BOT_TOKEN' }
  try {
    const api = new Api(telegram.botToken, { apiRoot: telegram.apiRoot })
    // grammY's types name the signal of an old package; it takes the platform's own.
    const me = await api.getMe(signal as never)
    return { state: 'ok', detail: `Telegram answers as @${me.username}.`, next: null }
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
