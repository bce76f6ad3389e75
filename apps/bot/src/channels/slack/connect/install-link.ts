// Whoever installs the app brings the people of their Slack team into our workspace. So the page that begins an
// installation opens only with a link that somebody with the settings of this machine has made, for an hour.
import { createHmac, timingSafeEqual } from 'node:crypto'
import { connectLimits } from './connect-limits.ts'

export const installPath = '/slack/install'
export const callbackPath = '/slack/oauth_redirect'

/** `gateway` is where the bot's gateway is reached from outside. */
export function createInstallLink(gateway: string, stateSecret: string, now = Date.now()): string {
  const until = now + connectLimits.installLinkMs
  return `${gateway.replace(/\/+$/, '')}${installPath}?until=${until}&signature=${sign(until, stateSecret)}`
}

export function isInstallLink(query: { until?: string; signature?: string }, stateSecret: string, now = Date.now()) {
  const until = Number(query.until)
  if (!Number.isSafeInteger(until) || until < now || until > now + connectLimits.installLinkMs) return false
  const expected = Buffer.from(sign(until, stateSecret))
  const given = Buffer.from(query.signature ?? '')
  return given.length === expected.length && timingSafeEqual(given, expected)
}

const sign = (until: number, stateSecret: string) =>
  createHmac('sha256', stateSecret).update(`slack-install:${until}`).digest('base64url')
