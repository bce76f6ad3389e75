import { Hono } from 'hono'
import { HTTPException } from 'hono/http-exception'
import { routePath } from 'hono/route'
import type { Log } from '../log.ts'
import type { Metrics } from './metrics.ts'
import type { ReadinessCheck } from './readiness.ts'

export interface GatewayParts {
  readiness: ReadinessCheck
  metrics: Metrics
  log: Log
}

/** Everything that reaches the bot over HTTP. */
export function createGateway({ readiness, metrics, log }: GatewayParts): Hono {
  const app = new Hono()

  app.use(async (context, next) => {
    const started = performance.now()
    await next()
    // The pattern, never the path: a path may hold a secret, and would make a new series for each request.
    const route = context.res.status === 404 ? 'unknown' : routePath(context, -1)
    const seconds = (performance.now() - started) / 1000
    metrics.countRequest({ route, method: context.req.method, status: context.res.status, seconds })
    log.trace({ route, method: context.req.method, status: context.res.status, seconds }, 'request')
  })

  app.get('/healthz', (context) => context.json({ alive: true }))

  app.get('/healthz/ready', async (context) => {
    const answer = await readiness.check()
    return context.json(answer, answer.ready ? 200 : 503)
  })

  app.get('/metrics', async (context) =>
    context.body(await metrics.render(), 200, { 'content-type': metrics.contentType }),
  )

  app.notFound((context) => context.json({ error: 'There is nothing here.' }, 404))
  app.onError((error, context) => {
    if (error instanceof HTTPException) return context.json({ error: error.message }, error.status)
    // Whoever asked learns that it failed; why it failed is for the log.
    log.error({ error, route: routePath(context, -1) }, 'a request failed')
    return context.json({ error: 'Something went wrong here; the log of the bot says what.' }, 500)
  })
  return app
}
