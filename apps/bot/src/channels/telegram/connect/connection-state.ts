import { type ChannelStatus, type PartHealth, setChannelStatus } from '@quartermaster/db'
import type { TelegramConnection } from './telegram-connection.ts'

export interface ConnectionState {
  /** How this process is connected. Said to the console too, by whoever receives: a standby knows nothing of it. */
  tell(health: PartHealth, status?: { status: ChannelStatus; detail?: string }): void
  health(): PartHealth
}

export function createConnectionState(telegram: TelegramConnection): ConnectionState {
  let current: PartHealth = { state: 'ok', detail: 'Telegram is connected for sending.', next: null }
  let telling: Promise<unknown> = Promise.resolve()

  function write({ status, detail = '' }: { status: ChannelStatus; detail?: string }): void {
    telling = telling
      .then(async () => setChannelStatus(telegram.chat.db, (await telegram.self()).channelId, status, detail))
      .catch((error: unknown) => telegram.log.debug({ error }, "Telegram's state was not written down"))
  }

  return {
    tell(health, status) {
      if (health.detail !== current.detail)
        telegram.log[health.state === 'ok' ? 'info' : 'warn']({ detail: health.detail }, 'Telegram')
      current = health
      if (status) write(status)
    },
    health: () => current,
  }
}
