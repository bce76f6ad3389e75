import type { RunFilters, RunStatus, Trigger } from '@quartermaster/db'
import { startOfDay } from '../../../day-in-zone.ts'

export const statuses = [
  'queued',
  'running',
  'waiting',
  'succeeded',
  'failed',
  'stopped',
] as const satisfies RunStatus[]
export const triggers = ['message', 'schedule', 'watch', 'parent', 'api'] as const satisfies Trigger[]
export const channelKinds = ['slack', 'telegram', 'web'] as const

/** The parameters of the address that filter the list. */
export const filterNames = ['q', 'status', 'agent', 'channel', 'trigger', 'member', 'from', 'to'] as const

/** They come out of an address: what means nothing filters nothing. Days are the workspace's. */
export function parseRunFilters(read: (name: string) => string | null, timezone: string): RunFilters {
  const of = <T extends string>(name: string, known: readonly T[]) => known.find((one) => one === read(name))
  const id = (name: string) => {
    const value = read(name)
    return value && /^[\w-]{1,100}$/.test(value) ? value : undefined
  }
  const [from, to] = [startOfDay(read('from'), timezone), startOfDay(read('to'), timezone, 1)]
  const text = read('q')?.trim().slice(0, 200)
  const filters = {
    status: of('status', statuses),
    trigger: of('trigger', triggers),
    channelKind: of('channel', channelKinds),
    agentId: id('agent'),
    requestedBy: id('member'),
    from: from ?? undefined,
    to: to ?? undefined,
    text: text || undefined,
  }
  return Object.fromEntries(Object.entries(filters).filter(([, value]) => value !== undefined))
}
