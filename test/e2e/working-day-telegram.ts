// Telegram as the stage of a working day: topics of private chats, topics of a forum, and groups.
import type { Message } from 'grammy/types'
import type { Person, SeenMessage } from '../emulators/telegram/index.ts'
import type { TelegramSetup } from './telegram-setup.ts'
import { type Seen, type Stage, theBot } from './working-day.ts'

/** A message that shows the work in a group, and one that is opened before it is written (docs/decisions/0007). */
const isUnfinished = ({ isBot, text, keyboard }: SeenMessage) =>
  isBot && (/^(💬|ℹ️|❓).* …$/u.test(text) || keyboard.flat().some(({ label }) => label === '⏹ Stop'))

export function telegramStage({ telegram }: Pick<TelegramSetup, 'telegram'>, persons: readonly Person[]): Stage {
  const forum = telegram.group({ title: 'Forum', members: persons, isForum: true })
  const named = new Map(persons.map((person) => [person.user.first_name, person]))
  const personOf = (name: string) => named.get(name) as Person
  /** Without what Telegram itself says. */
  const messages = (chat: { id: number }, topic?: number) =>
    telegram.chat(chat, topic).messages.filter(({ kind }) => kind !== 'service')
  const greeted = new Set(
    persons.flatMap((person) =>
      telegram.world.chats.has(person.id) ? messages(person).map(({ id }) => `${person.id}:${id}`) : [],
    ),
  )
  const see = (message: SeenMessage): Seen => {
    const labels = new Map(message.keyboard.flat().map(({ label }) => [label.replace(/^\W+/u, ''), label]))
    return {
      from: message.isBot ? theBot : message.from,
      text: message.text,
      buttons: [...labels.keys()],
      click: async (person, button) =>
        personOf(person).click(labels.get(button) ?? button, { chat: message.message.chat.id, message: message.id }),
    }
  }
  function start(person: Person, text: string, number: number): { chat: { id: number }; first: Message } {
    if (number % 3 === 0) return { chat: person, first: person.say(text, { topic: 'new' }) }
    const isForum = number % 3 === 1
    const chat = isForum ? forum : telegram.group({ title: `Group ${number}`, members: persons })
    const topic = isForum ? { topic: forum.createTopic(`Topic ${number}`) } : {}
    return { chat, first: person.mention(text, { chat, ...topic }) }
  }
  return {
    people: [...named.keys()],
    begin(name, text, number) {
      const person = personOf(name)
      const { chat, first } = start(person, text, number)
      const topic = first.is_topic_message ? first.message_thread_id : undefined
      const here = () => messages(chat, topic)
      return {
        isDirect: chat === person,
        reply(other, words) {
          const last = here().findLast(({ isBot }) => isBot)?.message as Message
          if (chat === person) person.say(words, { topic })
          else personOf(other).reply(last, words)
        },
        seen: () =>
          here()
            .filter((message) => !isUnfinished(message))
            .map(see),
        unfinished: () => here().filter(isUnfinished).length,
      }
    },
    alone: (name) => {
      const person = personOf(name)
      return messages(person)
        .filter((message) => message.isBot && message.topic === undefined && !greeted.has(`${person.id}:${message.id}`))
        .filter((message) => !isUnfinished(message))
        .map(see)
    },
    notices: (name) =>
      telegram
        .notices(personOf(name))
        .map(({ text }) => text)
        .filter((text) => text !== undefined && text !== ''),
  }
}
