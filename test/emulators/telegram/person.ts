import { randomBytes, randomInt } from 'node:crypto'
import type { InlineKeyboardButton, Message, User } from 'grammy/types'
import { botHears } from './bot-hears.ts'
import { detectEntities } from './detect-entities.ts'
import type { FileKind } from './files.ts'
import type { Group } from './group.ts'
import { memberOf } from './methods/chat-methods.ts'
import { fileContent } from './methods/media-methods.ts'
import { createTopic } from './methods/topic-methods.ts'
import { richButtons } from './rich-buttons.ts'
import { type EmulatedChat, type MemberStatus, newChat, type World } from './world.ts'

/** Where a person does something: in their chat with the bot unless a group is named. */
export interface Where {
  chat?: Group | number
  /** The topic; "new" opens one by writing, as in a private chat with topics. */
  topic?: number | 'new'
  /** An administrator of a group may speak as the group: then nobody is told who it was. */
  isAnonymous?: boolean
}

export interface SentFile extends Where {
  bytes?: Uint8Array
  name?: string
  mime?: string
  caption?: string
  duration?: number
}

/** What pressing a button did. */
export interface Pressed {
  queryId?: string
  url?: string
  copied?: string
}

/** The smallest picture there is. */
export const onePixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** Whom Telegram names as the sender when an administrator speaks as the group; the same in every group. */
const anonymousAdministrator: User = {
  id: 1_087_968_824,
  is_bot: true,
  first_name: 'Group',
  username: 'GroupAnonymousBot',
}

/** Somebody with Telegram on their phone. */
export class Person {
  readonly user: User
  readonly #world: World

  constructor(world: World, user: User) {
    this.#world = world
    this.user = user
  }

  /** Also the id of their private chat with the bot. */
  get id(): number {
    return this.user.id
  }

  /** Presses Start, with what a link brought along. */
  start(payload = ''): Message {
    return this.say(payload ? `/start ${payload}` : '/start')
  }

  say(text: string, where: Where = {}): Message {
    return this.#send({ text }, where)
  }

  mention(text: string, where: Where): Message {
    return this.say(`@${this.#world.bot.username} ${text}`, where)
  }

