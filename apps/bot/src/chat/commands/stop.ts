import { stopConversation } from '../stop-conversation.ts'
import type { Command } from './command.ts'

export const stopCommand: Command = {
  about: 'ends what I am doing here.',
  async run({ db }, given) {
    const { conversationKey } = given
    if (conversationKey === null)
      return { markdown: 'I cannot tell which thread you mean. Press Stop in the thread itself.' }
    const stopped = await stopConversation(db, { ...given, conversationKey })
    return { markdown: stopped ? 'Stopping.' : 'There is nothing here that you could stop.' }
  },
}
