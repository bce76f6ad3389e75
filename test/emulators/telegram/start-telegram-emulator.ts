import { randomBytes } from 'node:crypto'
import type { BotCommand, Update, User, UserFromGetMe } from 'grammy/types'
import { type Clock, systemClock } from './clock.ts'
import { commandsFor } from './commands-for.ts'
import { FloodControl, type FloodLimits, type Storm, usualFloodLimits } from './flood-control.ts'
import { Group, type GroupOptions } from './group.ts'
import { commandsOf } from './methods/profile-methods.ts'
import { Person } from './person.ts'
import { renderChat } from './render-chat.ts'
import { type SeenChat, type SeenMessage, seenChat, seenMessage } from './seen-chat.ts'
import { type Fault, type ReceivedRequest, serveBotApi } from './serve-bot-api.ts'
import { UpdateQueue } from './update-queue.ts'
import { Webhook } from './webhook.ts'
import { type CommandList, type EmulatedChat, type Notice, World } from './world.ts'

export interface TelegramEmulatorOptions {
  clock?: Clock
  /** Whether the bot hears in groups only what is meant for it; on, as BotFather sets it. */
  isPrivate?: boolean
  /** Whether private chats have topics, and whether people may open them. */
  hasTopics?: boolean
  bot?: Partial<UserFromGetMe>
  /** True for the limits that Telegram advises; by default nothing is too fast. */
  flood?: boolean | FloodLimits
}

export interface TelegramEmulator {
  apiRoot: string
  token: string
  bot: UserFromGetMe
  world: World
  /** The last thousands of calls, refused ones too, and what was answered. */
  requests: ReceivedRequest[]
  user(about?: { firstName?: string; lastName?: string; username?: string; language?: string }): Person
  group(options: GroupOptions): Group
  /** What a person sees in a chat, or in one topic of it. */
  chat(chat: number | { id: number }, topic?: number): SeenChat
  /** The chat as a page that looks like Telegram. */
  renderChat(chat: number | { id: number }, topic?: number): string
  /** What popped up on a person's screen after they pressed a button. */
  notices(person: Person): Notice[]
  /** The messages in a group that only this person sees. */
  ephemerals(chat: number | { id: number }, person: Person): SeenMessage[]
  commands(scope: CommandList['scope'], language?: string): BotCommand[]
  /** The list that opens when this person types a slash here. */
  commandsFor(person: Person, chat?: number | { id: number }): BotCommand[]
  /** The calls of one method. */
  calls(method: string): ReceivedRequest[]
  failNext(...faults: Fault[]): void
  storm(storm?: Storm | false): void
  redeliver(updateId?: number): Update
  restartUpdateIds(next?: number): void
  /** Every update that was made, fetched or not. */
  updates(): readonly Update[]
  pendingUpdates(): Update[]
  /** Where requests to the webhook's public address really go. */
  routeWebhookTo(origin: string | ((url: URL) => URL)): void
  /** Waits until the condition gives something true, looking again whenever anything happened. */
  until<T>(condition: () => T | Promise<T>, milliseconds?: number): Promise<Truthy<T>>
  close(): Promise<void>
}

type Truthy<T> = Exclude<T, null | undefined | false | 0 | ''>

const mostRecorded = 5000
/** How often a condition is looked at when nothing happens here: it may depend on something else. */
const lookAgainMilliseconds = 50

