import { createHash, timingSafeEqual } from 'node:crypto'
import type { Update } from '@grammyjs/types'
import type { Hono } from 'hono'
import type { Log } from '../../../log.ts'
import { webhookPath } from './webhook-path.ts'

/** Larger than any update that Telegram sends; what is larger is not from it. */
const mostBytes = 1024 * 1024

export interface WebhookOptions {
  secret: string
  log: Log
  take(update: Update): Promise<void>
}

/** Telegram calls here. It is answered after its update is stored; after anything but 200 it calls again. */
export function receiveWebhook(gateway: Hono, { secret, log, take }: WebhookOptions): void {
  gateway.post(webhookPath, async (context) => {
    if (!isSame(context.req.header('x-telegram-bot-api-secret-token') ?? '', secret)) return context.body(null, 401)
    if (Number(context.req.header('content-length') ?? 0) > mostBytes) return context.body(null, 413)
    const update = await context.req.json<Update>().catch(() => null)
    if (typeof update?.update_id !== 'number') return context.body(null, 400)
    try {
      await take(update)
    } catch (error) {
      log.warn({ error, updateId: update.update_id }, 'an update over the webhook was not stored')
      return context.body(null, 503)
    }
    return context.body(null, 200)
  })
}

/** Both are hashed, so that the comparison takes the same time whatever their lengths are. */
function isSame(given: string, expected: string): boolean {
  const hash = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(hash(given), hash(expected))
}
