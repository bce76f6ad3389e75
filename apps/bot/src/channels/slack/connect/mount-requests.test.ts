import { createHmac } from 'node:crypto'
import { Hono } from 'hono'
import { pino } from 'pino'
import { expect, test } from 'vitest'
import { mountRequests, requestPath } from './mount-requests.ts'
import type { Incoming } from './slack-receiver.ts'

const signingSecret = 'cafebabecafebabecafebabecafebabe'
const nowSeconds = () => Math.floor(Date.now() / 1000)

function signed(body: string, { at = nowSeconds(), type = 'application/json', secret = signingSecret } = {}) {
  const signature = `v0=${createHmac('sha256', secret).update(`v0:${at}:${body}`).digest('hex')}`
  const headers = { 'content-type': type, 'x-slack-signature': signature, 'x-slack-request-timestamp': `${at}` }
  return { method: 'POST', body, headers }
}

function gateway(take: (incoming: Incoming) => Promise<void> = async ({ ack }) => ack()) {
  const taken: Incoming[] = []
  const app = new Hono()
  mountRequests(app, {
    signingSecret,
    log: pino({ level: 'silent' }),
    take: (incoming) => {
      taken.push(incoming)
      return take(incoming)
    },
  })
  return { taken, send: (request: RequestInit) => app.request(requestPath, request) }
}

const event = (id: string) => JSON.stringify({ type: 'event_callback', event_id: id, event: { type: 'message' } })

test('a signed event is taken, and answered when it was', async () => {
  const { send, taken } = gateway()
  const answer = await send(signed(event('Ev1')))
  expect(answer.status).toBe(200)
  expect(taken[0]?.body).toMatchObject({ event_id: 'Ev1' })
})

test('what is forged, unsigned or old never reaches anybody', async () => {
  const { send, taken } = gateway()
  const good = signed(event('Ev1'))
  const forged = [
    { ...good, body: event('Ev2') },
    signed(event('Ev1'), { secret: 'deadbeefdeadbeefdeadbeefdeadbeef' }),
    signed(event('Ev1'), { at: nowSeconds() - 6 * 60 }),
    { ...good, headers: { 'content-type': 'application/json' } },
    { ...good, headers: { ...good.headers, 'x-slack-signature': 'v0=' } },
    { ...good, headers: { ...good.headers, 'x-slack-request-timestamp': 'soon' } },
  ]
  for (const request of forged) expect((await send(request)).status, JSON.stringify(request)).toBe(401)
  expect(taken).toEqual([])
})

test('a request that is played again changes nothing, and Slack retrying with a new signature is let in', async () => {
  const { send, taken } = gateway()
  const request = signed(event('Ev1'))
  expect((await send(request)).status).toBe(200)
  expect((await send(request)).status).toBe(200)
  expect(taken).toHaveLength(1)
  const retry = signed(event('Ev1'), { at: nowSeconds() - 1 })
  await send({
    ...retry,
    headers: { ...retry.headers, 'x-slack-retry-num': '1', 'x-slack-retry-reason': 'http_timeout' },
  })
  expect(taken[1]).toMatchObject({ retryNum: 1, retryReason: 'http_timeout' })
})

test('what could not be taken in is to be sent again, and may be', async () => {
  let isDown = true
  const { send, taken } = gateway(async ({ ack }) => {
    if (isDown) throw new Error('the database is away')
    await ack()
  })
  const request = signed(event('Ev1'))
  expect((await send(request)).status).toBe(503)
  isDown = false
  expect((await send(request)).status).toBe(200)
  expect(taken).toHaveLength(2)
})

test('clicks come as a form with JSON in it, commands as a form; their answer is what was acknowledged', async () => {
  const { send, taken } = gateway(({ ack }) => ack({ response_action: 'clear' }))
  const type = 'application/x-www-form-urlencoded'
  const click = await send(signed(`payload=${encodeURIComponent('{"type":"view_submission"}')}`, { type }))
  expect(await click.json()).toEqual({ response_action: 'clear' })
  await send(signed('command=%2Fqm&text=status', { type }))
  expect(taken.map(({ body }) => body)).toEqual([{ type: 'view_submission' }, { command: '/qm', text: 'status' }])
})

test('Slack is answered at the acknowledgement, whatever goes on after it', async () => {
  const gate = Promise.withResolvers<void>()
  const { send } = gateway(async ({ ack }) => {
    await ack()
    await gate.promise
  })
  expect((await send(signed(event('Ev1')))).status).toBe(200)
  gate.resolve()
})

test('the challenge of a new address is answered, only when it is signed', async () => {
  const { send } = gateway()
  const challenge = JSON.stringify({ type: 'url_verification', challenge: 'c1' })
  expect(await (await send(signed(challenge))).json()).toEqual({ challenge: 'c1' })
  expect((await send({ method: 'POST', body: challenge })).status).toBe(401)
})

test('nonsense and too much are refused', async () => {
  const { send, taken } = gateway()
  expect((await send(signed('{'))).status).toBe(400)
  expect((await send(signed('[]'))).status).toBe(400)
  expect((await send(signed(`"${'x'.repeat(1024 * 1024)}"`))).status).toBe(413)
  expect(taken).toEqual([])
})
