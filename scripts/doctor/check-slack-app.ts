import { WebAPIPlatformError, WebClient } from '@slack/web-api'
import type { BotEnv } from '../../apps/bot/src/env.ts'
import { missingEvents, missingScopes } from '../../apps/bot/src/health/slack-scopes.ts'
import { type Check, ok, problem, warning } from './check.ts'

const name = 'Slack app'

/**
 * What the Slack app itself is set up for, compared with what the bot needs. A bot's token tells its scopes (the line
 * "Slack") but not of what Slack tells the bot; that takes a token for app configuration, which lives for 12 hours and
 * so is given for one look only.
 */
export async function checkSlackApp(slack: BotEnv['slack'], configToken: string | undefined): Promise<Check[]> {
  if (!slack) return []
  if (!configToken)
    return [ok(name, 'Its events were not compared: that takes SLACK_CONFIG_TOKEN for one run (docs/slack.md).')]
  const client = (token: string) =>
    new WebClient(token, { slackApiUrl: slack.apiUrl, retryConfig: { retries: 0 }, timeout: 10_000 })
  try {
    const appId = appIdOf(slack.appToken) ?? (slack.botToken && (await askForAppId(client(slack.botToken))))
    if (!appId) return [warning(name, 'Its id cannot be found out.', 'Set SLACK_APP_TOKEN or SLACK_BOT_TOKEN.')]
    const { manifest } = await client(configToken).apps.manifest.export({ app_id: appId })
    // The library's type of the answer is older than what it is asked for.
    const { settings, oauth_config } = (manifest ?? {}) as {
      settings?: { event_subscriptions?: { bot_events?: string[] } }
      oauth_config?: { scopes?: { bot?: string[] } }
    }
    const events = missingEvents(settings?.event_subscriptions?.bot_events ?? [])
    const scopes = missingScopes(oauth_config?.scopes?.bot ?? [])
    if (!events.length && !scopes.length) return [ok(name, 'It asks for every scope and event that the bot needs.')]
    const lacks = [
      ...(events.length ? [`events: ${events.join(', ')}`] : []),
      ...(scopes.length ? [`scopes: ${scopes.join(', ')}`] : []),
    ]
    return [
      warning(
        name,
        `It lacks ${lacks.join('; ')}.`,
        'Paste what "npm run slack:manifest" prints under "App Manifest" of the Slack app, and install it again.',
      ),
    ]
  } catch (error) {
    const reason = error instanceof WebAPIPlatformError ? error.data.error : 'Slack cannot be reached'
    return [
      problem(
        name,
        `Its manifest cannot be read (${reason}).`,
        'Make a new token under "Your App Configuration Tokens".',
      ),
    ]
  }
}

/** App-level tokens say whose they are: xapp-1-A012AB-… */
const appIdOf = (appToken: string | undefined) => /^xapp-\d+-(A[A-Z0-9]+)-/.exec(appToken ?? '')?.[1]

async function askForAppId(client: WebClient): Promise<string | undefined> {
  const { bot_id } = await client.auth.test()
  if (!bot_id) return undefined
  return (await client.bots.info({ bot: bot_id })).bot?.app_id
}
