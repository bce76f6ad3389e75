import type { ListedProcess, PartHealth } from '@quartermaster/db'
import type { ChannelState } from './queries.ts'

export interface HealthRow {
  name: string
  health: PartHealth
}

const parts = ['slack', 'telegram', 'model', 'sandbox'] as const
const names = { slack: 'Slack', telegram: 'Telegram', model: 'Model', sandbox: 'Sandbox' }
const severity = { problem: 0, warning: 1, off: 2, ok: 3 }

/**
 * How the parts stand, from what the bots that are alive said; where they differ, the worst counts: it needs a person.
 * And the workspace's own connections that fail.
 */
export function summariseHealth(bots: ListedProcess[], troubled: ChannelState[] = []): HealthRow[] {
  const workers: HealthRow = { name: 'Workers', health: workersHealth(bots) }
  const said = bots.flatMap((bot) => (bot.health ? [bot.health] : []))
  const channels = troubled.map(({ name, detail }): HealthRow => {
    return { name, health: { state: 'problem', detail: detail || 'The connection fails.', next: null } }
  })
  if (!said.length) return [workers, ...channels]
  return [
    workers,
    ...channels,
    ...parts.map((part) => {
      const worst = said
        .map((health) => health[part])
        .reduce((one, other) => (severity[other.state] < severity[one.state] ? other : one))
      return { name: names[part], health: worst }
    }),
  ]
}

function workersHealth(bots: ListedProcess[]): PartHealth {
  if (bots.length === 0)
    return {
      state: 'problem',
      detail: 'No bot process is alive: messages wait until one is.',
      next: 'Start everything with "npm start", or a bot alone with "node apps/bot/src/main.ts".',
    }
  const hosts = new Set(bots.map((bot) => bot.host)).size
  const where = hosts > 1 ? ` on ${hosts} machines` : ''
  return {
    state: 'ok',
    detail: `${bots.length} bot ${bots.length === 1 ? 'process' : 'processes'} alive${where}.`,
    next: null,
  }
}
