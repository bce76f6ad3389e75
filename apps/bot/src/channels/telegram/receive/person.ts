import type { User } from '@grammyjs/types'
import type { ChatPerson } from '../../../chat/chat-services.ts'

/** As Telegram vouches for them. */
export const personOf = ({ id, first_name, last_name, username }: User): ChatPerson & { username?: string } => ({
  externalId: String(id),
  name: [first_name, last_name].filter(Boolean).join(' ').trim() || username || String(id),
  ...(username ? { username } : {}),
})
