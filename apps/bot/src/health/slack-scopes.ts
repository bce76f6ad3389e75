/**
 * What the bot's token must be allowed to do in Slack. A missing one makes a part of the conversation fail later, so
 * it is told at the start. The app manifest asks for the same ones.
 */
export const slackScopes = [
  'app_mentions:read',
  'channels:history',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'im:history',
  'im:write',
  'mpim:history',
  'users:read',
  'users:read.email',
] as const

export const missingScopes = (granted: readonly string[]): string[] =>
  slackScopes.filter((scope) => !granted.includes(scope))
