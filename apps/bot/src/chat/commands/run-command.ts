import { admit } from '@quartermaster/db'
import type { ChatCommand, CommandReply } from '../chat-services.ts'
import type { ChatParts } from '../create-chat-services.ts'
import { describeStranger } from '../describe-stranger.ts'
import { readChatChannel } from '../read-chat-channel.ts'
import { agentCommand } from './agent.ts'
import type { Command } from './command.ts'
import { createHelp } from './help.ts'
import { linkCommand, redeem } from './link.ts'
import { newCommand } from './new.ts'
import { statusCommand } from './status.ts'
import { stopCommand } from './stop.ts'
import { toolsCommand } from './tools.ts'

const commands = new Map<string, Command>([
  ['agent', agentCommand],
  ['tools', toolsCommand],
  ['status', statusCommand],
  ['stop', stopCommand],
  ['new', newCommand],
  ['link', linkCommand],
])
const help = createHelp(commands)
commands.set('help', help)

/** Anything that is no command is answered with the help. */
export async function runCommand(parts: ChatParts, command: ChatCommand): Promise<CommandReply> {
  const { db } = parts
  const argument = command.argument.trim()
  const name = command.name.trim().toLowerCase()
  // Before anybody is admitted: it is how strangers are let in, and nobody should become a member of their own first.
  if (name === 'link' && argument) return redeem(db, { ...command, argument })
  const who = await admit(db, command)
  if ('stranger' in who) return { markdown: await describeStranger(db, command.channelId) }
  const { kind: channelKind } = await readChatChannel(db, command.channelId)
  return (commands.get(name) ?? help).run(parts, { ...command, name, argument, ...who, channelKind })
}
