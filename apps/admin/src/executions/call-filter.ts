import type { ToolCallFilter, ToolCallStatus } from '@quartermaster/db'

export const callStatuses = [
  'requested',
  'asking',
  'approved',
  'running',
  'succeeded',
  'failed',
  'interrupted',
  'refused',
  'denied',
] as const satisfies readonly ToolCallStatus[]

export const decisions = ['allow', 'ask', 'deny'] as const

const second = 1_000
const hour = 3_600 * second
/** How long a call took at least. */
export const durations = { '1s': second, '10s': 10 * second, '60s': 60 * second, '600s': 600 * second } as const
/** How long ago it was requested at most. */
export const spans = { '1h': hour, '24h': 24 * hour, '7d': 7 * 24 * hour, '30d': 30 * 24 * hour } as const

/** The filters of the list, as they stand in an address. */
export const callFilterNames = [
  'q',
  'tool',
  'agent',
  'member',
  'status',
  'decision',
  'slower',
  'since',
  'from',
  'to',
] as const

export type CallFilter = Omit<ToolCallFilter, 'workspaceId'>

/**
 * What an address asks for. A value that nothing understands is left out and named in `wrong`: a page shows what it can,
 * an export must not hold more than somebody meant.
 */
export function parseCallFilter(
  parameters: Readonly<Record<string, string | string[] | undefined>>,
  now: Date,
): { filter: CallFilter; wrong: string[] } {
  const filter: CallFilter = {}
  const wrong: string[] = []
  const take = <Value>(name: string, parse: (text: string) => Value | undefined, set: (value: Value) => void) => {
    const text = parameters[name]
    if (text === undefined || text === '') return
    const value = typeof text === 'string' ? parse(text) : undefined
    if (value === undefined) wrong.push(name)
    else set(value)
  }
  const shortText = (text: string) => (text.length <= 200 && !text.includes('\0') ? text : undefined)
  take('q', shortText, (text) => Object.assign(filter, { text }))
  take('tool', shortText, (toolName) => Object.assign(filter, { toolName }))
  take('agent', shortText, (agentId) => Object.assign(filter, { agentId }))
  take('member', shortText, (memberId) => Object.assign(filter, { memberId }))
  take('status', oneOf(callStatuses), (status) => Object.assign(filter, { status }))
  take('decision', oneOf(decisions), (decision) => Object.assign(filter, { decision }))
  take('slower', keyOf(durations), (minDurationMs) => Object.assign(filter, { minDurationMs }))
  take('since', keyOf(spans), (span) => Object.assign(filter, { from: new Date(now.getTime() - span) }))
  take('from', parseTime, (from) => Object.assign(filter, { from }))
  take('to', parseTime, (to) => Object.assign(filter, { to }))
  return { filter, wrong }
}

const oneOf =
  <Value extends string>(values: readonly Value[]) =>
  (text: string): Value | undefined =>
    values.find((value) => value === text)

const keyOf =
  <Value>(values: Readonly<Record<string, Value>>) =>
  (text: string): Value | undefined =>
    Object.hasOwn(values, text) ? values[text] : undefined

function parseTime(text: string): Date | undefined {
  const time = new Date(text)
  return Number.isNaN(time.getTime()) ? undefined : time
}
