import type { PartHealth } from '@quartermaster/db'
import { LogLevel, WebAPIPlatformError, WebAPIRateLimitedError, WebClient } from '@slack/web-api'
import { deadToken } from '../channels/slack/connect/dead-token.ts'
import type { BotEnv } from '../env.ts'
import { missingScopes } from './slack-scopes.ts'

/** Whether Slack knows the token, and whether the token may do what the bot needs. */
export async function probeSlack(slack: BotEnv['slack'], signal: AbortSignal): Promise<PartHealth> {
  if (!slack)
    return { state: 'off', detail: 'Slack is not connected.', next: 'Set SLACK_BOT_TOKEN and SLACK_APP_TOKEN' }
  if (!slack.botToken) return { state: 'ok', detail: 'Slack teams install the app themselves (OAuth).', next: null }
  const client = new WebClient(slack.botToken, {
    slackApiUrl: slack.apiUrl,
    // One question and one answer: the next look is soon enough, and its own log would bypass ours.
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    logger: silent,
    fetch: (url, init) => fetch(url, { ...init, signal }),
  })
  try {
    const answer = await client.auth.test()
    const missing = missingScopes(answer.response_metadata?.scopes ?? [])
    const who = `Slack answers as ${answer.user ?? 'the bot'} in ${answer.team ?? 'its workspace'}`
    if (!missing.length) return { state: 'ok', detail: `${who}.`, next: null }
    return {
      state: 'warning',
      detail: `${who}, but the token lacks ${missing.length === 1 ? 'a scope' : 'scopes'}: ${missing.join(', ')}.`,
      next: 'Add them under "OAuth & Permissions" of the Slack app and install it again',
    }
  } catch (error) {
    return explain(error)
  }
}

function explain(error: unknown): PartHealth {
  const reason = error instanceof WebAPIPlatformError ? error.data.error : ''
  if (deadToken.has(reason))
    return {
      state: 'problem',
      detail: `Slack refuses the token (${reason}).`,
      next: 'Copy the bot token of the Slack app into SLACK_BOT_TOKEN again',
    }
  if (error instanceof WebAPIRateLimitedError)
    return { state: 'warning', detail: 'Slack asks us to slow down (rate limit).', next: null }
  return {
    state: 'problem',
    detail: reason ? `Slack answered with an error (${reason}).` : 'Slack cannot be reached.',
    next: 'Check the network (and SLACK_API_URL if it is set)',
  }
}

const silent = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
}
