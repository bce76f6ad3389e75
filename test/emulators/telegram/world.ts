import { EventEmitter } from 'node:events'
import type { BotCommand, CallbackQuery, Chat, InlineKeyboardMarkup, Message, User, UserFromGetMe } from 'grammy/types'
import type { Clock } from './clock.ts'
import { Files } from './files.ts'
import { limits } from './limits.ts'
import { badRequest, forbidden, Refusal } from './refusal.ts'
import type { UpdateQueue } from './update-queue.ts'

export type MemberStatus = 'creator' | 'administrator' | 'member' | 'left' | 'kicked'

export interface Topic {
  id: number
  name: string
  iconColor: number
  isClosed: boolean
  createdBy: number
}

export interface Draft {
  id: number
  topic?: number
  text: string
  canStop: boolean
  keepOnStop: boolean
  isStopped: boolean
  at: number
}

export interface ChatAction {
  action: string
  topic?: number
  at: number
}

export interface EmulatedChat {
  info: Exclude<Chat, Chat.ChannelChat>
  /** Everyone's standing, the bot's too. In a private chat the bot is "kicked" when the person blocked it. */
  members: Map<number, MemberStatus>
  messages: Message[]
  /** Those that only one person sees. */
  ephemerals: Message[]
  topics: Map<number, Topic>
  drafts: Draft[]
  actions: ChatAction[]
  /** The bot's reaction to a message. */
  reactions: Map<number, string>
  upgradedTo?: number
  lastMessageId: number
}

export interface Notice {
  userId: number
  text: string
  isAlert: boolean
  url?: string
}

export interface OpenCallback {
  query: CallbackQuery
  at: number
  isAnswered: boolean
}

export interface CommandList {
  scope: { type: string; chat_id?: number | string; user_id?: number }
  language: string
  commands: BotCommand[]
}

/** Everything that Telegram knows: people, chats, messages, and what waits for the bot. */
export class World {
  readonly bot: UserFromGetMe
  readonly clock: Clock
  readonly updates: UpdateQueue
  readonly files = new Files()
  readonly users = new Map<number, User>()
  readonly chats = new Map<number, EmulatedChat>()
  readonly callbacks = new Map<string, OpenCallback>()
  readonly notices: Notice[] = []
  readonly profile: Record<string, string> = {}
  commands: CommandList[] = []
  readonly #changes = new EventEmitter().setMaxListeners(0)
  /** Private chats and small groups share their numbers, as they do for a bot; supergroups count for themselves. */
  #lastSharedId = 0

  constructor(bot: UserFromGetMe, clock: Clock, updates: UpdateQueue) {
    this.bot = bot
    this.clock = clock
    this.updates = updates
  }

  seconds(): number {
    return Math.floor(this.clock.now() / 1000)
  }

  changed(): void {
    this.#changes.emit('change')
  }

  onChange(listener: () => void): () => void {
    this.#changes.on('change', listener)
    return () => void this.#changes.off('change', listener)
  }

  findChat(id: number | string): EmulatedChat {
    const chat =
      typeof id === 'string' && id.startsWith('@')
        ? [...this.chats.values()].find(({ info }) => info.type === 'supergroup' && info.username === id.slice(1))
        : this.chats.get(Number(id))
    if (!chat) {
      if (this.users.has(Number(id)) && this.#isKnownToBot(Number(id)))
        throw forbidden("bot can't initiate conversation with a user")
      throw badRequest('chat not found')
    }
    if (chat.upgradedTo !== undefined)
      throw new Refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: chat.upgradedTo,
      })
    return chat
  }

  #isKnownToBot(userId: number): boolean {
    return [...this.chats.values()].some(({ messages }) => messages.some(({ from }) => from?.id === userId))
  }

  /** A chat that the bot may act in now. */
  openChat(id: number | string): EmulatedChat {
    const chat = this.findChat(id)
    const { type } = chat.info
    const status = chat.members.get(this.bot.id)
    if (status === 'kicked')
      throw forbidden(type === 'private' ? 'bot was blocked by the user' : `bot was kicked from the ${type} chat`)
    if (status === undefined || status === 'left') throw forbidden(`bot is not a member of the ${type} chat`)
    return chat
  }

  findTopic(chat: EmulatedChat, id: number | undefined): Topic | undefined {
    if (id === undefined) return undefined
    const topic = chat.topics.get(id)
    if (!topic) throw badRequest('message thread not found')
    return topic
  }

  nextMessageId(chat: EmulatedChat): number {
    if (chat.info.type === 'supergroup') return ++chat.lastMessageId
    return ++this.#lastSharedId
  }

  addMessage(
    chat: EmulatedChat,
    from: User,
    content: Partial<Message>,
    place: { topic?: Topic; replyTo?: Message; keyboard?: InlineKeyboardMarkup } = {},
  ): Message {
    const message: Message = {
      message_id: this.nextMessageId(chat),
      from,
      chat: chat.info,
      date: this.seconds(),
      ...threadOf(chat, place),
      ...(place.replyTo && { reply_to_message: withoutReply(place.replyTo) as Message['reply_to_message'] }),
      ...content,
      ...(place.keyboard && { reply_markup: place.keyboard }),
    }
    chat.messages.push(message)
    if (from.id === this.bot.id) this.#endPreviews(chat, place.topic?.id)
    this.changed()
    return message
  }

  /** A message of the bot's takes the place of its draft and of "typing…". */
  #endPreviews(chat: EmulatedChat, topic: number | undefined): void {
    chat.drafts = chat.drafts.filter((draft) => draft.topic !== topic)
    chat.actions = chat.actions.filter((action) => action.topic !== topic)
  }

  draftsIn(chat: EmulatedChat): Draft[] {
    const oldest = this.clock.now() - limits.draftMilliseconds
    chat.drafts = chat.drafts.filter(({ at }) => at > oldest)
    return chat.drafts.filter(({ isStopped, keepOnStop }) => !isStopped || keepOnStop)
  }

  actionsIn(chat: EmulatedChat): ChatAction[] {
    const oldest = this.clock.now() - limits.actionMilliseconds
    return chat.actions.filter(({ at }) => at > oldest)
  }

  isAdministrator(chat: EmulatedChat, userId: number): boolean {
    return ['creator', 'administrator'].includes(chat.members.get(userId) ?? '')
  }
}

/**
 * Where there are no topics, a reply in a supergroup still names a thread: the message it all began with. It is no
 * topic, and nothing can be sent to it.
 */
function threadOf({ info }: EmulatedChat, { topic, replyTo }: { topic?: Topic; replyTo?: Message }): Partial<Message> {
  if (topic) return { message_thread_id: topic.id, is_topic_message: true }
  if (!replyTo || info.type !== 'supergroup' || info.is_forum) return {}
  return { message_thread_id: replyTo.message_thread_id ?? replyTo.message_id }
}

export function newChat(info: EmulatedChat['info'], members: readonly [number, MemberStatus][]): EmulatedChat {
  return {
    info,
    members: new Map(members),
    messages: [],
    ephemerals: [],
    topics: new Map(),
    drafts: [],
    actions: [],
    reactions: new Map(),
    lastMessageId: 0,
  }
}

function withoutReply({ reply_to_message: _, ...message }: Message): Message {
  return message
}
