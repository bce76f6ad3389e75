/** What the environment says about Slack (env.ts). Without a bot token, teams install the app through OAuth. */
export interface SlackSettings {
  botToken?: string
  /** Socket Mode. */
  appToken?: string
  /** Requests over HTTP, where there is no app token. */
  signingSecret?: string
  oauth?: { clientId: string; clientSecret: string; stateSecret: string }
  /** With a slash at its end. */
  apiUrl: string
}
