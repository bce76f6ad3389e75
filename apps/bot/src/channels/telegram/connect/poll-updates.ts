// Long polling by exactly one process of the fleet: whoever holds the lock asks Telegram, the others look every second
// whether they may. An update is confirmed by the next request's offset, so that request is made after everything of
// this one is stored: a poller that dies leaves what it had not stored to the next one.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Update } from '@grammyjs/types'
import { GrammyError } from 'grammy'
import { telegramLimits } from '../limits.ts'
import type { ConnectionState } from './connection-state.ts'
import { describeRefusal, isTokenRefused, retryAfterOf } from './describe-refusal.ts'
import { holdLock } from './hold-lock.ts'
import { allowedUpdates } from './set-up-bot.ts'
import { asSignal, type TelegramConnection, within } from './telegram-connection.ts'
import { webhookPath } from './webhook-path.ts'

export interface Polling {
  telegram: TelegramConnection
  state: ConnectionState
  /** Stores updates, those of a chat in their order; throws only when it was aborted. */
  take(updates: readonly Update[], signal: AbortSignal): Promise<void>
  /** Once for every time that this process becomes the poller. */
  onBegin(): Promise<void>
}

/** Resolves when the signal has aborted. */
export async function pollUpdates(polling: Polling, signal: AbortSignal): Promise<void> {
  const { telegram, state } = polling
  const patience = createPatience()
  while (!signal.aborted) {
    try {
      const { botId, username } = await telegram.self()
      const name = `telegram-poller:${botId}`
      const lock = await holdLock(telegram.chat.db, name, { checkMs: telegramLimits.lockCheckMs, log: telegram.log })
      patience.reset()
      if (!lock) {
        state.tell({
          state: 'ok',
          detail: `Another process receives for @${username}; this one takes over when it ends.`,
          next: null,
        })
        await rest(telegramLimits.standbyMs, signal)
        continue
      }
      try {
        await pollWhileHeld(polling, AbortSignal.any([signal, lock.lost]))
      } finally {
        lock.release()
      }
    } catch (error) {
      if (signal.aborted) return
      telegram.log.debug({ error }, 'Telegram cannot be polled')
      state.tell(healthOf(error), { status: 'failing', detail: healthOf(error).detail })
      await rest(patience.next(), signal)
    }
  }
}

async function pollWhileHeld(polling: Polling, signal: AbortSignal): Promise<void> {
  const { telegram, state, take } = polling
  const { username } = await telegram.self()
  const patience = createPatience()
  let offset: number | undefined
  let conflicts = 0
  let begun = false
  while (!signal.aborted) {
    try {
      if (!begun) {
        await removeOwnWebhook(telegram)
        await polling.onBegin()
        begun = true
      }
      let updates = await ask(telegram, offset, signal)
      patience.reset()
      conflicts = 0
      state.tell({ state: 'ok', detail: `Telegram answers as @${username}.`, next: null }, { status: 'connected' })
      if (updates.some(isOfAlbum)) updates = await waitForAlbums(telegram, offset, updates, signal)
      await take(updates, signal)
      const last = updates.at(-1)
      // Where nothing came, this request has confirmed everything before it. Then none is named: after a quiet week
      // Telegram's ids begin anew anywhere, and an old offset might be beyond them.
      offset = last ? last.update_id + 1 : undefined
    } catch (error) {
      if (signal.aborted) break
      const isConflict = error instanceof GrammyError && error.error_code === 409
      conflicts = isConflict ? conflicts + 1 : 0
      telegram.log.debug({ error }, 'asking Telegram for updates failed')
      // The first one may be a poller of ours that was cut off a moment ago.
      if (conflicts !== 1) {
        const health = healthOf(error)
        state.tell(health, { status: 'failing', detail: health.detail })
      }
      await rest(retryAfterOf(error) ?? (isConflict && conflicts > 1 ? patience.next(5_000) : patience.next()), signal)
    }
  }
  // What is stored is confirmed, so that the next poller is not given it again. It would be known as taken anyway.
  if (offset !== undefined)
    await telegram.api.getUpdates({ offset, limit: 1, timeout: 0 }, within(1_000)).catch(() => {})
}

const ask = (telegram: TelegramConnection, offset: number | undefined, signal: AbortSignal, timeout?: number) =>
  telegram.api.getUpdates(
    {
      timeout: timeout ?? telegramLimits.pollSeconds,
      allowed_updates: [...allowedUpdates],
      ...(offset === undefined ? {} : { offset }),
    },
    asSignal(signal),
  )

const isOfAlbum = ({ message }: Update): boolean => message?.media_group_id !== undefined

/** An album's pictures are updates of their own and may come late: what was given is asked for again until no more come. */
async function waitForAlbums(
  telegram: TelegramConnection,
  offset: number | undefined,
  first: Update[],
  signal: AbortSignal,
): Promise<Update[]> {
  let updates = first
  const deadline = Date.now() + telegramLimits.albumMs
  while (Date.now() < deadline) {
    await rest(telegramLimits.albumQuietMs, signal)
    // The same offset: nothing is confirmed by this.
    const again = await ask(telegram, offset ?? updates[0]?.update_id, signal, 0)
    if (again.filter(isOfAlbum).length <= updates.filter(isOfAlbum).length)
      return again.length >= updates.length ? again : updates
    updates = again
  }
  return updates
}

/** A webhook of ours from earlier settings is in the way of polling. One of another program is left to its owner. */
async function removeOwnWebhook(telegram: TelegramConnection): Promise<void> {
  const { url } = await telegram.api.getWebhookInfo(within(telegramLimits.callMs))
  if (!url?.endsWith(webhookPath)) return
  telegram.log.info('the webhook of earlier settings is removed')
  await telegram.api.deleteWebhook(undefined, within(telegramLimits.callMs))
}

function healthOf(error: unknown) {
  const state = 'problem' as const
  if (isTokenRefused(error))
    return {
      state,
      detail: `Telegram refuses the token (${describeRefusal(error)}).`,
      next: 'Copy the token from @BotFather into TELEGRAM_BOT_TOKEN again',
    }
  if (error instanceof GrammyError && error.error_code === 409)
    return error.description.includes('webhook')
      ? {
          state,
          detail: 'A webhook of another program is set for this bot, so Telegram gives its messages to that program.',
          next: 'Delete that webhook (deleteWebhook), or give this bot a token of its own from @BotFather',
        }
      : {
          state,
          detail: 'Another program polls with the same token, and Telegram answers only one of them.',
          next: 'Stop the other program, or give this bot a token of its own from @BotFather',
        }
  if (error instanceof GrammyError)
    return { state, detail: `Telegram answered with an error (${error.description}).`, next: 'Run npm run doctor' }
  return {
    state,
    detail: 'Telegram cannot be reached.',
    next: 'Check the network (and TELEGRAM_API_ROOT if it is set)',
  }
}

/** Waits that grow, from one second to half a minute. */
function createPatience() {
  let wait = 0
  return {
    reset() {
      wait = 0
    },
    next(least = 1_000) {
      wait = Math.min(Math.max(wait * 2, least), 30_000)
      return wait
    },
  }
}

/** Ends early, and quietly, when the signal aborts. */
const rest = (ms: number, signal: AbortSignal) => sleep(ms, undefined, { signal }).catch(() => {})
