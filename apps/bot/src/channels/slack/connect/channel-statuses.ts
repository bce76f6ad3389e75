// What the console says about each Slack connection: whether it works, and if not, why and what to do. Told when
// something changes; the database writes only what is new.
import { setChannelStatus } from '@quartermaster/db'
import type { ChatServices } from '../../../chat/chat-services.ts'
import { deadToken } from './dead-token.ts'
import type { SocketState } from './keep-socket.ts'

/** What is wrong with a single place; the connection itself works. */
const placeTroubles: Record<string, string> = {
  is_archived: 'is archived',
  channel_not_found: 'cannot be found any more, or the bot was removed from it',
  not_in_channel: 'does not have the bot as a member any more',
  restricted_action: 'does not let the bot post',
}

/** How many places are named; the newest ones. */
const placesNamed = 3

export interface ChannelStatuses {
  /** This channel is one of ours, with a token that works as far as we know. */
  connected(channelId: string): void
  /** Its team has removed the app, or Slack refuses its token. */
  ended(channelId: string, sentence: string): void
  isInTrouble(channelId: string): boolean
  socket(state: SocketState): void
  refused(channelId: string, error: string, place?: string): void
  /** A place works (again): the bot was invited, the channel was unarchived. */
  mended(channelId: string, place: string): void
  /** Resolves when what was said has been written. */
  flushed(): Promise<void>
}

export function createChannelStatuses({ db, log }: Pick<ChatServices, 'db' | 'log'>): ChannelStatuses {
  const channels = new Map<string, { trouble: string | null; places: Map<string, string> }>()
  let socketTrouble: string | null = null
  let writing = Promise.resolve()

  function channel(channelId: string) {
    const known = channels.get(channelId) ?? { trouble: null, places: new Map<string, string>() }
    channels.set(channelId, known)
    return known
  }

  function tell(channelId: string): void {
    const { trouble, places } = channel(channelId)
    const wrong = trouble ?? socketTrouble
    const named = [...places].slice(-placesNamed).map(([place, what]) => `${place} ${what}`)
    const detail = wrong ?? (named.length ? `Connected, but: ${named.join('; ')}.` : '')
    writing = writing
      .then(async () => void (await setChannelStatus(db, channelId, wrong ? 'failing' : 'connected', detail)))
      .catch((error: Error) => log.warn({ error, channelId }, 'could not write how Slack is'))
  }

  return {
    connected(channelId) {
      channel(channelId).trouble = null
      tell(channelId)
    },
    ended(channelId, sentence) {
      channel(channelId).trouble = sentence
      tell(channelId)
    },
    isInTrouble: (channelId) => Boolean(channels.get(channelId)?.trouble),
    socket(state) {
      if (state.is === 'connecting') return
      socketTrouble = state.is === 'broken' ? state.detail : null
      for (const channelId of channels.keys()) tell(channelId)
    },
    refused(channelId, error, place) {
      if (deadToken.has(error)) {
        channel(channelId).trouble = `Slack refuses the token (${error}): install the app again, or set its new token.`
        tell(channelId)
        return
      }
      const what = placeTroubles[error]
      if (!what || !place) return
      const { places } = channel(channelId)
      if (places.get(place) === what) return
      places.delete(place)
      places.set(place, what)
      for (const [oldest] of places) if (places.size > 100) places.delete(oldest)
      tell(channelId)
    },
    mended(channelId, place) {
      if (channel(channelId).places.delete(place)) tell(channelId)
    },
    flushed: () => writing,
  }
}
