import { type Logger, LogLevel } from '@slack/web-api'

/** Slack's libraries would print the refusals and faults that tests are about. */
export const quietLogger: Logger = {
  debug() {},
  info() {},
  warn() {},
  error() {},
  setLevel() {},
  getLevel: () => LogLevel.ERROR,
  setName() {},
}
