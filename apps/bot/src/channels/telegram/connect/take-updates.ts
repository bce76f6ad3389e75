// Updates on their way to being handled: those of one chat one after the other, chats side by side, an album that came
// together as one.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Update } from '@grammyjs/types'
import { telegramLimits } from '../limits.ts'
import type { TelegramConnection } from './telegram-connection.ts'

/** Handles updates that belong together: one, or the pictures of an album. */
export type HandleUpdates = (updates: readonly [Update, ...Update[]]) => Promise<void>

export interface TakingUpdates {
  /** Resolves when all of them are stored. Rejects only when the signal aborts before. */
  take(updates: readonly Update[], signal: AbortSignal): Promise<void>
  /**
   * One that came over the webhook. Telegram brings a chat's next one when this one is answered, so an album's pictures
   * cannot be waited for: each is a message of its own, and they join the same run.
   */
  takeOne(update: Update, signal: AbortSignal): Promise<void>
}

export function createTakingUpdates(telegram: TelegramConnection, handle: HandleUpdates): TakingUpdates {
  /** The last work of each chat that is busy. */
  const chats = new Map<string, Promise<void>>()
  let working = 0
  const idle: (() => void)[] = []

  function inOrder(group: readonly [Update, ...Update[]], signal: AbortSignal): Promise<void> {
    const chat = chatOf(group[0])
    const work = (chats.get(chat) ?? Promise.resolve()).catch(() => {}).then(() => whenFree(group, signal))
    chats.set(chat, work)
    const forget = () => {
      if (chats.get(chat) === work) chats.delete(chat)
    }
    work.then(forget, forget)
    return work
  }

  async function whenFree(group: readonly [Update, ...Update[]], signal: AbortSignal): Promise<void> {
    while (working >= telegramLimits.chatsAtOnce) await new Promise<void>((done) => idle.push(done))
    working++
    try {
      await persist(group, signal)
    } finally {
      working--
      idle.shift()?.()
    }
  }

  /**
   * What cannot be stored now is stored later: nothing is confirmed before. Only an update that fails again and again
   * while the database answers is left out, for it would fail for ever and hold up everybody else's.
   */
  async function persist(group: readonly [Update, ...Update[]], signal: AbortSignal): Promise<void> {
    for (let failures = 1; ; failures++) {
      signal.throwIfAborted()
      try {
        return await handle(group)
      } catch (error) {
        const about = { error, updateId: group[0].update_id, failures }
        const answers = await telegram.chat.db.pool.query('SELECT 1').then(
          () => true,
          () => false,
        )
        if (!answers) failures = 0
        if (failures >= telegramLimits.updateTries)
          return telegram.log.error(about, 'an update of Telegram cannot be handled and is left out')
        telegram.log.warn(about, 'an update of Telegram is handled again')
        await sleep(Math.min(250 * 2 ** failures, 5_000), undefined, { signal })
      }
    }
  }

  return {
    async take(updates, signal) {
      await Promise.all(groupAlbums(updates).map((group) => inOrder(group, signal)))
    },
    takeOne: (update, signal) => inOrder([update], signal),
  }
}

/** In the order of their first ones. */
export function groupAlbums(updates: readonly Update[]): [Update, ...Update[]][] {
  const groups: [Update, ...Update[]][] = []
  const albums = new Map<string, [Update, ...Update[]]>()
  for (const update of updates) {
    const key = albumOf(update)
    const album = key === null ? undefined : albums.get(key)
    if (album) album.push(update)
    else {
      const group: [Update, ...Update[]] = [update]
      groups.push(group)
      if (key !== null) albums.set(key, group)
    }
  }
  return groups
}

const albumOf = ({ message }: Update): string | null =>
  message?.media_group_id === undefined ? null : `${message.chat.id}:${message.media_group_id}`

function chatOf(update: Update): string {
  const { message, edited_message, callback_query, stopped_message_generation, my_chat_member } = update
  const chat =
    message?.chat ??
    edited_message?.chat ??
    callback_query?.message?.chat ??
    stopped_message_generation?.chat ??
    my_chat_member?.chat
  return String(chat?.id ?? callback_query?.from.id ?? 'none')
}
