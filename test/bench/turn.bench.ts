// One turn (message → tool call → result → final text) as the bot does it, with everything recorded, beside the same
// turn as a bare loop of the SDK in memory (a), and as that loop with one plain insert for each message (b). All speak to
// one model that answers at once, on loopback. DATABASE_URL and ANTHROPIC_BASE_URL put another database or model there.
import { Anthropic } from '@anthropic-ai/sdk'
import { newId, openDatabase } from '@quartermaster/db'
import { echoTool } from '@quartermaster/tools/testing'
import { type BenchModel, findModel, startBenchBot, toolName } from './bench-bot.ts'
import { measureClicks } from './click-to-start.ts'
import { type Bench, countPerSecond, type Measurement, percentile, timeEach } from './measure.ts'
import { measureParkedRuns } from './parked-runs.ts'
import { findPostgresCpu } from './postgres-cpu.ts'
import { measureTurnMemory } from './turn-memory.ts'

const timed = 150
/** The ways take turns, because other work on the machine comes and goes: what counts is the median of the rounds' shares. */
const rounds = 6
const parallel = 240
const atOnce = 32

const bench: Bench = {
  about: `one turn with a tool: ${timed} one after the other, then ${rounds} rounds of ${parallel} with ${atOnce} conversations at once, after a warm-up of each; then clicks, and memory`,
  async run(url, { long }) {
    const model = await findModel()
    try {
      return [...(await measureSpeed(url, model)), ...(await measureAlone(url, model, long))]
    } finally {
      await model.close()
    }
  },
}
export default bench

async function measureSpeed(url: string, model: BenchModel): Promise<Measurement[]> {
  const subjects = await prepare(url, model)
  try {
    const measurements: Measurement[] = []
    const ways = Object.entries(subjects.turns)
    const single = new Map<string, number[]>()
    for (const [what, turn] of ways) {
      await countPerSecond(200, atOnce, () => turn(newId('c')))
      single.set(what, await timeEach(timed, () => turn(newId('c'))))
    }
    const load = await measureLoad(ways, subjects.readPostgresCpu)
    for (const [what] of ways) {
      const times = single.get(what) as number[]
      const { perSecond, cpuMs, postgresMs } = load.get(what) as Load
      measurements.push({
        what,
        figures: {
          'p50 (ms)': percentile(times, 0.5),
          'p95 (ms)': percentile(times, 0.95),
          [`a second at ${atOnce}`]: percentile(perSecond, 0.5),
          'CPU (ms)': percentile(cpuMs, 0.5),
          ...(postgresMs.length ? { 'Postgres CPU (ms)': percentile(postgresMs, 0.5) } : {}),
        },
      })
    }
    const [bare, inserts, ours] = ways.map(([what]) => what) as [string, string, string]
    const shares = load
      .get(ours)
      ?.perSecond.map((rate, round) => rate / (load.get(inserts)?.perSecond[round] as number))
    measurements.push({
      what: 'ours against them',
      figures: {
        'overhead over (a), p50 (ms)':
          percentile(single.get(ours) as number[], 0.5) - percentile(single.get(bare) as number[], 0.5),
        'share of (b)': percentile(shares as number[], 0.5),
      },
    })
    measurements.push(...(await measureHistory(subjects.turns)), ...(await measureStorage(url, subjects.turns)))
    return measurements
  } finally {
    await subjects.close()
  }
}

/** On a bot of its own, with the other ways and their histories gone. Each leaves the process warmer for the next. */
async function measureAlone(url: string, model: BenchModel, long: boolean): Promise<Measurement[]> {
  const bot = await startBenchBot(url, model)
  try {
    return [await measureClicks(bot), ...(await measureTurnMemory(bot, long)), await measureParkedRuns(bot)]
  } finally {
    await bot.close()
  }
}

interface Load {
  /** A figure for each round. */
  perSecond: number[]
  /** Of this process, which is bot, model and whoever asks: the database's own is not in it. */
  cpuMs: number[]
  /** The database's; empty where it cannot be seen. */
  postgresMs: number[]
}

async function measureLoad(
  ways: readonly [string, Turn][],
  readPostgresCpu: (() => number) | null,
): Promise<Map<string, Load>> {
  const load = new Map<string, Load>(ways.map(([what]) => [what, { perSecond: [], cpuMs: [], postgresMs: [] }]))
  for (let round = 0; round < rounds; round++)
    for (const [what, turn] of ways) {
      const before = process.cpuUsage()
      const postgresBefore = readPostgresCpu?.() ?? 0
      load.get(what)?.perSecond.push(await countPerSecond(parallel, atOnce, () => turn(newId('c'))))
      const { user, system } = process.cpuUsage(before)
      load.get(what)?.cpuMs.push((user + system) / 1000 / parallel)
      if (readPostgresCpu) load.get(what)?.postgresMs.push((readPostgresCpu() - postgresBefore) / parallel)
    }
  return load
}

type Turn = (conversation: string) => Promise<unknown>

async function prepare(
  url: string,
  model: BenchModel,
): Promise<{ turns: Record<string, Turn>; readPostgresCpu: (() => number) | null; close(): Promise<void> }> {
  const bot = await startBenchBot(url, model)
  const { db } = bot
  const workspace = await bot.createWorkspace('silent')
  await db.pool.query(
    'CREATE TABLE plain_messages (conversation text, number int, role text, content jsonb, PRIMARY KEY (conversation, number))',
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
      'Quartermaster, everything recorded': (conversation) => bot.turn(workspace, conversation),
    },
    readPostgresCpu: await findPostgresCpu(db),
    close: () => bot.close(),
  }
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

/** What a conversation of 100 turns takes on disk, indexes and all, beside the same as plain rows. */
async function measureStorage(url: string, turns: Record<string, Turn>): Promise<Measurement[]> {
  const db = openDatabase(url, { name: 'qm-bench', maxConnections: 1 })
  const bytesOf = async (tables: string) => {
    await db.pool.query(`VACUUM FULL ${tables}`)
    const { rows } = await db.pool.query(
      `SELECT sum(pg_total_relation_size(t::regclass)) AS bytes FROM unnest(string_to_array($1, ', ')) t`,
      [tables],
    )
    return Number(rows[0].bytes)
  }
  try {
    const measurements: Measurement[] = []
    const [, inserts, ours] = Object.keys(turns) as [string, string, string]
    const transcript = 'messages'
    const all = 'messages, runs, run_events, tool_calls, deliveries, conversations, inbound_events'
    for (const [what, way, tables] of [
      ['plain rows', inserts, 'plain_messages'],
      ['the transcript', ours, transcript],
      ['everything recorded', ours, all],
    ] as const) {
      const before = await bytesOf(tables)
      const conversations = Array.from({ length: 4 }, () => newId('c'))
      for (let turn = 0; turn < 100; turn++) await Promise.all(conversations.map((each) => turns[way]?.(each)))
      const bytes = ((await bytesOf(tables)) - before) / conversations.length
      const plain = measurements[0]?.figures['KB of 100 turns'] ?? bytes / 1024
      measurements.push({
        what: `storage: ${what}`,
        figures: { 'KB of 100 turns': bytes / 1024, 'times plain rows': bytes / 1024 / plain },
      })
    }
    return measurements
  } finally {
    await db.close()
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
