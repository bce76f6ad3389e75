import type { RunContext } from '@quartermaster/db'
import { directPrefix } from './slack/deliver/slack-place.ts'
import { isPrivate, parseConversationKey } from './telegram/conversation-key.ts'

/**
 * Whether more than one person can speak there. It follows from what kind of place it is, and so is the same for every
 * message of it, at any time and in any process, whether that one is connected to the platform or not.
 */
export function isSharedPlace({ channelKind, conversationKey }: RunContext['place']): boolean {
  if (channelKind === 'web') return false
  // Slack's ids of direct messages begin with D.
  if (channelKind === 'slack') return !conversationKey.startsWith('D') && !conversationKey.startsWith(directPrefix)
  const place = parseConversationKey(conversationKey)
  return !place || !isPrivate(place)
}