/** Telegram on loopback: its Bot API as strict as the real one, and the people on the other side of it. */
export async function startTelegramEmulator(options: TelegramEmulatorOptions = {}): Promise<TelegramEmulator> {
  const clock = options.clock ?? systemClock
  const bot = describeBot(options)
  const token = `${bot.id}:${randomBytes(26).toString('base64url')}`
  const updates = new UpdateQueue(clock)
  const world = new World(bot, clock, updates)
  const webhook = new Webhook(updates, clock)
  const flood = new FloodControl(clock, options.flood === true ? usualFloodLimits : options.flood || null)
  const requests: ReceivedRequest[] = []
  const faults: Fault[] = []
  const server = await serveBotApi({
    token,
    call: { world, webhook },
    flood,
    onRequest(request) {
      if (requests.length >= mostRecorded) requests.shift()
      requests.push(request)
    },
    nextFault(method) {
      const at = faults.findIndex((fault) =>
        fault.method === undefined ? method !== 'getUpdates' : fault.method === method,
      )
      return at < 0 ? undefined : faults.splice(at, 1)[0]
    },
  })
  const known = (chat: number | { id: number }): EmulatedChat => {
    const found = world.chats.get(typeof chat === 'number' ? chat : chat.id)
    if (!found) throw new Error('nobody has opened this chat')
    return found
  }
  return {
    apiRoot: server.url,
    token,
    bot,
    world,
    requests,
    user: (about = {}) => addUser(world, about),
    group: (about) => new Group(world, about),
    chat: (chat, topic) => seenChat(world, known(chat), topic),
    renderChat: (chat, topic) => renderChat(seenChat(world, known(chat), topic)),
    notices: (person) => world.notices.filter(({ userId }) => userId === person.id),
    ephemerals: (chat, person) =>
      known(chat)
        .ephemerals.filter(({ receiver_user: to }) => to?.id === person.id)
        .map((message) => seenMessage(world, message)),
    commands: (scope, language) => commandsOf(world, scope, language),
    commandsFor: (person, chat) => commandsFor(world, known(chat ?? person), person.user),
    calls: (method) => requests.filter((request) => request.method === method),
    failNext: (...next) => void faults.push(...next),
    storm: (storm = {}) => flood.storm(storm),
    redeliver: (updateId) => updates.redeliver(updateId),
    restartUpdateIds: (next) => updates.restartIds(next),
    updates: () => updates.sent(),
    pendingUpdates: () => updates.pending(),
    routeWebhookTo: (origin) => webhook.routeTo(origin),
    until: (condition, milliseconds = 15_000) => until(world, condition, milliseconds),
    async close() {
      webhook.remove()
      await server.close()
    },
  }
}

function describeBot({ isPrivate = true, hasTopics = false, bot }: TelegramEmulatorOptions): UserFromGetMe {
  return {
    id: 7_000_000_001,
    is_bot: true,
    first_name: 'Quartermaster',
    username: 'quartermaster_bot',
    can_join_groups: true,
    can_read_all_group_messages: !isPrivate,
    supports_inline_queries: false,
    can_connect_to_business: false,
    has_main_web_app: false,
    has_topics_enabled: hasTopics,
    allows_users_to_create_topics: hasTopics,
    can_manage_bots: false,
    supports_join_request_queries: false,
    ...bot,
  }
}

function addUser(
  world: World,
  about: { firstName?: string; lastName?: string; username?: string; language?: string },
): Person {
  const user: User = {
    id: 100_001 + world.users.size,
    is_bot: false,
    first_name: about.firstName ?? `Person ${world.users.size + 1}`,
    ...(about.lastName && { last_name: about.lastName }),
    ...(about.username && { username: about.username.replace(/^@/, '') }),
    language_code: (about.language ?? 'en') as User['language_code'],
  }
  world.users.set(user.id, user)
  return new Person(world, user)
}

async function until<T>(world: World, condition: () => T | Promise<T>, milliseconds: number): Promise<Truthy<T>> {
  const deadline = Date.now() + milliseconds
  for (;;) {
    const value = await condition()
    if (value) return value as Truthy<T>
    if (Date.now() > deadline) throw new Error(`waited ${milliseconds} ms in vain for ${condition}`)
    await new Promise<void>((resolve) => {
      const timer = setTimeout(done, lookAgainMilliseconds)
      const forget = world.onChange(done)
      function done() {
        clearTimeout(timer)
        forget()
        resolve()
      }
    })
  }
}
