// Telegram's channel by itself: the emulator, a private chat, and the channel that sends to it, without a bot around it.

import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  answerQuestion,
  askQuestion,
  type Database,
  enqueueDelivery,
  type NewQuestion,
  newId,
  openChannel,
  receiveEvent,
  syncTools,
} from '@quartermaster/db'
import { addMember, claim, createTestWorkspace, requestCall, type TestWorkspace } from '@quartermaster/db/testing'
import type { Channel, Place } from '../../apps/bot/src/channels/channel.ts'
import { createTelegramChannel } from '../../apps/bot/src/channels/telegram/telegram-channel.ts'
import { createChatServices } from '../../apps/bot/src/chat/create-chat-services.ts'
import { createLog } from '../../apps/bot/src/log.ts'
import { createPolicies } from '../../apps/bot/src/policy/load-policy.ts'
import { createEditCheck } from '../../apps/bot/src/questions/check-edit.ts'
import { type Delivering, startDelivering } from '../../apps/bot/src/reply/start-delivering.ts'
import { createComposeCaller } from '../../apps/bot/src/tools/compose-caller.ts'
import { composeRegistry, definitionOf } from '../../apps/bot/src/tools/compose-registry.ts'
import { createTestTools } from '../../apps/bot/src/tools/testing-ports.ts'
import { masterKeyOf } from '../../packages/db/src/master-key.ts'
import { type Group, type Person, startTelegramEmulator, type TelegramEmulator } from '../emulators/telegram/index.ts'

export interface TelegramParts {
  telegram: TelegramEmulator
  channel: Channel
  ada: Person
  group: Group | null
  /** A run of Ada's, in her chat with the bot. */
  place: Place
  workspace: TestWorkspace
  questionId: string
  deny(): Promise<string>
  /** Begins to receive and to send, as a bot would. */
  work(): Promise<void>
  /** Asks in the chat, as a run would. */
  ask(question: Partial<NewQuestion> & { toolArguments?: unknown }): Promise<string>
  /** Somebody on Telegram who is a member with this role. */
  join(name: string, role: keyof TestWorkspace['members']): Promise<Person>
  /** From now on Telegram does not answer, until what this returns is called. */
  stall(): () => void
  close(): Promise<void>
}

