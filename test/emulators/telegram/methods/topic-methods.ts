import type { ForumTopic } from 'grammy/types'
import { countCharacters, limits } from '../limits.ts'
import { chatId, integer, type Method, method, text } from '../method.ts'
import { badRequest } from '../refusal.ts'
import type { EmulatedChat, Topic, World } from '../world.ts'

const colors = [0x6fb9f0, 0xffd67e, 0xcb86db, 0x8eee98, 0xff93b2, 0xfb6f5f]
const target = { chat_id: chatId, message_thread_id: integer }

/** Topics of forums, and of private chats where the bot has them switched on. */
export const topicMethods: Method[] = [
  method(
    'createForumTopic',
    { chat_id: chatId, name: text, icon_color: integer.optional(), icon_custom_emoji_id: text.optional() },
    (fields, { world }): ForumTopic => {
      const chat = openForum(world, fields.chat_id)
      if (fields.icon_color !== undefined && !colors.includes(fields.icon_color))
        throw badRequest('TOPIC_ICON_COLOR_INVALID')
      const topic = createTopic(world, chat, checkName(fields.name), world.bot.id, fields.icon_color)
      return { message_thread_id: topic.id, name: topic.name, icon_color: topic.iconColor }
    },
  ),
  method(
    'editForumTopic',
    { ...target, name: text.optional(), icon_custom_emoji_id: text.optional() },
    (fields, { world }) => {
      const { chat, topic } = findIn(world, fields)
      const name = fields.name ? checkName(fields.name) : topic.name
      if (name === topic.name && fields.icon_custom_emoji_id === undefined) throw badRequest('TOPIC_NOT_MODIFIED')
      topic.name = name
      world.addMessage(chat, world.bot, { forum_topic_edited: { name } }, { topic })
      return true
    },
  ),
  method('closeForumTopic', target, (fields, { world }) => setClosed(world, fields, true)),
  method('reopenForumTopic', target, (fields, { world }) => setClosed(world, fields, false)),
  method('deleteForumTopic', target, (fields, { world }) => {
    const { chat, topic } = findIn(world, fields)
    chat.topics.delete(topic.id)
    chat.messages = chat.messages.filter(({ message_thread_id: id }) => id !== topic.id)
    world.changed()
    return true
  }),
  method('getForumTopicIconStickers', {}, () => []),
]

/** A topic is named by the message that created it. */
export function createTopic(
  world: World,
  chat: EmulatedChat,
  name: string,
  createdBy: number,
  color = colors[0] as number,
): Topic {
  const creator = createdBy === world.bot.id ? world.bot : world.users.get(createdBy)
  const message = world.addMessage(chat, creator ?? world.bot, { forum_topic_created: { name, icon_color: color } })
  const topic: Topic = { id: message.message_id, name, iconColor: color, isClosed: false, createdBy }
  Object.assign(message, { message_thread_id: topic.id, is_topic_message: true })
  chat.topics.set(topic.id, topic)
  world.changed()
  return topic
}

function openForum(world: World, id: number | string): EmulatedChat {
  const chat = world.openChat(id)
  if (!(chat.info.type === 'private' ? world.bot.has_topics_enabled : chat.info.is_forum))
    throw badRequest('the chat is not a forum')
  if (chat.info.type !== 'private' && !world.isAdministrator(chat, world.bot.id))
    throw badRequest('not enough rights to create a topic')
  return chat
}

function findIn(world: World, fields: { chat_id: number | string; message_thread_id: number }) {
  const chat = world.openChat(fields.chat_id)
  const topic = world.findTopic(chat, fields.message_thread_id) as Topic
  const isOwn = chat.info.type === 'private' || topic.createdBy === world.bot.id
  if (!isOwn && !world.isAdministrator(chat, world.bot.id)) throw badRequest('not enough rights to manage topics')
  return { chat, topic }
}

function setClosed(
  world: World,
  fields: { chat_id: number | string; message_thread_id: number },
  isClosed: boolean,
): true {
  const { topic } = findIn(world, fields)
  if (topic.isClosed === isClosed) throw badRequest('TOPIC_NOT_MODIFIED')
  topic.isClosed = isClosed
  world.changed()
  return true
}

function checkName(name: string): string {
  const trimmed = name.trim()
  if (!trimmed) throw badRequest('TOPIC_TITLE_EMPTY')
  if (countCharacters(trimmed) > limits.topicNameCharacters) throw badRequest('TOPIC_TITLE_INVALID')
  return trimmed
}
