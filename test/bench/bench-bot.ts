// A running bot with one tool, a model that answers at once and calls it, and whoever talks to them: all in this process.
import { type Reply, startOfflineModel } from '@quartermaster/bot/offline-model'
import {
  type Database,
  listen,
  newId,
  openDatabase,
  type RunEventKind,
  type RunEventNotice,
  receiveEvent,
  runEventChannel,
} from '@quartermaster/db'
import { findFreePort } from '@quartermaster/db/embedded-postgres'
import { type Hook, toApiName } from '@quartermaster/tools'
import { echoTool } from '@quartermaster/tools/testing'
import { composeBot } from '../../apps/bot/src/compose.ts'
import { parseBotEnv } from '../../apps/bot/src/env.ts'
import { createLog } from '../../apps/bot/src/log.ts'
import { createTestWorkspace, type TestWorkspace } from '../../packages/db/src/testing-workspace.ts'

export const toolName = toApiName(echoTool.name)

export interface BenchModel {
  baseUrl: string
  apiKey: string
  close(): Promise<void>
}

export interface BenchBot {
  db: Database
  /** When the tool was last started, on the clock of `performance`. */
  lastToolStart(): number
  /** One whose agent has the tool; with `confirm` each of its calls needs a person. */
  createWorkspace(hook: Hook): Promise<TestWorkspace>
  /** A message, from which a run comes. */
  say(workspace: TestWorkspace, conversation: string): Promise<string>
  /** To be asked once for each run and kind: what was told before is remembered until then. */
  told(runId: string, kind: AwaitedKind): Promise<void>
  /** A message and everything up to the end of its run. */
  turn(workspace: TestWorkspace, conversation: string): Promise<void>
  close(): Promise<void>
}

type AwaitedKind = Extract<RunEventKind, 'run-park' | 'run-end'>
const awaitedKinds: readonly RunEventKind[] = ['run-park', 'run-end'] satisfies AwaitedKind[]

export async function findModel(): Promise<BenchModel> {
  const baseUrl = process.env.ANTHROPIC_BASE_URL
  if (baseUrl) return { baseUrl, apiKey: process.env.ANTHROPIC_API_KEY ?? 'bench', close: async () => {} }
  return startOfflineModel({
    script: ({ messages }): Reply => {
      const last = messages.at(-1)?.content
      const answered = Array.isArray(last) && last.some(({ type }) => type === 'tool_result')
      return { content: answered ? [{ text: 'Done.' }] : [{ tool: toolName, input: { text: 'hello' } }] }
    },
  })
}

export async function startBenchBot(url: string, model: BenchModel): Promise<BenchBot> {
  const db = openDatabase(url, { name: 'qm-bench', maxConnections: 32 })
  let lastToolStart = Number.NaN
  const tool: typeof echoTool = {
    ...echoTool,
    execute(args, context) {
      lastToolStart = performance.now()
      return echoTool.execute(args, context)
    },
  }
  const bot = await composeBot(
    parseBotEnv({
      DATABASE_URL: url,
      QM_MASTER_KEY: '5e'.repeat(32),
      QM_BOT_PORT: String(await findFreePort()),
      ANTHROPIC_API_KEY: model.apiKey,
      ANTHROPIC_BASE_URL: model.baseUrl,
    }),
    url,
    createLog({ level: 'warn', secrets: [], plain: false }),
    { tools: [tool] },
  )
  const stopping = new AbortController()
  const notices = await listenForRuns(url, stopping.signal)
  const say: BenchBot['say'] = async (workspace, conversation) => {
    const received = await receiveEvent(db, {
      channelId: workspace.channelId,
      eventId: newId('event'),
      place: 'here',
      conversationKey: conversation,
      memberId: workspace.members.member,
      content: [{ type: 'text', text: 'say hello' }],
    })
    if (received.outcome !== 'received') throw new Error(received.outcome)
    return received.runId
  }
  return {
    db,
    lastToolStart: () => lastToolStart,
    createWorkspace: (hook) => createWorkspace(db, hook),
    say,
    told: notices.told,
    turn: async (workspace, conversation) => notices.told(await say(workspace, conversation), 'run-end'),
    async close() {
      stopping.abort()
      await bot.stop()
      await db.close()
    },
  }
}

async function listenForRuns(url: string, signal: AbortSignal): Promise<Pick<BenchBot, 'told'>> {
  const waiting = new Map<string, PromiseWithResolvers<void>>()
  // It may be told before the one who waits for it knows the run's id.
  const of = (runId: string, kind: RunEventKind) => {
    const known = waiting.get(runId + kind) ?? Promise.withResolvers<void>()
    waiting.set(runId + kind, known)
    return known
  }
  await listen(
    url,
    [runEventChannel],
    (notice) => {
      if (notice.kind !== 'notice') return
      const { runId, kind } = JSON.parse(notice.payload) as RunEventNotice
      if (awaitedKinds.includes(kind)) of(runId, kind).resolve()
    },
    { signal },
  )
  return {
    async told(runId, kind) {
      await of(runId, kind).promise
      waiting.delete(runId + kind)
    },
  }
}

async function createWorkspace(db: Database, hook: Hook): Promise<TestWorkspace> {
  const workspace = await createTestWorkspace(db)
  const { workspaceId, agentId } = workspace
  await db.pool.query(
    `INSERT INTO policy_settings (workspace_id, profile, allow, deny, hooks) VALUES ($1, 'full', '{}', '{}', $2)`,
    [workspaceId, JSON.stringify([{ pattern: echoTool.name, hook }])],
  )
  await db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile) VALUES ($1, $2, $3, 2, now(), 'full')`,
    [newId('ver'), workspaceId, agentId],
  )
  await db.pool.query('INSERT INTO agent_tools (agent_id, tool_id) SELECT $1, id FROM tools WHERE handler_key = $2', [
    agentId,
    echoTool.name,
  ])
  return workspace
}
