import type { Message } from 'grammy/types'
import type { EmulatedChat, World } from './world.ts'

/**
 * Whether a message reaches the bot. In a group with privacy mode on it hears only what is meant for it: commands,
 * mentions, replies to what it said, and service messages; an administrator hears everything.
 */
export function botHears(world: World, chat: EmulatedChat, message: Message): boolean {
  const { bot } = world
  const status = chat.members.get(bot.id)
  if (status === undefined || status === 'left' || status === 'kicked') return false
  if (chat.info.type === 'private' || bot.can_read_all_group_messages || status === 'administrator') return true
  const said = message.text ?? message.caption
  if (said === undefined && !hasFile(message)) return true
  if (message.reply_to_message?.from?.id === bot.id) return true
  return (message.entities ?? message.caption_entities ?? []).some(({ type, offset, length }) => {
    const part = (said ?? '').slice(offset, offset + length).toLowerCase()
    const name = `@${bot.username.toLowerCase()}`
    if (type === 'mention') return part === name
    return type === 'bot_command' && (!part.includes('@') || part.endsWith(name))
  })
}

const hasFile = ({ photo, document, voice, audio, video }: Message) =>
  Boolean(photo ?? document ?? voice ?? audio ?? video)
