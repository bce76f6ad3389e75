// A bot that is connected to the Telegram emulator, and people whom it knows.
import { randomInt } from 'node:crypto'
import { type Database, openChannel } from '@quartermaster/db'
import { addMember } from '@quartermaster/db/testing'
import { onTestFinished } from 'vitest'
import type { AnthropicEmulatorOptions } from '../emulators/anthropic/start-anthropic-emulator.ts'
import {
  type Group,
  type Person,
  type SeenMessage,
  startTelegramEmulator,
  type TelegramEmulator,
  type TelegramEmulatorOptions,
} from '../emulators/telegram/index.ts'
import { type RunSetup, setUpRuns } from './run-setup.ts'
import { echo } from './slack-setup.ts'

export interface TelegramSetup extends RunSetup {
  telegram: TelegramEmulator
  channelId: string
  /** The environment that connects a bot. */
  environment: Record<string, string>
  /** A bot that polls. */
  connect(environment?: Record<string, string>): ReturnType<RunSetup['start']>
  /** Somebody whom the bot knows. */
  join(name: string, role?: keyof RunSetup['workspace']['members']): Promise<Person>
  runs(): Promise<{ id: string; conversationId: string; status: string; key: string; title: string }[]>
  /** What the bot has said in a chat so far. */
  said(chat: Person | Group | number, topic?: number): SeenMessage[]
  /** Waits until something that the bot said has these words. */
  answer(chat: Person | Group, words: string | RegExp, topic?: number): Promise<SeenMessage>
}

export async function setUpTelegram(
  database: { db: Database; url: string },
  script: AnthropicEmulatorOptions['script'] = echo,
  options: TelegramEmulatorOptions = {},
): Promise<TelegramSetup> {
  const { db } = database
  const setup = await setUpRuns(database, script)
  const { workspaceId, agentId } = setup.workspace
  // Each test has a bot of its own: they share the database.
  const telegram = await startTelegramEmulator({
    ...options,
    bot: { id: randomInt(1_000_000, 2 ** 40), ...options.bot },
  })
  onTestFinished(() => telegram.close())
  const opened = await openChannel(db, { kind: 'telegram', externalId: String(telegram.bot.id), name: 'bot' })
  await db.pool.query('UPDATE channels SET workspace_id = $2, default_agent_id = $3 WHERE id = $1', [
    opened.id,
    workspaceId,
    agentId,
  ])
  const environment = { TELEGRAM_BOT_TOKEN: telegram.token, TELEGRAM_API_ROOT: telegram.apiRoot }
  const said = (chat: Person | Group | number, topic?: number) =>
    telegram.chat(chat, topic).messages.filter(({ isBot, kind }) => isBot && kind !== 'service')
  return {
    ...setup,
    telegram,
    channelId: opened.id,
    environment,
    said,
    async connect(more = {}) {
      const bot = await setup.start({ ...environment, ...more })
      if (!bot.ready) throw new Error(`the bot did not start: ${bot.output().stderr}`)
      return bot
    },
    async join(name, role = 'member') {
      const person = telegram.user({ firstName: name })
      const identity = { kind: 'telegram', externalId: String(person.id) }
      await addMember(db, { workspaceId, name, role, identity })
      return person
    },
    async runs() {
      const { rows } = await db.pool.query(
        `SELECT r.id, r.conversation_id AS "conversationId", r.status, c.external_key AS key, c.title
         FROM runs r JOIN conversations c ON c.id = r.conversation_id WHERE c.channel_id = $1 ORDER BY r.queued_at, r.id`,
        [opened.id],
      )
      return rows
    },
    answer(chat, words, topic) {
      const has = ({ text }: SeenMessage) => (typeof words === 'string' ? text.includes(words) : words.test(text))
      return telegram.until(() => said(chat, topic).find(has), 45_000)
    },
  }
}

/** Waits until the bot has confirmed every update. */
export const updatesTaken = (telegram: TelegramEmulator) =>
  telegram.until(() => telegram.pendingUpdates().length === 0, 45_000)
