import { createLinkCode, type Database, redeemLinkCode } from '@quartermaster/db'
import type { ChatCommand, CommandReply } from '../chat-services.ts'
import { readChatChannel } from '../read-chat-channel.ts'
import type { Command } from './command.ts'
import { commandText } from './command-text.ts'

/** With a code it is redeemed before anybody asks who this is (run-command.ts). */
export const linkCommand: Command = {
  about:
    'joins your accounts: get a code here and send it to me on the other platform, or send me one that you got there.',
  async run({ db }, given) {
    // Whoever reads the code is this member.
    if (!given.isDirect) return { markdown: 'Ask me for a code in a direct chat, where nobody else reads it.' }
    const { code, expiresAt } = await createLinkCode(db, given)
    const minutes = Math.max(1, Math.round((expiresAt.getTime() - Date.now()) / 60_000))
    return {
      markdown: `Your code is \`${code}\`. Within ${minutes} minutes send \`${commandText('telegram', 'link')} ${code}\` to me on Telegram, or \`${commandText('slack', 'link')} ${code}\` on Slack. Give it to nobody: whoever sends it is taken for you.`,
    }
  },
}

export async function redeem(db: Database, { channelId, person, argument }: ChatCommand): Promise<CommandReply> {
  const linked = await redeemLinkCode(db, { code: argument, channelId, person })
  if (linked.ok) return { markdown: `Welcome, ${linked.name}. I know you here from now on.` }
  switch (linked.reason) {
    case 'wrong': {
      const { kind } = await readChatChannel(db, channelId)
      return {
        markdown: `That code does not hold (any more). A code is good for ten minutes and for one use; get a new one with \`${commandText(kind, 'link')}\` where I know you, or in the console.`,
      }
    }
    case 'too-many':
      return { markdown: `That were too many codes. Try again in ${Math.ceil(linked.secondsLeft / 60)} minutes.` }
    case 'last-owner':
      return {
        markdown: 'You are the last owner of the workspace under this account. Make somebody else an owner first.',
      }
  }
}
