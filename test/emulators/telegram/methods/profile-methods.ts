import { z } from 'zod'
import { countCharacters, limits } from '../limits.ts'
import { chatId, flag, integer, json, type Method, method, text } from '../method.ts'
import { badRequest } from '../refusal.ts'
import type { CommandList, World } from '../world.ts'

const scope = json(
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('default') }),
    z.strictObject({ type: z.literal('all_private_chats') }),
    z.strictObject({ type: z.literal('all_group_chats') }),
    z.strictObject({ type: z.literal('all_chat_administrators') }),
    z.strictObject({ type: z.literal('chat'), chat_id: chatId }),
    z.strictObject({ type: z.literal('chat_administrators'), chat_id: chatId }),
    z.strictObject({ type: z.literal('chat_member'), chat_id: chatId, user_id: integer }),
  ]),
).optional()
const language = text.optional()
const command = z.strictObject({ command: z.string(), description: z.string(), is_ephemeral: flag.optional() })

/** How the bot presents itself: name, description, commands. */
export const profileMethods: Method[] = [
  method('getMe', {}, (_, { world }) => world.bot),
  method('logOut', {}, () => true),
  method('close', {}, () => true),
  method(
    'setMyCommands',
    { commands: json(z.array(command)), scope, language_code: language },
    ({ commands, scope: where = { type: 'default' }, language_code = '' }, { world }) => {
      if (commands.length > limits.commands) throw badRequest('too many commands specified')
      for (const one of commands) {
        if (!/^[a-z0-9_]{1,32}$/.test(one.command)) throw badRequest('BOT_COMMAND_INVALID')
        const length = countCharacters(one.description.trim())
        if (length < 1 || length > limits.commandDescriptionCharacters)
          throw badRequest('BOT_COMMAND_DESCRIPTION_INVALID')
      }
      if ('chat_id' in where) world.openChat(where.chat_id)
      removeCommands(world, where, language_code)
      if (commands.length) world.commands.push({ scope: where, language: language_code, commands })
      world.changed()
      return true
    },
  ),
  method('deleteMyCommands', { scope, language_code: language }, (fields, { world }) => {
    removeCommands(world, fields.scope ?? { type: 'default' }, fields.language_code ?? '')
    world.changed()
    return true
  }),
  method('getMyCommands', { scope, language_code: language }, (fields, { world }) =>
    commandsOf(world, fields.scope ?? { type: 'default' }, fields.language_code ?? ''),
  ),
  method('setMyName', { name: language, language_code: language }, ({ name = '' }, { world }) =>
    setProfile(world, 'name', name, 64),
  ),
  method('getMyName', { language_code: language }, (_, { world }) => ({
    name: world.profile.name || world.bot.first_name,
  })),
  method('setMyDescription', { description: language, language_code: language }, ({ description = '' }, { world }) =>
    setProfile(world, 'description', description, 512),
  ),
  method('getMyDescription', { language_code: language }, (_, { world }) => ({
    description: world.profile.description ?? '',
  })),
  method('setMyShortDescription', { short_description: language, language_code: language }, (fields, { world }) =>
    setProfile(world, 'short_description', fields.short_description ?? '', 120),
  ),
  method('getMyShortDescription', { language_code: language }, (_, { world }) => ({
    short_description: world.profile.short_description ?? '',
  })),
  method(
    'setChatMenuButton',
    {
      chat_id: integer.optional(),
      menu_button: json(z.looseObject({ type: z.enum(['commands', 'web_app', 'default']) })).optional(),
    },
    ({ chat_id }, { world }) => {
      if (chat_id !== undefined) world.openChat(chat_id)
      return true
    },
  ),
]

const isSame = (one: CommandList['scope'], other: CommandList['scope']) =>
  one.type === other.type && one.chat_id === other.chat_id && one.user_id === other.user_id

function removeCommands(world: World, where: CommandList['scope'], spoken: string): void {
  world.commands = world.commands.filter((list) => !isSame(list.scope, where) || list.language !== spoken)
}

export function commandsOf(world: World, where: CommandList['scope'], spoken = ''): CommandList['commands'] {
  return world.commands.find((list) => isSame(list.scope, where) && list.language === spoken)?.commands ?? []
}

function setProfile(world: World, field: string, value: string, most: number): true {
  if (countCharacters(value) > most) throw badRequest(`${field.replace('_', ' ')} is too long`)
  world.profile[field] = value
  return true
}
