// The key of a conversation names its chat and, where there is one, its topic: `-1001234` or `-1001234:17`.

export interface ChatPlace {
  chatId: number
  /** A forum's topic, or one of a private chat. */
  topicId?: number
}

export function conversationKeyOf({ chatId, topicId }: ChatPlace): string {
  return topicId === undefined ? String(chatId) : `${chatId}:${topicId}`
}

/** Null for a key that is none of ours. A conversation that /new has ended has a key with more behind it. */
export function parseConversationKey(key: string): ChatPlace | null {
  const match = /^(-?\d{1,16})(?::(\d{1,12}))?(?:#.*)?$/.exec(key)
  if (!match) return null
  const chatId = Number(match[1])
  return match[2] === undefined ? { chatId } : { chatId, topicId: Number(match[2]) }
}

/** Private chats have the id of their person; groups have negative ones. */
export const isPrivate = ({ chatId }: ChatPlace): boolean => chatId > 0

/** The fields of a request that say where it goes. */
export const target = ({ chatId, topicId }: ChatPlace) =>
  topicId === undefined ? { chat_id: chatId } : { chat_id: chatId, message_thread_id: topicId }
