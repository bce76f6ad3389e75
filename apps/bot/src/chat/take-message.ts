import { admit, receiveEvent, takeEvent } from '@quartermaster/db'
import type { ChatMessage, TakenMessage } from './chat-services.ts'
import { parseSlashCommand } from './commands/parse-slash-command.ts'
import { runCommand } from './commands/run-command.ts'
import type { ChatParts } from './create-chat-services.ts'
import { describeStranger } from './describe-stranger.ts'
import { messageContent } from './message-content.ts'

/** How long the name of a conversation is that is made of its first words, in characters. */
const titleLength = 80

/** Stores it, or runs the command that it is: whatever comes back, the platform may be answered. */
export async function takeMessage(parts: ChatParts, message: ChatMessage): Promise<TakenMessage> {
  const command = message.slashCommands ? parseSlashCommand(message.text) : null
  if (command) {
    // Taken before it is run: of the same event at the same moment, one runs it.
    const event = { channelId: message.channelId, eventId: message.eventId, kind: 'command' }
    const done = await takeEvent(parts.db, event, () => runCommand(parts, { ...message, ...command }))
    return done ? { outcome: 'command', reply: done.result } : { outcome: 'duplicate' }
  }
  const who = await admit(parts.db, message)
  if ('stranger' in who) {
    const sentence = who.tell ? await describeStranger(parts.db, message.channelId) : null
    return { outcome: 'refused', sentence }
  }
  const content = messageContent(message.text, message.references)
  if (!content.length) return { outcome: 'refused', sentence: 'There was nothing in that message that I can read.' }
  const received = await receiveEvent(parts.db, {
    channelId: message.channelId,
    eventId: message.eventId,
    place: message.place,
    conversationKey: message.conversationKey,
    memberId: who.memberId,
    content,
    messageId: message.messageId,
    title: titleOf(message),
  })
  switch (received.outcome) {
    case 'received': {
      const { runId, conversationId, runCreated } = received
      return { outcome: 'received', runId, conversationId, runCreated }
    }
    case 'answered':
      return { outcome: 'answered', questionId: received.questionId }
    case 'duplicate':
      return { outcome: 'duplicate' }
    case 'no-agent':
      return {
        outcome: 'refused',
        sentence:
          'No agent answers here: the one that did was archived, or nobody chose one. Choose one with the command `agent`.',
      }
  }
}

function titleOf({ text, references }: ChatMessage): string {
  const words = text.replace(/\s+/g, ' ').trim()
  if (words.length > titleLength) return `${words.slice(0, titleLength - 1).trimEnd()}…`
  return (
    words ||
    references
      .flatMap((one) => (one.kind === 'file' ? [one.name] : []))
      .join(', ')
      .slice(0, titleLength)
  )
}
