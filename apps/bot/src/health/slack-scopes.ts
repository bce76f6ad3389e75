/**
 * What the bot's token must be allowed to do in Slack. A missing one makes a part of the conversation fail later, so
 * it is told at the start. The app manifest asks for the same ones.
 */
export const slackScopes = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:write',
  'mpim:history',
  'users:read',
] as const

/** What Slack must tell the bot of. Tokens do not say it; the manifest of the app does. */
export const slackEvents = [
  'agent_session_stopped',
  'app_home_opened',
  'app_mention',
  'app_uninstalled',
  'channel_archive',
  'channel_left',
  'channel_unarchive',
  'group_archive',
  'group_left',
  'group_unarchive',
  'member_joined_channel',
  'message.channels',
  'message.groups',
  'message.im',
  'message.mpim',
  'tokens_revoked',
] as const

export const missingScopes = (granted: readonly string[]): string[] =>
  slackScopes.filter((scope) => !granted.includes(scope))

export const missingEvents = (subscribed: readonly string[]): string[] =>
  slackEvents.filter((event) => !subscribed.includes(event))
