import type { Trigger } from '@quartermaster/db'

export const channelNames = { slack: 'Slack', telegram: 'Telegram', web: 'Web' } as const

export const triggerNames: Record<Trigger, string> = {
  message: 'A message',
  schedule: 'A schedule',
  watch: 'A watch',
  parent: 'Another run',
  api: 'The API',
}
