import type { ListedProcess } from '@quartermaster/db'
import type { Tone } from '../../../components/tag.tsx'
import type { ListedChannel } from './queries.ts'

export interface ChannelState {
  word: 'connected' | 'not connected' | 'failing'
  tone: Tone
  detail: string
  /** The one next thing to do. */
  next: string | null
}

type Described = Pick<ListedChannel, 'kind' | 'status' | 'statusDetail'>

/**
 * How a connection is, in words. The row says what its bot wrote last; where no bot is left to write, or none has the
 * token any more, that is of the past.
 */
export function describeState({ kind, status, statusDetail }: Described, bots: ListedProcess[]): ChannelState {
  if (!bots.length)
    return {
      word: 'not connected',
      tone: 'mute',
      detail: 'No bot process is alive, so nothing is received and nothing is sent.',
      next: 'Start everything with “npm start”.',
    }
  const said = bots.flatMap((bot) => (bot.health ? [bot.health[kind]] : []))
  const off = said.length > 0 && said.every(({ state }) => state === 'off')
  if (off) return { word: 'not connected', tone: 'mute', detail: said[0]?.detail ?? '', next: said[0]?.next ?? checkIt }
  const trouble = said.find(({ state }) => state === 'problem') ?? said.find(({ state }) => state === 'warning')
  if (status === 'failing')
    return {
      word: 'failing',
      tone: 'bad',
      detail: statusDetail || trouble?.detail || 'It does not say why.',
      next: trouble?.next ?? checkIt,
    }
  if (status === 'disconnected')
    return {
      word: 'not connected',
      tone: 'mute',
      detail: statusDetail || trouble?.detail || 'It is not connected at the moment.',
      next: trouble?.next ?? checkIt,
    }
  // What is wrong in single places only stands in the detail.
  return {
    word: 'connected',
    tone: 'ok',
    detail: statusDetail || 'Messages are received and answered.',
    next: trouble?.next ?? null,
  }
}

const checkIt = 'Run “npm run doctor”: it checks the tokens and says what to mend.'
