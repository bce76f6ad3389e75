// How soon Slack hears that an event has arrived, which is when it is stored: 50 messages a second over Socket Mode while
// eight runs call tools. Slack gives 3 s. The bot is a process of its own; Slack's emulator and the model are in this one.
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Reply, startOfflineModel } from '@quartermaster/bot/offline-model'
import { newId, openDatabase } from '@quartermaster/db'
import { findFreePort } from '@quartermaster/db/embedded-postgres'
import { toApiName } from '@quartermaster/tools'
import { echoTool } from '@quartermaster/tools/testing'
import { createTestWorkspace } from '../../packages/db/src/testing-workspace.ts'
import { startSlackEmulator } from '../emulators/slack/index.ts'
import { type Bench, percentile } from './measure.ts'

const perSecond = 50
const seconds = 10
const busyThreads = 8
const people = 20

const bench: Bench = {
  about: `${perSecond} messages a second for ${seconds} s over Socket Mode, while ${busyThreads} runs call tools without a pause`,
  async run(url) {
    const model = await startOfflineModel({
      script: ({ messages }): Reply =>
        JSON.stringify(messages[0]).includes('be busy')
          ? { content: [{ tool: toApiName(echoTool.name), input: { text: 'x'.repeat(2_000) } }], delayMs: 20 }
          : { content: [{ text: 'Done.' }] },
    })
    const slack = await startSlackEmulator()
    const db = openDatabase(url, { name: 'qm-bench', maxConnections: 4 })
    const workspace = await createTestWorkspace(db)
    await db.pool.query(
      `INSERT INTO policy_settings (workspace_id, profile, allow, deny) VALUES ($1, 'full', '{}', '{}')`,
      [workspace.workspaceId],
    )
    await db.pool.query(
      `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile) VALUES ($1, $2, $3, 2, now(), 'full')`,
      [newId('ver'), workspace.workspaceId, workspace.agentId],
    )
    const folder = mkdtempSync(join(tmpdir(), 'qm-bench-'))
    const bot = await startBot({
      DATABASE_URL: url,
      QM_MASTER_KEY: '5e'.repeat(32),
      QM_DATA_DIR: folder,
      QM_BOT_PORT: String(await findFreePort()),
      QM_TEST_EFFECTS: join(folder, 'effects'),
      ANTHROPIC_API_KEY: model.apiKey,
      ANTHROPIC_BASE_URL: model.baseUrl,
      SLACK_API_URL: slack.apiUrl,
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      POLICY_MAX_STEPS: '1000',
      LOG_LEVEL: 'warn',
    })
    try {
      await slack.until(() => slack.sockets.count === 1)
      const users = Array.from({ length: people }, (_, index) => slack.addUser(`Person ${index}`))
      const room = slack.addChannel('busy', users)
      for (let index = 0; index < busyThreads; index++) slack.mention(users[index] as never, room, 'be busy')
      const roots = users.map((user) => slack.say(user, slack.dm(user), 'hello'))
      await slack.until(() => slack.events.every(({ done }) => done))

      const times: number[] = []
      const carry = slack.sockets.carry.bind(slack.sockets)
      slack.sockets.carry = async (parcel) => {
        const started = performance.now()
        const received = await carry(parcel)
        // What the bot says itself comes back as an event too, which costs it nothing.
        const { user } = (parcel.payload.event ?? {}) as { user?: string }
        if (user !== slack.bot().userId)
          times.push(received.acked ? performance.now() - started : Number.POSITIVE_INFINITY)
        return received
      }
      const countCalls = async () => Number((await db.pool.query('SELECT count(*) FROM tool_calls')).rows[0].count)
      const callsBefore = await countCalls()
      const before = slack.events.length
      const began = performance.now()
      for (let index = 0; index < perSecond * seconds; index++) {
        const user = users[index % people] as (typeof users)[number]
        slack.reply(user, roots[index % people] as (typeof roots)[number], `message ${index}`)
        await sleep(Math.max(0, began + (index + 1) * (1000 / perSecond) - performance.now()))
      }
      const sentFor = (performance.now() - began) / 1000
      const calls = (await countCalls()) - callsBefore
      await slack.until(() => slack.events.every(({ done }) => done))
      const unacked = slack.events.slice(before).filter(({ acked }) => !acked).length
      return [
        {
          what: 'from the event to its acknowledgement',
          figures: {
            'events a second': (perSecond * seconds) / sentFor,
            'tool calls a second': calls / sentFor,
            'p50 (ms)': percentile(times, 0.5),
            'p99 (ms)': percentile(times, 0.99),
            'longest (ms)': Math.max(...times),
            'not acknowledged': unacked,
          },
        },
      ]
    } finally {
      await endBot(bot)
      rmSync(folder, { recursive: true, force: true })
      await slack.close()
      await model.close()
      await db.close()
    }
  },
}
export default bench

/** With the sample tools, one of which the busy runs call. Resolves when it is ready. */
async function startBot(environment: Record<string, string>): Promise<ChildProcess> {
  const program = join(import.meta.dirname, '../e2e/sample-bot.ts')
  const env = { PATH: process.env.PATH, ...environment }
  const child = spawn(process.execPath, [program], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'], env })
  await new Promise<void>((ready, failed) => {
    child.once('message', () => ready())
    child.once('exit', (code) => failed(new Error(`the bot ended with ${code}`)))
  })
  return child
}

async function endBot(child: ChildProcess): Promise<void> {
  const ended = new Promise((done) => child.once('exit', done))
  child.kill('SIGTERM')
  await ended
}
