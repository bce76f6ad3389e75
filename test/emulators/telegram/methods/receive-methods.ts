import { z } from 'zod'
import { limits } from '../limits.ts'
import { flag, integer, json, type Method, method, text } from '../method.ts'
import { badRequest, conflict } from '../refusal.ts'

const allowedUpdates = json(z.array(z.string())).optional()

/** How the bot receives: by asking, or at an address. */
export const receiveMethods: Method[] = [
  method(
    'getUpdates',
    {
      offset: integer.optional(),
      limit: integer.optional(),
      timeout: integer.optional(),
      allowed_updates: allowedUpdates,
    },
    ({ offset, limit = limits.updatesInOneAnswer, timeout = 0, allowed_updates }, { world, webhook, gone }) => {
      if (webhook.isSet)
        throw conflict(
          "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
        )
      world.updates.allow(allowed_updates)
      const most = Math.min(Math.max(limit, 1), limits.updatesInOneAnswer)
      return world.updates.poll(offset, most, Math.min(Math.max(timeout, 0), 50), gone)
    },
  ),
  method(
    'setWebhook',
    {
      url: text,
      certificate: text.optional(),
      ip_address: text.optional(),
      max_connections: integer.optional(),
      allowed_updates: allowedUpdates,
      drop_pending_updates: flag.optional(),
      secret_token: text.optional(),
    },
    (fields, { world, webhook }) => {
      world.updates.allow(fields.allowed_updates)
      if (fields.certificate !== undefined) throw badRequest('the emulator takes no certificate')
      if (fields.drop_pending_updates) world.updates.dropPending()
      if (fields.url === '') webhook.remove()
      else {
        webhook.set({
          url: fields.url,
          secretToken: fields.secret_token,
          maxConnections: fields.max_connections ?? 40,
          ipAddress: fields.ip_address,
        })
        world.updates.endPolling('terminated by setWebhook request')
      }
      return true
    },
  ),
  method('deleteWebhook', { drop_pending_updates: flag.optional() }, ({ drop_pending_updates }, { world, webhook }) => {
    if (drop_pending_updates) world.updates.dropPending()
    webhook.remove()
    return true
  }),
  method('getWebhookInfo', {}, (_, { webhook }) => webhook.info()),
]
