import { App, AuthorizationError } from '@slack/bolt'
import { type SlackConnection, SlackUnconnected } from './slack-connection.ts'
import { slackLog } from './slack-log.ts'
import type { SlackReceiver } from './slack-receiver.ts'

/** Bolt, on our receiver. What a listener throws goes to the receiver, which then does not acknowledge. */
export function createApp(slack: SlackConnection, receiver: SlackReceiver): App {
  const app = new App({
    receiver,
    // Our own messages are told apart from others' where messages are read.
    ignoreSelf: false,
    convoStore: false,
    logger: slackLog(slack.log),
    clientOptions: { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 }, rejectRateLimitedCalls: true },
    async authorize({ teamId }) {
      if (!teamId) throw new SlackUnconnected('The app is installed in a whole organization, which is not supported.')
      const team = await slack.channelOf(teamId)
      return { teamId, botUserId: team.botUserId, ...(team.botId ? { botId: team.botId } : {}) }
    },
  })
  app.error(async (error) => {
    // Of a team that we are not in (any more) nothing is ever taken: Slack need not send it again.
    if (error instanceof AuthorizationError && error.original instanceof SlackUnconnected) return
    throw error
  })
  return app
}
