import type { UsersInfoResponse } from '@slack/web-api'
import type { ChatPerson } from '../../../chat/chat-services.ts'

/**
 * A member of our team in good standing, or a guest: somebody of another team (a shared channel), somebody who was
 * invited into single channels only, a bot, or somebody whose account has ended.
 */
export function toPerson(teamId: string, userId: string, user: UsersInfoResponse['user']): ChatPerson {
  const name = [user?.profile?.display_name, user?.real_name, user?.profile?.real_name, user?.name]
    .map((one) => one?.trim())
    .find(Boolean)
  // In an Enterprise Grid an account belongs to the organization, and says to which of its teams it was let in.
  const ofOurTeam = user?.team_id === teamId || (user?.enterprise_user?.teams ?? []).includes(teamId)
  const isGuest =
    !ofOurTeam ||
    Boolean(user?.is_restricted || user?.is_ultra_restricted || user?.is_stranger || user?.is_bot || user?.deleted)
  return { externalId: `${teamId}:${userId}`, name: name ?? userId, ...(isGuest ? { isGuest } : {}) }
}