  /** In a group the client adds the bot's name, as a tap on a command does. */
  command(command: string, where: Where = {}): Message {
    const [name = '', ...rest] = command.replace(/^\//, '').split(' ')
    const bot = where.chat === undefined || where.chat === this.id ? '' : `@${this.#world.bot.username}`
    return this.say([`/${name}${bot}`, ...rest].join(' '), where)
  }

  reply(to: Message, text: string): Message {
    return this.#send({ text }, { chat: to.chat.id, topic: to.is_topic_message ? to.message_thread_id : undefined }, to)
  }

  edit(message: Message, text: string): Message {
    const chat = this.#chat({ chat: message.chat.id })
    const own = chat.messages.find((one) => one.message_id === message.message_id && one.from?.id === this.id)
    if (!own) throw new Error('only a message of their own can be edited')
    const isCaption = own.text === undefined
    const entities = detectEntities(text)
    Object.assign(own, isCaption ? { caption: text, caption_entities: entities } : { text, entities }, {
      edit_date: this.#world.seconds(),
    })
    if (botHears(this.#world, chat, own)) this.#world.updates.push({ edited_message: own as never })
    this.#world.changed()
    return structuredClone(own)
  }

  sendPhoto(file: SentFile = {}): Message {
    return this.#sendFile('photo', { bytes: onePixel, name: 'photo.png', mime: 'image/png', ...file })
  }

  sendDocument(file: SentFile): Message {
    return this.#sendFile('document', { bytes: Buffer.from('A file.'), name: 'file.txt', mime: 'text/plain', ...file })
  }

  sendVoice(file: SentFile = {}): Message {
    return this.#sendFile('voice', {
      bytes: Buffer.from('OggS'),
      name: 'voice.ogg',
      mime: 'audio/ogg',
      duration: 3,
      ...file,
    })
  }

  sendAudio(file: SentFile = {}): Message {
    return this.#sendFile('audio', {
      bytes: Buffer.from('ID3'),
      name: 'song.mp3',
      mime: 'audio/mpeg',
      duration: 3,
      ...file,
    })
  }

  /** Several photos at once: each is a message, and only the first has the caption. */
  sendAlbum(photos: readonly SentFile[], where: Where & { caption?: string } = {}): Message[] {
    const group = String(randomInt(2 ** 47))
    return photos.map((photo, index) =>
      this.#sendFile(
        'photo',
        {
          bytes: onePixel,
          name: 'photo.png',
          mime: 'image/png',
          ...photo,
          chat: where.chat,
          topic: where.topic,
          caption: index === 0 ? where.caption : undefined,
        },
        group,
      ),
    )
  }

  /** Opens a topic in the private chat, where the bot lets people do so, or in a forum. */
  createTopic(name: string, where: Where = {}): number {
    const chat = this.#chat(where)
    const topic = createTopic(this.#world, chat, name, this.id)
    const message = chat.messages.at(-1) as Message
    if (botHears(this.#world, chat, message)) this.#world.updates.push({ message: message as never })
    return topic.id
  }

  /** Presses the newest button with this label that the person can see. */
  click(label: string, where: Where & { message?: Message | number } = {}): Pressed {
    const chat = this.#chat(where)
    const wanted = typeof where.message === 'object' ? where.message.message_id : where.message
    const visible = [...chat.messages, ...chat.ephemerals.filter(({ receiver_user: to }) => to?.id === this.id)]
      .filter(
        ({ message_id: id, message_thread_id: topic }) =>
          (wanted === undefined || id === wanted) && (where.topic === undefined || topic === where.topic),
      )
      .sort((one, other) => one.date - other.date || one.message_id - other.message_id)
    for (const message of visible.reverse()) {
      const buttons = [...(message.reply_markup?.inline_keyboard.flat() ?? []), ...richButtons(message)]
      const button = buttons.find(({ text }) => text === label)
      if (button) return this.#press(button, message)
    }
    throw new Error(`${this.user.first_name} sees no button "${label}"`)
  }

  #press(button: InlineKeyboardButton, message: Message): Pressed {
    if ('disabled' in button) throw new Error(`the button "${button.text}" is disabled`)
    if ('url' in button) return { url: button.url }
    if ('copy_text' in button) return { copied: button.copy_text.text }
    if (!('callback_data' in button)) throw new Error(`the emulator cannot press "${button.text}"`)
    const query = {
      id: String(BigInt(`0x${randomBytes(7).toString('hex')}`)),
      from: this.user,
      message: structuredClone(message),
      chat_instance: String(message.chat.id * 31),
      data: button.callback_data,
    }
    this.#world.callbacks.set(query.id, { query: query as never, at: this.#world.clock.now(), isAnswered: false })
    this.#world.updates.push({ callback_query: query as never })
    return { queryId: query.id }
  }

  /** Presses Stop under a draft that the bot is writing. */
  pressStop(topic?: number): void {
    const chat = this.#chat({})
    const draft = this.#world.draftsIn(chat).find((one) => one.canStop && !one.isStopped && one.topic === topic)
    if (!draft) throw new Error(`${this.user.first_name} sees no draft that can be stopped`)
    draft.isStopped = true
    const place = { chat: chat.info as never, ...(topic !== undefined && { message_thread_id: topic }) }
    this.#world.updates.push({ stopped_message_generation: { ...place, draft_id: draft.id } })
    this.#world.changed()
  }

  block(): void {
    this.#setBot('kicked')
  }

  unblock(): void {
    this.#setBot('member')
  }

  deleteMessage(message: Message | number, where: Where = {}): void {
    const chat = this.#chat(typeof message === 'number' ? where : { chat: message.chat.id })
    const id = typeof message === 'number' ? message : message.message_id
    // The bot is not told: that is why a message can be gone under it.
    chat.messages = chat.messages.filter((one) => one.message_id !== id)
    this.#world.changed()
  }

  #setBot(status: MemberStatus): void {
    const chat = this.#chat({})
    const before = chat.members.get(this.#world.bot.id) ?? 'left'
    chat.members.set(this.#world.bot.id, status)
    this.#world.updates.push({
      my_chat_member: {
        chat: chat.info,
        from: this.user,
        date: this.#world.seconds(),
        old_chat_member: memberOf(this.#world.bot, before),
        new_chat_member: memberOf(this.#world.bot, status),
      },
    })
    this.#world.changed()
  }

  #sendFile(kind: FileKind, file: SentFile, group?: string): Message {
    const upload = { bytes: file.bytes as Uint8Array, name: file.name ?? '', mime: file.mime ?? '' }
    const stored = this.#world.files.add(kind, upload)
    const content: Partial<Message> = {
      ...fileContent(kind, stored, file),
      ...(file.caption !== undefined && { caption: file.caption, caption_entities: detectEntities(file.caption) }),
      ...(group && { media_group_id: group }),
    }
    return this.#send(content, file)
  }

  #send(content: Partial<Message>, where: Where, replyTo?: Message): Message {
    if (where.chat === undefined) this.#openChat()
    const chat = this.#chat(where)
    const status = chat.members.get(this.id)
    if (status !== 'member' && status !== 'administrator' && status !== 'creator')
      throw new Error(`${this.user.first_name} is not in this chat`)
    if (chat.info.type === 'private' && chat.members.get(this.#world.bot.id) === 'kicked')
      throw new Error(`${this.user.first_name} has blocked the bot`)
    const topicId =
      where.topic === 'new' ? this.createTopic(String(content.text ?? 'New chat').slice(0, 20), where) : where.topic
    const entities = content.text === undefined ? [] : detectEntities(content.text)
    if (where.isAnonymous && !this.#world.isAdministrator(chat, this.id))
      throw new Error(`${this.user.first_name} may not speak as the group`)
    const message = this.#world.addMessage(
      chat,
      where.isAnonymous ? anonymousAdministrator : this.user,
      { ...content, ...(where.isAnonymous && { sender_chat: chat.info }), ...(entities.length > 0 && { entities }) },
      { topic: this.#world.findTopic(chat, topicId), replyTo },
    )
    if (botHears(this.#world, chat, message)) this.#world.updates.push({ message: message as never })
    return structuredClone(message)
  }

  #chat({ chat }: Where): EmulatedChat {
    const id = chat === undefined ? this.id : typeof chat === 'number' ? chat : chat.id
    const known = this.#world.chats.get(id)
    if (!known)
      throw new Error(id === this.id ? `${this.user.first_name} never wrote to the bot` : `there is no chat ${id}`)
    return known
  }

  /** Writing to a bot for the first time is what opens the chat; before, the bot may not write either. */
  #openChat(): void {
    if (this.#world.chats.has(this.id)) return
    const { first_name, last_name, username } = this.user
    const info = {
      id: this.id,
      type: 'private' as const,
      first_name,
      ...(last_name && { last_name }),
      ...(username && { username }),
    }
    this.#world.chats.set(
      this.id,
      newChat(info, [
        [this.id, 'member'],
        [this.#world.bot.id, 'member'],
      ]),
    )
  }
}
