// A bot that is connected to the Slack emulator, with exactly the scopes and events that the manifest asks for.

import type { MessagesRequest } from '@quartermaster/bot/offline-model'
import type { Database } from '@quartermaster/db'
import { onTestFinished } from 'vitest'
import { slackEvents, slackScopes } from '../../apps/bot/src/health/slack-scopes.ts'
import type { AnthropicEmulatorOptions } from '../emulators/anthropic/start-anthropic-emulator.ts'
import { startSlackEmulator } from '../emulators/slack/index.ts'
import { type RunSetup, setUpRuns } from './run-setup.ts'
import { until as untilSoon } from './start-bot.ts'

type Emulator = Awaited<ReturnType<typeof startSlackEmulator>>
type EmulatorOptions = NonNullable<Parameters<typeof startSlackEmulator>[0]>

export interface SlackSetup extends RunSetup {
  slack: Emulator
  /** The bot over Socket Mode, connected. */
  connect(environment?: Record<string, string>): ReturnType<RunSetup['start']>
  /** How the console sees the connection. */
  channel(): Promise<{ id: string; workspaceId: string; status: string; statusDetail: string } | null>
  /** The runs of the team so far, the oldest first. */
  runs(): Promise<{ id: string; conversationId: string; status: string; key: string }[]>
  /** How many messages of people are in the transcript of a thread. */
  heard(channel: { id: string }, ts: string): Promise<number>
  /** Waits for the text of ours that comes next in a thread, after so many. */
  answer(channel: { id: string }, ts: string, number?: number): Promise<string>
}

/** What the model was told last. */
export const lastSaid = (request: MessagesRequest): string => {
  const { content } = request.messages.findLast(({ role }) => role === 'user') ?? { content: '' }
  if (typeof content === 'string') return content
  return content
    .map((block) => ('text' in block ? String(block.text) : `[${block.type}]`))
    .filter((text) => !/^<speaker[^<]*>[^<]*<\/speaker>$/.test(text))
    .join('\n')
}

/** A model that repeats what it was told. */
export const echo = (request: MessagesRequest) => ({ content: [{ text: `You said: ${lastSaid(request)}` }] })

export async function setUpSlack(
  database: { db: Database; url: string },
  script: AnthropicEmulatorOptions['script'] = echo,
  options: EmulatorOptions = {},
  /** A workspace that is there already. */
  runs?: RunSetup,
): Promise<SlackSetup> {
  const { db } = database
  const setup = runs ?? (await setUpRuns(database, script))
  const slack = await startSlackEmulator({ scopes: slackScopes, events: slackEvents, ...options })
  onTestFinished(() => slack.close())
  const channel: SlackSetup['channel'] = () =>
    db.prisma.channel.findFirst({
      where: { kind: 'slack', externalId: slack.team.id },
      select: { id: true, workspaceId: true, status: true, statusDetail: true },
    })
  const texts = (place: { id: string }, ts: string) =>
    slack
      .thread(place.id, ts)
      .filter((message) => message.user === slack.bot().userId && message.streaming !== 'in_progress')
  return {
    ...setup,
    slack,
    async connect(environment = {}) {
      const bot = await setup.start({
        SLACK_API_URL: slack.apiUrl,
        SLACK_BOT_TOKEN: slack.botToken,
        SLACK_APP_TOKEN: slack.appToken,
        ...environment,
      })
      if (!bot.ready) throw new Error(`the bot did not start: ${bot.output().stderr}`)
      await slack.until(() => slack.sockets.count > 0)
      await until(channel, Boolean)
      return bot
    },
    channel,
    async runs() {
      const { rows } = await db.pool.query(
        `SELECT r.id, r.conversation_id AS "conversationId", r.status, c.external_key AS key
         FROM runs r JOIN conversations c ON c.id = r.conversation_id JOIN channels ch ON ch.id = c.channel_id
         WHERE ch.kind = 'slack' AND ch.external_id = $1 ORDER BY r.queued_at, r.id`,
        [slack.team.id],
      )
      return rows
    },
    heard: (place, ts) =>
      db.prisma.message.count({
        where: { role: 'user', conversation: { externalKey: `${place.id}:${ts}`, channel: { kind: 'slack' } } },
      }),
    answer: (place, ts, number = 1) =>
      slack.until(() => texts(place, ts).filter(({ text }) => text)[number - 1]?.text, 45_000),
  }
}

/** Waits until everything that Slack sent was acknowledged or given up. */
export const eventsDone = (slack: Emulator) => slack.until(() => slack.events.every(({ done }) => done))

export const until: typeof untilSoon = (ask, isRight, withinMs = 45_000) => untilSoon(ask, isRight, withinMs)
