import { expect, test } from 'vitest'
import { mediaDeliveries } from './media-deliveries.ts'

const place = { conversationId: 'cnv_1', fileBytes: 10 }
const base64 = (text: string) => Buffer.from(text).toString('base64')

test('each file of a result is one delivery, with a name where it has none', () => {
  const media = [
    { mimeType: 'image/png', data: base64('a'), filename: 'page.png' },
    { mimeType: 'image/jpeg', data: base64('b') },
    { mimeType: 'application/x-odd', data: base64('c') },
  ]
  expect(mediaDeliveries('mcp:odd/server:draw', media, place)).toMatchObject([
    { kind: 'media', file: { filename: 'page.png' } },
    { kind: 'media', file: { filename: 'mcp-odd-server-draw-2.jpg', mimeType: 'image/jpeg' } },
    { kind: 'media', file: { filename: 'mcp-odd-server-draw-3.bin' } },
  ])
})

test('of what is too large for the platform people are told', () => {
  const large = { mimeType: 'image/png', data: base64('x'.repeat(11)), filename: 'large.png' }
  expect(mediaDeliveries('a', [large], place)).toEqual([
    { kind: 'notice', text: 'large.png (0.0 MB) is too large to be sent here.' },
  ])
})
