import type { Database } from '@quartermaster/db'
import { commandText } from './commands/command-text.ts'
import { readChatChannel } from './read-chat-channel.ts'

/** For somebody who may not talk to the bot: what they can do about it. */
export async function describeStranger(db: Database, channelId: string): Promise<string> {
  const { kind } = await readChatChannel(db, channelId)
  return `I only work for members of this workspace, and I do not know you here. If you are one, get a link code in the console or in a chat where I know you, and send me \`${commandText(kind, 'link')} CODE\`. Otherwise ask an admin to add you.`
}
