// A workspace whose agent has the sample tools, a model with a script, and bots that work on its runs.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, newId, receiveEvent, syncTools } from '@quartermaster/db'
import { onTestFinished } from 'vitest'
import { definitionOf } from '../../apps/bot/src/tools/compose-registry.ts'
import { createTestWorkspace, type TestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import {
  type AnthropicEmulatorOptions,
  startAnthropicEmulator,
} from '../emulators/anthropic/start-anthropic-emulator.ts'
import { watchedTools } from './sample-tools.ts'
import { startBot, until } from './start-bot.ts'

export interface RunSetup {
  workspace: TestWorkspace
  emulator: Awaited<ReturnType<typeof startAnthropicEmulator>>
  /** `main`: another program than the bot with the sample tools. */
  start(environment?: Record<string, string>, main?: string): ReturnType<typeof startBot>
  say(text: string, more?: { conversationKey?: string; eventId?: string }): Promise<Said>
  /** The lines that tools left behind. */
  effects(): string[]
  ended(runId: string, withinMs?: number): Promise<RunRow>
  run(runId: string): Promise<RunRow>
}

export interface Said {
  runId: string
  conversationId: string
}

export type RunRow = Awaited<ReturnType<Database['prisma']['run']['findUniqueOrThrow']>>

export async function setUpRuns(
  database: { db: Database; url: string },
  script: AnthropicEmulatorOptions['script'],
): Promise<RunSetup> {
  const { db } = database
  const workspace = await createTestWorkspace(db)
  await db.pool.query(
    `INSERT INTO policy_settings (workspace_id, profile, allow, deny) VALUES ($1, 'full', '{}', '{}')`,
    [workspace.workspaceId],
  )
  await db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile, instructions)
     VALUES ($1, $2, $3, 2, now(), 'full', 'You are a test.')`,
    [newId('ver'), workspace.workspaceId, workspace.agentId],
  )
  await syncTools(db, watchedTools.map(definitionOf))
  await db.pool.query(
    `INSERT INTO agent_tools (agent_id, tool_id) SELECT $1, id FROM tools WHERE handler_key LIKE 'sample.%'`,
    [workspace.agentId],
  )
  const emulator = await startAnthropicEmulator(script ? { script } : {})
  const folder = mkdtempSync(join(tmpdir(), 'qm-effects-'))
  const file = join(folder, 'effects')
  writeFileSync(file, '')
  onTestFinished(async () => {
    await emulator.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const run = (runId: string) => db.prisma.run.findUniqueOrThrow({ where: { id: runId } })
  return {
    workspace,
    emulator,
    run,
    start: (environment = {}, main = join(import.meta.dirname, 'sample-bot.ts')) =>
      startBot(
        {
          DATABASE_URL: database.url,
          ANTHROPIC_API_KEY: emulator.apiKey,
          ANTHROPIC_BASE_URL: emulator.baseUrl,
          QM_TEST_EFFECTS: file,
          ...environment,
        },
        main,
      ),
    async say(text, more = {}) {
      const received = await receiveEvent(db, {
        channelId: workspace.channelId,
        eventId: more.eventId ?? newId('event'),
        place: 'here',
        conversationKey: more.conversationKey ?? newId('thread'),
        memberId: workspace.members.member,
        content: [{ type: 'text', text }],
      })
      if (received.outcome !== 'received') throw new Error(received.outcome)
      return received
    },
    effects: () => readFileSync(file, 'utf8').split('\n').filter(Boolean),
    ended: (runId, withinMs = 30_000) =>
      until(
        () => run(runId),
        ({ status }) => ['succeeded', 'failed', 'stopped'].includes(status),
        withinMs,
      ),
  }
}

export async function transcriptOf(db: Database, conversationId: string) {
  const messages = await db.prisma.message.findMany({ where: { conversationId }, orderBy: { number: 'asc' } })
  return messages.map(({ role, content }) => ({ role, content: content as never as Record<string, unknown>[] }))
}

export async function deliveriesOf(db: Database, conversationId: string) {
  const deliveries = await db.prisma.delivery.findMany({ where: { conversationId }, orderBy: { number: 'asc' } })
  return deliveries.map(({ kind, payload }): Record<string, unknown> => ({ kind, ...(payload as object) }))
}
