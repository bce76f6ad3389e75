import { WebClient } from '@slack/web-api'
import type { SlackEmulator } from './index.ts'
import { quietLogger } from './quiet-logger.ts'

/** Slack's own client, which neither tries again nor prints the refusals that tests are about. */
export function clientOf(slack: SlackEmulator, token = slack.botToken): WebClient {
  return new WebClient(token, {
    slackApiUrl: slack.apiUrl,
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: quietLogger,
  })
}

/** The answer to a call, a refusal too. */
export async function callSlack(
  client: WebClient,
  method: string,
  args: Record<string, unknown> = {},
): Promise<Record<string, unknown>> {
  try {
    return { ...(await client.apiCall(method, args)) }
  } catch (error) {
    const { data, retryAfter } = error as { data?: Record<string, unknown>; retryAfter?: number }
    if (data) return data
    if (retryAfter !== undefined) return { ok: false, error: 'ratelimited', retryAfter }
    throw error
  }
}
