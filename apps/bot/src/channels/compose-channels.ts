// The channels of this process: the console's own, and the platforms that the settings connect it to.
import type { ChatParts } from '../chat/create-chat-services.ts'
import { createChatServices } from '../chat/create-chat-services.ts'
import type { BotEnv } from '../env.ts'
import { limits } from '../limits.ts'
import type { Log } from '../log.ts'
import type { StopStack } from '../stop-stack.ts'
import type { Channel } from './channel.ts'
import { createWebChannel } from './web/web-channel.ts'

/** A platform's libraries are loaded only where it is connected: they are most of what a start takes. */
export async function composeChannels(env: Pick<BotEnv, 'slack' | 'telegram'>, parts: ChatParts): Promise<Channel[]> {
  const chat = createChatServices(parts)
  const channels = [createWebChannel({ db: parts.db })]
  if (env.slack) {
    const { createSlackChannel } = await import('./slack/slack-channel.ts')
    channels.push(createSlackChannel({ settings: env.slack, chat }))
  }
  if (env.telegram) {
    const { createTelegramChannel } = await import('./telegram/telegram-channel.ts')
    channels.push(createTelegramChannel({ settings: env.telegram, chat }))
  }
  return channels
}

/** Resolves when they receive, or after a while: a platform that is away does not keep the others, or the bot, from working. */
export async function startChannels(channels: readonly Channel[], parts: StopStack, log: Log): Promise<void> {
  const stopping = new AbortController()
  parts.add('channels', async () => stopping.abort(), limits.channelStopMs)
  const starting = channels.map(async (channel) => {
    try {
      await channel.start?.(stopping.signal)
    } catch (error) {
      log.error({ error, channel: channel.kind }, 'a channel could not be started')
    }
  })
  const { promise: late, resolve } = Promise.withResolvers<void>()
  const timer = setTimeout(resolve, limits.channelStartMs)
  await Promise.race([late, Promise.all(starting)])
  clearTimeout(timer)
}
