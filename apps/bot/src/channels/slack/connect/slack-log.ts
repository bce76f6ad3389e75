import { type Logger, LogLevel } from '@slack/web-api'
import type { Log } from '../../../log.ts'

/**
 * What Slack's libraries say goes to our log, where secrets are masked, and one level lower: a socket that closes is
 * news to them and a weekday to us. Their debug lines hold whole messages of people, so those are dropped.
 */
export function slackLog(log: Log, level = LogLevel.INFO): Logger {
  const say = (write: (fields: object, text: string) => void) =>
    function line(...parts: unknown[]) {
      write.call(log, { from: 'slack' }, parts.map(asText).join(' '))
    }
  return {
    debug() {},
    info: say(log.debug),
    warn: say(log.debug),
    error: say(log.info),
    setLevel() {},
    getLevel: () => level,
    setName() {},
  }
}

const asText = (part: unknown) => (part instanceof Error ? part.message : String(part))
