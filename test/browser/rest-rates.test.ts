// How often one may call: a limit that a few requests reach, in a console of its own.
import { expect, test } from 'vitest'
import { useConsole } from './console.ts'
import { useRest } from './rest-client.ts'

const limit = 5
const it = useConsole({ settings: async () => ({ QM_API_RATE: String(limit) }) })
const rest = useRest(it)

/** The window is a minute of the clock: a new key may meet its end, so what counts is said by the answers themselves. */
async function exhaust(key: string) {
  for (let call = 0; call <= 2 * limit; call++) {
    const answer = await rest.call('GET', '/api/tools', { key })
    if (answer.status === 429) return answer
    expect(Number(answer.headers['ratelimit-remaining'])).toBeLessThan(limit)
  }
  throw new Error('the limit was never reached')
}

test('a key that calls too often is told to come back, and when; another key goes on', async () => {
  const key = await rest.key('admin')
  const { headers, json } = await exhaust(key)
  expect(json.error).toEqual({
    code: 'RATE_LIMITED',
    message: expect.stringContaining(`At most ${limit} requests a minute`),
  })
  expect(headers).toMatchObject({ 'ratelimit-limit': String(limit), 'ratelimit-remaining': '0' })
  expect(headers['retry-after']).toBe(headers['ratelimit-reset'])
  const seconds = Number(headers['retry-after'])
  expect(seconds >= 1 && seconds <= 60).toBe(true)
  expect((await rest.call('GET', '/api/tools', { key: await rest.key('viewer') })).status).toBe(200)
})

test('calls that are refused count as well, and a change that comes too late changes nothing', async () => {
  const key = await rest.key('owner', ['secrets'])
  for (let call = 0; call <= limit; call++) await rest.call('GET', '/api/tools', { key })
  const { status } = await rest.call('POST', '/api/secrets', { key, body: { name: 'late', scope: 'x', value: 'x' } })
  expect(status).toBe(429)
  expect(await it.db.prisma.secret.count({ where: { name: 'late' } })).toBe(0)
})

test('a session is counted by itself, and pages are not counted at all', async () => {
  const context = await it.context({ as: it.people.viewer })
  const statuses = []
  for (let call = 0; call <= 2 * limit; call++) statuses.push((await context.request.get('/api/tools')).status())
  expect(new Set(statuses)).toEqual(new Set([200, 429]))
  for (let call = 0; call <= limit; call++) expect((await context.request.get('/settings/account')).status()).toBe(200)
})
