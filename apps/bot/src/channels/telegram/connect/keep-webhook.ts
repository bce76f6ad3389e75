import { setTimeout as sleep } from 'node:timers/promises'
import { telegramLimits } from '../limits.ts'
import type { ConnectionState } from './connection-state.ts'
import { describeRefusal, retryAfterOf } from './describe-refusal.ts'
import { setWebhook } from './set-up-bot.ts'
import { type TelegramConnection, within } from './telegram-connection.ts'

/** How often it is looked at whether Telegram still calls here, and what it says about calls that failed. */
const lookEveryMs = 60_000

export interface KeptWebhook {
  telegram: TelegramConnection
  state: ConnectionState
  onBegin(): Promise<void>
}

/** Tells Telegram where to call, and goes on looking whether it does. Resolves when the signal has aborted. */
export async function keepWebhook({ telegram, state, onBegin }: KeptWebhook, signal: AbortSignal): Promise<void> {
  let isSet = false
  for (let failures = 0; !signal.aborted; ) {
    let waitMs = lookEveryMs
    try {
      const { username } = await telegram.self()
      if (!isSet) {
        await setWebhook(telegram)
        await onBegin()
        isSet = true
      }
      const info = await telegram.api.getWebhookInfo(within(telegramLimits.callMs))
      // Somebody else set another one: ours is what the settings say.
      isSet = info.url?.startsWith(telegram.settings.webhookUrl ?? '') ?? false
      if (!isSet) waitMs = 1_000
      const failing = info.last_error_date !== undefined && info.pending_update_count > 0
      if (failing)
        state.tell(
          {
            state: 'problem',
            detail: `Telegram cannot reach the webhook (${info.last_error_message ?? 'no reason given'}).`,
            next: 'Check that TELEGRAM_WEBHOOK_URL leads to the gateway of the bot',
          },
          { status: 'failing', detail: info.last_error_message ?? '' },
        )
      else
        state.tell(
          { state: 'ok', detail: `Telegram calls the webhook of @${username}.`, next: null },
          { status: 'connected' },
        )
      failures = 0
    } catch (error) {
      failures++
      waitMs = retryAfterOf(error) ?? Math.min(1_000 * 2 ** failures, 30_000)
      const detail = `The webhook could not be set (${describeRefusal(error)}).`
      state.tell({ state: 'problem', detail, next: 'Run npm run doctor' }, { status: 'failing', detail })
    }
    await sleep(waitMs, undefined, { signal }).catch(() => {})
  }
}