/** `inGroup`: in a group of Ada's instead of her chat with the bot. */
export async function startTelegramParts(
  db: Database,
  { inGroup = false, consoleUrl = null }: { inGroup?: boolean; consoleUrl?: string | null } = {},
): Promise<TelegramParts> {
  const telegram = await startTelegramEmulator({ bot: { id: randomInt(1_000_000, 2 ** 40) } })
  const gate = await openGate(telegram.apiRoot)
  const workspace = await createTestWorkspace(db)
  const { workspaceId, agentId, members } = workspace
  await db.pool.query(
    `INSERT INTO policy_settings (workspace_id, profile, allow, deny) VALUES ($1, 'full', '{}', '{}')`,
    [workspaceId],
  )
  await db.pool.query(
    `INSERT INTO agent_versions (id, workspace_id, agent_id, number, published_at, profile) VALUES ($1, $2, $3, 2, now(), 'full')`,
    [newId('ver'), workspaceId, agentId],
  )
  await syncTools(db, (await createTestTools(db)).map(definitionOf))
  await db.pool.query(`INSERT INTO agent_tools (agent_id, tool_id) SELECT $1, id FROM tools ON CONFLICT DO NOTHING`, [
    agentId,
  ])
  const { id: channelId } = await openChannel(db, {
    kind: 'telegram',
    externalId: String(telegram.bot.id),
    name: 'bot',
  })
  // A database of tests has many workspaces; the channel belongs to the one at hand.
  await db.pool.query('UPDATE channels SET workspace_id = $2, default_agent_id = $3 WHERE id = $1', [
    channelId,
    workspaceId,
    agentId,
  ])
  const ada = telegram.user({ firstName: 'Ada' })
  const know = (person: Person, memberId: string) =>
    db.pool.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id) VALUES ($1, $2, $3, 'telegram', $4)`,
      [newId('idn'), workspaceId, memberId, String(person.id)],
    )
  await know(ada, members.approver)
  const group = inGroup ? telegram.group({ title: 'Ops', members: [ada] }) : null
  if (!group) ada.say('Hello')
  const conversationKey = String(group?.id ?? ada.id)
  const received = await receiveEvent(db, {
    channelId,
    eventId: newId('event'),
    place: conversationKey,
    conversationKey,
    memberId: members.approver,
    content: [{ type: 'text', text: 'Hello' }],
  })
  if (received.outcome !== 'received') throw new Error(received.outcome)
  const run = await claim(db, received.runId)
  const prompt = { title: 'Write a.txt', facts: [{ label: 'Path', value: 'a.txt' }] }
  const asked = { toolCallId: await requestCall(db, run), kind: 'confirmation' as const, prompt }
  const questionId = (await askQuestion(db, run, asked)) as string
  const registry = composeRegistry(await createTestTools(db))
  const composeCaller = createComposeCaller(db, createPolicies(db, { rules: [] }), { configs: {} })
  const chat = createChatServices({
    db,
    log: createLog({ level: 'error', secrets: [] }),
    keys: { current: masterKeyOf(Buffer.alloc(32, 7)), previous: null },
    consoleUrl,
    registry,
    composeCaller,
    checkEdit: createEditCheck(registry, composeCaller),
  })
  const channel = createTelegramChannel({ settings: { botToken: telegram.token, apiRoot: gate.url }, chat })
  const { conversationId } = received
  const closing = new AbortController()
  let delivering: Delivering | null = null
  return {
    telegram,
    channel,
    ada,
    group,
    async work() {
      await channel.start?.(closing.signal)
      // What was said before would answer a question that waits for a text.
      await telegram.until(() => telegram.pendingUpdates().length === 0)
      const log = createLog({ level: 'error', secrets: [] })
      delivering = await startDelivering({ db, channels: [channel], log, processId: newId('test'), pollMs: 200 })
    },
    async ask({ toolArguments, ...question }) {
      // As it is described now: otherwise it counts as changed since it was asked about.
      const described = registry.list().find(({ name }) => name === 'file.write')
      const toolVersion = described ? definitionOf(described).version : 'v1'
      const call = { toolVersion, ...(toolArguments === undefined ? {} : { arguments: toolArguments }) }
      const id = (await askQuestion(db, run, {
        toolCallId: await requestCall(db, run, call as never),
        kind: 'confirmation',
        prompt: {},
        ...question,
      } as NewQuestion)) as string
      const payload = { kind: 'question', questionId: id }
      await enqueueDelivery(db, { conversationId, kind: 'question', payload, questionId: id })
      return id
    },
    async join(name, role) {
      const person = telegram.user({ firstName: name })
      const memberId = await addMember(db, { workspaceId, name, role })
      await know(person, memberId)
      group?.add(person)
      return person
    },
    place: { workspaceId, conversationId, channelId, conversationKey, runId: received.runId },
    workspace,
    questionId,
    async deny() {
      const answer = { questionId, memberId: members.approver, verdict: 'deny' as const, surface: 'console' }
      const denied = await answerQuestion(db, answer)
      if (!denied.ok) throw new Error(denied.reason)
      return 'Denied by The approver'
    },
    stall: gate.stall,
    async close() {
      closing.abort()
      await delivering?.stop()
      await gate.close()
      await telegram.close()
    },
  }
}

/** The way to the emulator, which can be closed for a while. */
async function openGate(target: string) {
  let closed: Promise<void> = Promise.resolve()
  const server = createServer(async (incoming, answer) => {
    await closed
    const forward = request(new URL(incoming.url ?? '/', target), {
      method: incoming.method,
      headers: incoming.headers,
    })
    forward.on('response', (response) => {
      answer.writeHead(response.statusCode ?? 502, response.headers)
      response.pipe(answer)
    })
    forward.on('error', () => answer.destroy())
    incoming.pipe(forward)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stall() {
      const { promise, resolve } = Promise.withResolvers<void>()
      closed = promise
      return resolve
    },
    async close() {
      server.closeAllConnections()
      server.close()
    },
  }
}
