// What the way in and the way out of Slack share: who we are in each team, and with which token we speak there.
import type { WebClient } from '@slack/web-api'
import type { ChatPerson, ChatServices } from '../../../chat/chat-services.ts'
import type { Log } from '../../../log.ts'

export interface SlackConnection {
  chat: ChatServices
  log: Log
  /** Where Slack's API is, with a slash at its end. The token goes to this host and to Slack's own, nowhere else. */
  apiUrl: string
  /**
   * The client of a channel's team. It retries nothing and rejects rate-limited calls, so that whoever calls decides
   * what a refusal means. Throws a SlackUnconnected where we have no token for the team (any more).
   */
  clientFor(channelId: string): Promise<WebClient>
  /** The token of a channel's team, for what is fetched outside of the API's methods: private files. */
  tokenFor(channelId: string): Promise<string>
  /** The channel of a Slack team; opened when the team is met for the first time. Throws like clientFor. */
  channelOf(teamId: string): Promise<SlackTeam>
  teamOf(channelId: string): Promise<SlackTeam>
  /** Who a user is, as Slack says (kept for some minutes). `teamId` is the team that we are in, not the person's. */
  personOf(teamId: string, userId: string): Promise<ChatPerson>
  /**
   * An API call was refused with this error of Slack's. Where that says something about the connection (a revoked
   * token) or about the place (an archived channel, one that the bot was removed from), the console says so. Never
   * throws.
   */
  refused(channelId: string, error: string, place?: string): void
  /** Something that the person's Home tab shows has changed: it is published again, soon. Never throws. */
  homeChanged(teamId: string, userId: string): void
}

export interface SlackTeam {
  /** The id of the channel's row. */
  id: string
  workspaceId: string
  teamId: string
  teamName: string
  botUserId: string
  /** Of our own messages; null where Slack did not say. */
  botId: string | null
}

/** There is no token for this team: the app was never installed there, or was removed. */
export class SlackUnconnected extends Error {}
