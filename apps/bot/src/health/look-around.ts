import type { PartHealth, ProcessHealth } from '@quartermaster/db'
import type { Channel } from '../channels/channel.ts'
import type { BotEnv } from '../env.ts'
import { limits } from '../limits.ts'
import { probeModel } from './probe-model.ts'
import { probeSandbox } from './probe-sandbox.ts'
import { probeSlack } from './probe-slack.ts'
import { probeTelegram } from './probe-telegram.ts'

/** What the bot depends on, each looked at on its own and within its time: one that hangs hides none of the others. */
export async function lookAround(
  env: Pick<BotEnv, 'model' | 'slack' | 'telegram'>,
  stop: AbortSignal,
): Promise<ProcessHealth> {
  const [sandbox, slack, telegram] = await Promise.all([
    inTime('The sandbox', stop, probeSandbox),
    inTime('Slack', stop, (signal) => probeSlack(env.slack, signal)),
    inTime('Telegram', stop, (signal) => probeTelegram(env.telegram, signal)),
  ])
  return { sandbox, model: probeModel(env.model), slack, telegram }
}

const ranks: Readonly<Record<PartHealth['state'], number>> = { off: 0, ok: 1, warning: 2, problem: 3 }

/** With what the connections themselves know: a token that works says nothing about a socket that broke since. */
export function withChannels(health: ProcessHealth, channels: readonly Channel[]): ProcessHealth {
  const all = { ...health }
  for (const { kind, health: ask } of channels) {
    const known = kind === 'web' ? undefined : ask?.()
    if (known && kind !== 'web' && ranks[known.state] > ranks[all[kind].state]) all[kind] = known
  }
  return all
}

async function inTime(
  name: string,
  stop: AbortSignal,
  probe: (signal: AbortSignal) => Promise<PartHealth>,
): Promise<PartHealth> {
  const tooLate = AbortSignal.timeout(limits.probeMs)
  const signal = AbortSignal.any([stop, tooLate])
  const late: PartHealth = {
    state: 'problem',
    detail: `${name} did not answer within ${limits.probeMs / 1000} s.`,
    next: 'Check the network',
  }
  const cut = new Promise<PartHealth>((done) => signal.addEventListener('abort', () => done(late), { once: true }))
  return Promise.race([
    cut,
    probe(signal).catch(
      (error: Error): PartHealth => ({
        state: 'problem',
        detail: `${name}: ${error.message}`,
        next: 'Run npm run doctor',
      }),
    ),
  ])
}
