import { expect, test } from 'vitest'
import { chatLinkOf } from './chat-link.ts'

const link = (
  channelKind: 'slack' | 'telegram' | 'web',
  key: string,
  channel: { externalId: string; name: string },
  openedBy: string | null = null,
) => chatLinkOf({ channelKind, channel, conversation: { id: 'cnv_1', key, openedBy } }, 'mem_1')?.href ?? null

test('a Slack thread, a Telegram group, its topic and a private chat have the address of their platform', () => {
  const acme = { externalId: 'T024BE7LD', name: 'Acme' }
  expect(link('slack', 'C024BE91L:1725000000.000100', acme)).toBe(
    'https://app.slack.com/client/T024BE7LD/C024BE91L/thread/C024BE91L-1725000000.000100',
  )
  expect(link('slack', 'C024BE91L:1725000000.000100#cnv_9', acme)).toContain('C024BE91L-1725000000.000100')
  const bot = { externalId: '7', name: '@acme_bot' }
  expect(link('telegram', '-1002048817734:17', bot)).toBe('https://t.me/c/2048817734/17')
  expect(link('telegram', '-1002048817734', bot)).toBe('https://t.me/c/2048817734/1')
  expect(link('telegram', '4711', bot)).toBe('https://t.me/acme_bot')
})

test('a session has one for its own member only, and what has no address has none', () => {
  const web = { externalId: 'web', name: 'Web' }
  expect(link('web', 'cnv_1', web, 'mem_1')).toBe('/playground/cnv_1')
  expect(link('web', 'cnv_1', web, 'mem_2')).toBeNull()
  expect(link('telegram', '-4711', { externalId: '7', name: '@acme_bot' })).toBeNull()
  expect(link('slack', 'nothing of Slack’s', { externalId: 'T1', name: 'x' })).toBeNull()
})
