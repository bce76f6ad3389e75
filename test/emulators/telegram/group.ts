import type { Chat, Message } from 'grammy/types'
import { memberOf } from './methods/chat-methods.ts'
import { createTopic } from './methods/topic-methods.ts'
import type { Person } from './person.ts'
import { type EmulatedChat, type MemberStatus, newChat, type World } from './world.ts'

export interface GroupOptions {
  title: string
  /** The first is the owner. */
  members: readonly Person[]
  type?: 'group' | 'supergroup'
  /** A supergroup with topics. */
  isForum?: boolean
  username?: string
  /** The bot's standing at the start: "left" when it was never added. */
  bot?: MemberStatus
}

/** A group of people with or without the bot. */
export class Group {
  readonly #world: World
  readonly #owner: Person
  #chat: EmulatedChat

  constructor(world: World, options: GroupOptions) {
    const owner = options.members[0]
    if (!owner) throw new Error('a group has an owner')
    this.#world = world
    this.#owner = owner
    const type = options.isForum ? 'supergroup' : (options.type ?? 'supergroup')
    const number = 1_000_000_001 + world.chats.size
    const info = {
      id: type === 'supergroup' ? -1_000_000_000_000 - number : -number,
      type,
      title: options.title,
      ...(options.isForum && { is_forum: true }),
      ...(options.username && { username: options.username }),
    } as Chat.GroupChat | Chat.SupergroupChat
    this.#chat = newChat(info, [
      ...options.members.map(({ id }, index) => [id, index === 0 ? 'creator' : 'member'] as [number, MemberStatus]),
      [world.bot.id, options.bot ?? 'member'],
    ])
    world.chats.set(info.id, this.#chat)
  }

  get id(): number {
    return this.#chat.info.id
  }

  addBot(by: Person = this.#owner): void {
    this.#setBot('member', by)
    this.#tell(by, { new_chat_members: [this.#world.bot] })
  }

  kickBot(by: Person = this.#owner): void {
    this.#setBot('kicked', by)
  }

  promoteBot(by: Person = this.#owner): void {
    this.#setBot('administrator', by)
  }

  add(person: Person): void {
    this.#chat.members.set(person.id, 'member')
    this.#tell(person, { new_chat_members: [person.user] })
  }

  remove(person: Person): void {
    this.#chat.members.set(person.id, 'left')
    this.#tell(person, { left_chat_member: person.user })
  }

  promote(person: Person): void {
    this.#chat.members.set(person.id, 'administrator')
  }

  createTopic(name: string, by: Person = this.#owner): number {
    return createTopic(this.#world, this.#chat, name, by.id).id
  }

  /** A group that becomes a supergroup has another id from then on; the old one answers with the new. */
  upgrade(): number {
    const { info, ...rest } = this.#chat
    const id = -1_000_000_000_000 + info.id
    const upgraded: EmulatedChat = {
      ...rest,
      info: { id, type: 'supergroup', title: String(info.title) } as Chat.SupergroupChat,
      messages: [],
    }
    this.#world.chats.set(id, upgraded)
    this.#tell(this.#owner, { migrate_to_chat_id: id })
    this.#chat.upgradedTo = id
    const old = info.id
    this.#chat = upgraded
    this.#tell(this.#owner, { migrate_from_chat_id: old })
    return id
  }

  #tell(from: Person, content: Partial<Message>): void {
    const message = this.#world.addMessage(this.#chat, from.user, content)
    const status = this.#chat.members.get(this.#world.bot.id)
    if (status !== 'left' && status !== 'kicked') this.#world.updates.push({ message: message as never })
  }

  #setBot(status: MemberStatus, by: Person): void {
    const { bot } = this.#world
    const before = this.#chat.members.get(bot.id) ?? 'left'
    this.#chat.members.set(bot.id, status)
    this.#world.updates.push({
      my_chat_member: {
        chat: this.#chat.info,
        from: by.user,
        date: this.#world.seconds(),
        old_chat_member: memberOf(bot, before),
        new_chat_member: memberOf(bot, status),
      },
    })
    this.#world.changed()
  }
}
