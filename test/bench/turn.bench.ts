// One turn (message → tool call → result → final text) as the bot does it, with everything recorded, beside the same
// turn as a bare loop of the SDK in memory (a), and as that loop with one plain insert for each message (b). All speak to
// one model that answers at once, on loopback. DATABASE_URL and ANTHROPIC_BASE_URL put another database or model there.
import { Anthropic } from '@anthropic-ai/sdk'
import { type Reply, startOfflineModel } from '@quartermaster/bot/offline-model'
import { type Database, listen, newId, openDatabase, receiveEvent, runEventChannel, syncTools } from '@quartermaster/db'
import { findFreePort } from '@quartermaster/db/embedded-postgres'
import { toApiName } from '@quartermaster/tools'
import { echoTool } from '@quartermaster/tools/testing'
import { composeBot } from '../../apps/bot/src/compose.ts'
import { parseBotEnv } from '../../apps/bot/src/env.ts'
import { createLog } from '../../apps/bot/src/log.ts'
import { definitionOf } from '../../apps/bot/src/tools/compose-registry.ts'
import { createTestWorkspace, type TestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { type Bench, countPerSecond, type Measurement, percentile, timeEach } from './measure.ts'

const single = 150
const parallel = 1_200
const atOnce = 32
const toolName = toApiName(echoTool.name)

const bench: Bench = {
  about: `one turn with a tool: ${single} one after the other, then ${parallel} with ${atOnce} conversations at once, after a warm-up of each`,
  async run(url) {
    const model = await findModel()
    const subjects = await prepare(url, model)
    try {
      const measurements: Measurement[] = []
      for (const [what, turn] of Object.entries(subjects.turns)) {
        await countPerSecond(200, atOnce, () => turn(newId('c')))
        const times = await timeEach(single, () => turn(newId('c')))
        const perSecond = await countPerSecond(parallel, atOnce, () => turn(newId('c')))
        measurements.push({
          what,
          figures: {
            'p50 (ms)': percentile(times, 0.5),
            'p95 (ms)': percentile(times, 0.95),
            [`a second at ${atOnce}`]: perSecond,
          },
        })
      }
      const [bare, inserts, ours] = measurements.map(({ figures }) => figures) as [Figures, Figures, Figures]
      const rate = `a second at ${atOnce}`
      measurements.push({
        what: 'ours against them',
        figures: {
          'overhead over (a), p50 (ms)': (ours['p50 (ms)'] as number) - (bare['p50 (ms)'] as number),
          'share of (b)': (ours[rate] as number) / (inserts[rate] as number),
        },
      })
      measurements.push(...(await measureHistory(subjects.turns)))
      return measurements
    } finally {
      await subjects.close()
      await model.close()
    }
  },
}
export default bench

type Figures = Record<string, number>
type Turn = (conversation: string) => Promise<unknown>

interface BenchModel {
  baseUrl: string
  apiKey: string
  close(): Promise<void>
}

async function findModel(): Promise<BenchModel> {
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

async function prepare(
  url: string,
  model: BenchModel,
): Promise<{ turns: Record<string, Turn>; close(): Promise<void> }> {
  const db = openDatabase(url, { name: 'qm-bench', maxConnections: atOnce })
  const workspace = await createTestWorkspace(db)
  await allowEcho(db, workspace)
  await db.pool.query(
    'CREATE TABLE plain_messages (conversation text, number int, role text, content jsonb, PRIMARY KEY (conversation, number))',
  )
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
    { tools: [echoTool] },
  )
  const stopping = new AbortController()
  const ends = new Map<string, PromiseWithResolvers<void>>()
  // The end may be told before the one who waits for it knows the run's id.
  const endOf = (runId: string) => {
    const known = ends.get(runId) ?? Promise.withResolvers<void>()
    ends.set(runId, known)
    return known
  }
  await listen(
    url,
    [runEventChannel],
    (notice) => {
      if (notice.kind !== 'notice') return
      const { runId, kind } = JSON.parse(notice.payload) as { runId: string; kind: string }
      if (kind === 'run-end') endOf(runId).resolve()
    },
    { signal: stopping.signal },
  )
  const client = new Anthropic({
    apiKey: model.apiKey,
    baseURL: model.baseUrl,
    defaultHeaders: { 'x-api-key': model.apiKey },
  })
  const histories = new Map<string, Anthropic.MessageParam[]>()
  return {
    turns: {
      '(a) the SDK in memory': (conversation) => loop(client, historyOf(histories, conversation), async () => {}),
      '(b) … and one insert a message': (conversation) => {
        const history = historyOf(histories, conversation)
        return loop(client, history, (message) =>
          db.pool.query('INSERT INTO plain_messages VALUES ($1, $2, $3, $4)', [
            conversation,
            history.length,
            message.role,
            JSON.stringify(message.content),
          ]),
        )
      },
      'Quartermaster, everything recorded': async (conversation) => {
        const received = await receiveEvent(db, {
          channelId: workspace.channelId,
          eventId: newId('event'),
          place: 'here',
          conversationKey: conversation,
          memberId: workspace.members.member,
          content: [{ type: 'text', text: 'say hello' }],
        })
        if (received.outcome !== 'received') throw new Error(received.outcome)
        await endOf(received.runId).promise
        ends.delete(received.runId)
      },
    },
    async close() {
      stopping.abort()
      await bot.stop()
      await db.close()
    },
  }
}

async function allowEcho(db: Database, workspace: TestWorkspace): Promise<void> {
  const { workspaceId, agentId } = workspace
  await db.pool.query(
    `INSERT INTO policy_settings (workspace_id, profile, allow, deny) VALUES ($1, 'full', '{}', '{}')`,
    [workspaceId],
  )
  await db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile) VALUES ($1, $2, $3, 2, now(), 'full')`,
    [newId('ver'), workspaceId, agentId],
  )
  await syncTools(db, [definitionOf(echoTool)])
  await db.pool.query('INSERT INTO agent_tools (agent_id, tool_id) SELECT $1, id FROM tools', [agentId])
}

const historyOf = (histories: Map<string, Anthropic.MessageParam[]>, conversation: string) => {
  const known = histories.get(conversation) ?? []
  histories.set(conversation, known)
  return known
}

/** The least that an agent needs; `store` is told of every message after it was added. */
async function loop(
  client: Anthropic,
  messages: Anthropic.MessageParam[],
  store: (message: Anthropic.MessageParam) => Promise<unknown>,
): Promise<void> {
  const add = async (message: Anthropic.MessageParam) => {
    messages.push(message)
    await store(message)
  }
  const tool = { name: toolName, description: echoTool.description, input_schema: echoTool.inputSchema as never }
  await add({ role: 'user', content: [{ type: 'text', text: 'say hello' }] })
  for (;;) {
    const stream = client.messages.stream({ model: 'claude-sonnet-5-5', max_tokens: 1000, messages, tools: [tool] })
    const { content } = await stream.finalMessage()
    await add({ role: 'assistant', content: content as never })
    const uses = content.filter((block) => block.type === 'tool_use')
    if (!uses.length) return
    const results = uses.map((use) => ({
      type: 'tool_result' as const,
      tool_use_id: use.id,
      content: String((use.input as { text: string }).text),
    }))
    await add({ role: 'user', content: results })
  }
}

/** How a turn grows with its conversation: the 100th against the 10th, of the loop with inserts and of ours. */
async function measureHistory(turns: Record<string, Turn>): Promise<Measurement[]> {
  const measurements: Measurement[] = []
  for (const [what, turn] of Object.entries(turns).slice(1)) {
    const conversations = Array.from({ length: 6 }, () => newId('c'))
    const rounds: number[][] = []
    for (let round = 0; round < 105; round++) {
      const times: number[] = []
      for (const conversation of conversations) times.push(...(await timeEach(1, () => turn(conversation))))
      rounds.push(times)
    }
    const around = (round: number) => percentile(rounds.slice(round - 5, round + 5).flat(), 0.5)
    measurements.push({
      what: `a long conversation: ${what}`,
      figures: { '10th turn (ms)': around(10), '100th turn (ms)': around(100), times: around(100) / around(10) },
    })
  }
  return measurements
}
