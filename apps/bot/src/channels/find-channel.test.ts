import { expect, test } from 'vitest'
import { createTestPlatform } from '../reply/testing-platform.ts'
import { DeliveryFailure, type Place } from './channel.ts'
import { parsePayload } from './delivery-payload.ts'
import { findChannel } from './find-channel.ts'

test('a run on a platform without a connection shows nothing and splits for the least of platforms', async () => {
  const { channel } = createTestPlatform({ kind: 'telegram' })
  expect(findChannel([channel], 'telegram')).toBe(channel)
  const slack = findChannel([channel], 'slack')
  expect(slack.limits.messageLength).toBeLessThanOrEqual(4_096)
  const presenter = slack.present({} as Place)
  presenter.text(1, 'nobody sees this')
  await presenter.end()
})

test('what cannot be sent for want of a connection is tried again later, not failed', async () => {
  const sending = findChannel([], 'slack').deliver({} as never, new AbortController().signal)
  await expect(sending).rejects.toSatisfy((error) => error instanceof DeliveryFailure && error.retryAfterMs !== null)
})

test('a payload is understood by the delivery’s kind, and one that is not understood fails for good', () => {
  const parse = (kind: string, payload: unknown, questionId: string | null = null) =>
    parsePayload({ kind, payload, questionId })
  expect(parse('text', { markdown: 'a', step: 1, other: true })).toEqual({ kind: 'text', markdown: 'a', step: 1 })
  expect(parse('text', { kind: 'notice', markdown: 'a', step: 1, footer: 'f' })).toMatchObject({
    kind: 'text',
    footer: 'f',
  })
  expect(parse('text', { markdown: 'a', step: 1, last: true })).toMatchObject({ last: true })
  expect(parse('card-update', { copyId: 'dlv_1' }, 'q_1')).toEqual({
    kind: 'card-update',
    questionId: 'q_1',
    copyId: 'dlv_1',
  })
  expect(parse('question', null, 'q_1')).toEqual({ kind: 'question', questionId: 'q_1' })
  for (const [kind, payload] of [
    ['text', {}],
    ['text', 'text'],
    ['constructor', {}],
    ['question', {}],
    ['card-update', { questionId: 'q_1' }],
    ['media', { filename: 'a' }],
  ] as const)
    expect(() => parse(kind, payload)).toThrow(DeliveryFailure)
})
