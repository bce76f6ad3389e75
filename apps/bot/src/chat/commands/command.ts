// A command that people give in the chat. One file each; run-command.ts has the list.
import type { ChannelKind, Role } from '@quartermaster/db'
import type { ChatCommand, CommandReply } from '../chat-services.ts'
import type { ChatParts } from '../create-chat-services.ts'

export interface GivenCommand extends ChatCommand {
  memberId: string
  role: Role
  workspaceId: string
  channelKind: ChannelKind
}

export interface Command {
  /** What it does, for /help. */
  about: string
  run(parts: ChatParts, given: GivenCommand): Promise<CommandReply>
}
