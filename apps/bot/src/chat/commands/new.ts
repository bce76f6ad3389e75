import { startAnew } from '@quartermaster/db'
import { stopConversation } from '../stop-conversation.ts'
import type { Command } from './command.ts'

export const newCommand: Command = {
  about: 'begins a new conversation: I forget what was said here before.',
  async run({ db }, given) {
    const { conversationKey } = given
    if (conversationKey === null || given.channelKind === 'slack')
      return { markdown: 'Every thread is a conversation of its own. Write a new message, outside of this thread.' }
    // What goes on here would speak into the new conversation.
    await stopConversation(db, { ...given, conversationKey })
    const left = await startAnew(db, { channelId: given.channelId, conversationKey })
    return {
      markdown: left
        ? 'Your next message begins a new conversation. The one before is kept in the console.'
        : 'This is a new conversation already.',
    }
  },
}
