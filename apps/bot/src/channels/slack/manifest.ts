// The Slack app as Slack wants it described: paste it, or open the link, and the app is made with everything set.
import type { AppsManifestCreateArguments } from '@slack/web-api'
import { slackEvents, slackScopes } from '../../health/slack-scopes.ts'
import { callbackPath } from './connect/install-link.ts'
import { requestPath } from './connect/mount-requests.ts'
import { askShortcut } from './receive/ask-about-message.ts'
import { slashCommand } from './receive/run-slash-command.ts'
import { suggestedPrompts } from './receive/suggest-prompts.ts'

export type SlackManifest = Extract<AppsManifestCreateArguments['manifest'], object>

export interface ManifestOptions {
  name?: string
  /** Where the bot's gateway is reached over HTTPS. Without it: Socket Mode, which needs no address. */
  gatewayUrl?: string
}

export function createManifest({ name = 'Quartermaster', gatewayUrl }: ManifestOptions = {}): SlackManifest {
  const gateway = gatewayUrl?.replace(/\/+$/, '')
  const request = gateway && `${gateway}${requestPath}`
  return {
    display_information: {
      name,
      description: 'Does real work in your threads, and asks before it does what somebody must decide.',
      background_color: '#1d2b3a',
    },
    features: {
      agent_view: {
        agent_description:
          'Ask for work. Every tool call is checked, asked about where a person must decide, and recorded.',
        suggested_prompts: suggestedPrompts,
      },
      app_home: { home_tab_enabled: true, messages_tab_enabled: true, messages_tab_read_only_enabled: false },
      bot_user: { display_name: name.toLowerCase().replace(/[^a-z0-9._-]+/g, '-'), always_online: true },
      shortcuts: [
        {
          type: 'message',
          name: 'Ask Quartermaster about this',
          callback_id: askShortcut,
          description: 'The answer comes to you alone, as a direct message.',
        },
      ],
      slash_commands: [
        {
          command: slashCommand,
          description: 'Who answers here, what it may do, how it stands',
          usage_hint: 'agent | tools | status | stop | new | link | help',
          should_escape: false,
          ...(request ? { url: request } : {}),
        },
      ],
    },
    oauth_config: {
      ...(gateway ? { redirect_urls: [`${gateway}${callbackPath}`] } : {}),
      scopes: { bot: [...slackScopes] },
    },
    settings: {
      event_subscriptions: { bot_events: [...slackEvents], ...(request ? { request_url: request } : {}) },
      interactivity: { is_enabled: true, ...(request ? { request_url: request } : {}) },
      org_deploy_enabled: false,
      socket_mode_enabled: !gateway,
      token_rotation_enabled: false,
    },
  } as SlackManifest
}

/** Opens Slack's page for a new app with everything filled in. */
export const manifestLink = (manifest: SlackManifest): string =>
  `https://api.slack.com/apps?new_app=1&manifest_json=${encodeURIComponent(JSON.stringify(manifest))}`
