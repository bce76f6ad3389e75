// Where a conversation is on Slack: `C024BE91L:1725.001` is a thread, `dm:U123` a direct conversation that is opened
// when something is to be said in it.
import type { WebClient } from '@slack/web-api'

export interface SlackPlace {
  channel: string
  /** Null: not in a thread. */
  threadTs: string | null
}

export const directPrefix = 'dm:'

/** For Channel.directKey: `team:user` is how people are known. */
export const directKeyOf = (identityExternalId: string): string =>
  directPrefix + identityExternalId.slice(identityExternalId.lastIndexOf(':') + 1)

/** Null for a direct conversation by its user, and for what is no place. */
export function parseThreadKey(conversationKey: string): (SlackPlace & { threadTs: string }) | null {
  const split = conversationKey.indexOf(':')
  const [channel, threadTs] = [conversationKey.slice(0, split), conversationKey.slice(split + 1)]
  return split > 0 && /^[A-Z0-9]+$/.test(channel) && /^\d+\.\d+$/.test(threadTs) ? { channel, threadTs } : null
}

/** Null: there is no such place. */
export async function findPlace(client: WebClient, conversationKey: string): Promise<SlackPlace | null> {
  if (!conversationKey.startsWith(directPrefix)) return parseThreadKey(conversationKey)
  const { channel } = await client.conversations.open({ users: conversationKey.slice(directPrefix.length) })
  return channel?.id ? { channel: channel.id, threadTs: null } : null
}

/** What a sent message is known by: its ts alone would not say where it is. */
export const messageIdOf = ({ channel }: Pick<SlackPlace, 'channel'>, ts: string): string => `${channel}:${ts}`

export const parseMessageId = (externalId: string): { channel: string; ts: string } | null => {
  const place = parseThreadKey(externalId)
  return place && { channel: place.channel, ts: place.threadTs }
}
