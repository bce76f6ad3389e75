/** The app as it is configured at Slack, and how this Slack behaves. */
export interface SlackEmulatorOptions {
  /** What the bot may do in teams that have installed the app; by default everything that the emulator knows. */
  scopes?: readonly string[]
  /** The events the app is subscribed to; by default every one that the emulator sends. */
  events?: readonly string[]
  /** Slack's own rate limits, none of them (the default), or other figures. */
  rates?: 'off' | 'slack' | RateFigures
  /** How long an app may take to acknowledge; Slack's own is 3 s. */
  ackMs?: number
  /** How long after a failure an event is sent again. */
  retryMs?: readonly number[]
  triggerMs?: number
  /** How long a stream may be idle. */
  streamIdleMs?: number
  eventsPerHour?: number
  /** How often a socket is pinged. */
  pingMs?: number
  mostSockets?: number
  /** The team that has installed the app; `null` for none. */
  team?: { name?: string; domain?: string } | null
}

export interface RateFigures {
  /** Calls a minute by method, for the whole team. */
  perMinute: Record<string, number>
  /** `chat.postMessage` by channel. */
  postsPerSecond?: number
}

/** Where the app listens when it does without Socket Mode. */
export interface HttpEndpoints {
  events: string
  interactivity: string
  commands: string
  options?: string
}

export const everyScope: readonly string[] = [
  'app_mentions:read',
  'assistant:write',
  'channels:history',
  'channels:join',
  'channels:read',
  'chat:write',
  'commands',
  'files:read',
  'files:write',
  'groups:history',
  'groups:read',
  'im:history',
  'im:read',
  'im:write',
  'mpim:history',
  'mpim:read',
  'mpim:write',
  'reactions:read',
  'reactions:write',
  'team:read',
  'users:read',
  'users:read.email',
]

/** Each event and the scope without which Slack does not send it. */
export const eventScopes: Record<string, string | null> = {
  agent_session_stopped: 'chat:write',
  app_home_opened: null,
  app_mention: 'app_mentions:read',
  app_uninstalled: null,
  channel_archive: 'channels:read',
  channel_left: 'channels:read',
  channel_unarchive: 'channels:read',
  group_archive: 'groups:read',
  group_left: 'groups:read',
  member_joined_channel: 'channels:read',
  'message.channels': 'channels:history',
  'message.groups': 'groups:history',
  'message.im': 'im:history',
  'message.mpim': 'mpim:history',
  tokens_revoked: null,
}

/** A request that the app made, and what it was answered. */
export interface LoggedRequest {
  method: string
  teamId: string | null
  args: Record<string, unknown>
  /** By the emulator's clock. */
  at: number
  status: number
  answer: Record<string, unknown>
  /** It came before the time that an earlier 429 had told it. */
  tooEarly: boolean
}
