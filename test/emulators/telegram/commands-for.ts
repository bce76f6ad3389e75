import type { BotCommand, User } from 'grammy/types'
import type { CommandList, EmulatedChat, World } from './world.ts'

/** The commands that Telegram offers to this person in this chat: the narrowest list that was set. */
export function commandsFor(world: World, chat: EmulatedChat, user: User): BotCommand[] {
  const here = chat.info.id
  const isAdministrator = world.isAdministrator(chat, user.id)
  const scopes: CommandList['scope'][] =
    chat.info.type === 'private'
      ? [{ type: 'chat', chat_id: here }, { type: 'all_private_chats' }]
      : [
          { type: 'chat_member', chat_id: here, user_id: user.id },
          ...(isAdministrator ? [{ type: 'chat_administrators', chat_id: here }] : []),
          { type: 'chat', chat_id: here },
          ...(isAdministrator ? [{ type: 'all_chat_administrators' }] : []),
          { type: 'all_group_chats' },
        ]
  for (const scope of [...scopes, { type: 'default' }])
    for (const language of [user.language_code, '']) {
      const list = world.commands.find(
        (one) =>
          one.language === language &&
          one.scope.type === scope.type &&
          one.scope.chat_id === scope.chat_id &&
          one.scope.user_id === scope.user_id,
      )
      if (list) return list.commands
    }
  return []
}
