// Slack's channel by itself: the emulator, a team with a person, a thread, and the channel that sends to it, without a bot
// around it. What it speaks is the real client over real sockets.
import {
  askQuestion,
  type ClaimedRun,
  type Database,
  enqueueDelivery,
  type NewQuestion,
  newId,
  openChannel,
  receiveEvent,
} from '@quartermaster/db'
import { addMember, claim, createTestWorkspace, requestCall, type TestWorkspace } from '@quartermaster/db/testing'
import type { Channel, Place } from '../../apps/bot/src/channels/channel.ts'
import { createSlackChannel } from '../../apps/bot/src/channels/slack/slack-channel.ts'
import { createChatServices } from '../../apps/bot/src/chat/create-chat-services.ts'
import { createLog } from '../../apps/bot/src/log.ts'
import { createPolicies } from '../../apps/bot/src/policy/load-policy.ts'
import { createEditCheck } from '../../apps/bot/src/questions/check-edit.ts'
import { type Delivering, startDelivering } from '../../apps/bot/src/reply/start-delivering.ts'
import { createComposeCaller } from '../../apps/bot/src/tools/compose-caller.ts'
import { composeRegistry } from '../../apps/bot/src/tools/compose-registry.ts'
import { createTestTools } from '../../apps/bot/src/tools/testing-ports.ts'
import { masterKeyOf } from '../../packages/db/src/master-key.ts'
import { startSlackEmulator } from '../emulators/slack/index.ts'

export type SlackEmulator = Awaited<ReturnType<typeof startSlackEmulator>>

export interface SlackParts {
  slack: SlackEmulator
  channel: Channel
  /** A run of Ada's, in a thread that she began with `root`. */
  place: Place
  ada: ReturnType<SlackEmulator['addUser']>
  room: ReturnType<SlackEmulator['addChannel']>
  root: string
  questionId: string
  run: ClaimedRun
  workspace: TestWorkspace
  /** Begins to receive and to send, as a bot would. */
  work(): Promise<void>
  /** Asks in the thread, as a run would. */
  ask(question: Partial<NewQuestion> & { toolArguments?: unknown }): Promise<string>
  /** Somebody on Slack who is a member with this role. */
  join(name: string, role: keyof TestWorkspace['members']): Promise<ReturnType<SlackEmulator['addUser']>>
  /** What we have said in the thread. */
  ours(): ReturnType<SlackEmulator['thread']>
  /** Another process of the same bot. */
  another(): Promise<Channel>
  close(): Promise<void>
}

/** `direct`: in Ada's direct message with the bot instead of a channel. */
export async function startSlackParts(db: Database, { direct = false } = {}): Promise<SlackParts> {
  const slack = await startSlackEmulator()
  const workspace = await createTestWorkspace(db)
  const { workspaceId, agentId } = workspace
  const opened = await openChannel(db, { kind: 'slack', externalId: slack.team.id, name: slack.team.name })
  // A database of tests has many workspaces; the channel belongs to the one at hand.
  await db.pool.query('UPDATE channels SET workspace_id = $2, default_agent_id = $3 WHERE id = $1', [
    opened.id,
    workspaceId,
    agentId,
  ])
  const ada = slack.addUser('Ada')
  const know = (user: typeof ada, memberId: string) =>
    db.pool.query(
      `INSERT INTO identities (id, workspace_id, member_id, kind, external_id) VALUES ($1, $2, $3, 'slack', $4)`,
      [newId('idn'), workspaceId, memberId, `${slack.team.id}:${user.id}`],
    )
  await know(ada, workspace.members.approver)
  const room = direct ? slack.dm(ada) : slack.addChannel('ops', [ada])
  const root = slack.say(ada, room, 'Hello').ts
  const conversationKey = `${room.id}:${root}`
  const received = await receiveEvent(db, {
    channelId: opened.id,
    eventId: `event-${conversationKey}`,
    place: room.id,
    conversationKey,
    memberId: workspace.members.approver,
    content: [{ type: 'text', text: 'Hello' }],
  })
  if (received.outcome !== 'received') throw new Error(received.outcome)
  const run = await claim(db, received.runId)
  const toolCallId = await requestCall(db, run)
  const questionId = (await askQuestion(db, run, {
    toolCallId,
    kind: 'confirmation',
    prompt: { title: 'Write a.txt', facts: [{ label: 'Path', value: 'a.txt' }] },
  }))!
  const open = async () => {
    const registry = composeRegistry(await createTestTools(db))
    const composeCaller = createComposeCaller(db, createPolicies(db, { rules: [] }), { configs: {} })
    const chat = createChatServices({
      db,
      log: createLog({ level: 'error', secrets: [] }),
      keys: { current: masterKeyOf(Buffer.alloc(32, 7)), previous: null },
      consoleUrl: null,
      registry,
      composeCaller,
      checkEdit: createEditCheck(registry, composeCaller),
    })
    const { botToken, appToken, apiUrl } = slack
    return createSlackChannel({ settings: { botToken, appToken, apiUrl }, chat })
  }
  const { conversationId, runId } = received
  const channel = await open()
  const closing = new AbortController()
  let delivering: Delivering | null = null
  return {
    slack,
    channel,
    run,
    workspace,
    async work() {
      await channel.start?.(closing.signal)
      await slack.until(() => slack.sockets.count > 0)
      const log = createLog({ level: 'error', secrets: [] })
      delivering = await startDelivering({ db, channels: [channel], log, processId: newId('test'), pollMs: 200 })
    },
    async ask({ toolArguments, ...question }) {
      const call = toolArguments === undefined ? {} : { arguments: toolArguments }
      const asked = await askQuestion(db, run, {
        toolCallId: await requestCall(db, run, call as never),
        kind: 'confirmation',
        prompt: {},
        ...question,
      } as NewQuestion)
      const payload = { kind: 'question', questionId: asked }
      await enqueueDelivery(db, { conversationId, kind: 'question', payload, questionId: asked as string })
      return asked as string
    },
    async join(name, role) {
      const user = slack.addUser(name)
      const memberId = await addMember(db, { workspaceId, name, role })
      await know(user, memberId)
      slack.join(room, user)
      return user
    },
    place: { workspaceId, conversationId, channelId: opened.id, conversationKey, runId },
    ada,
    room,
    root,
    questionId,
    ours: () => slack.thread(room, root).filter(({ user }) => user === slack.bot().userId),
    another: open,
    async close() {
      closing.abort()
      await delivering?.stop()
      await slack.close()
    },
  }
}
