// What people and programs meet while Postgres is away: a sentence and a way to go on, no reason of ours, and everything as
// it was once it is back.
import { openDatabase } from '@quartermaster/db'
import { testServerUrl } from '@quartermaster/db/testing'
import { expect, test } from 'vitest'
import { useConsole } from './console.ts'
import { useRest } from './rest-client.ts'

const it = useConsole()
const rest = useRest(it)

const givesAway = /ECONN|postgres|datallowconn|not currently accepting|\bat .+:\d+|node_modules|select .* from /i

/** Nobody gets a connection to this file's database, and who had one has lost it. */
async function whileAway(work: () => Promise<void>): Promise<void> {
  const name = new URL(it.databaseUrl).pathname.slice(1)
  const server = openDatabase(testServerUrl(), { name: 'test', maxConnections: 1 })
  try {
    await server.pool.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS false`)
    await server.pool.query('SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1', [name])
    await work()
  } finally {
    await server.pool.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS true`)
    await server.close()
  }
}

test('a page says that it could not be shown, and comes back with a click', async () => {
  const page = await it.page({ as: it.people.admin })
  await page.goto('/executions')
  await whileAway(async () => {
    for (const path of ['/overview', '/agents', '/approvals', '/playground', '/settings/account', '/invite/none']) {
      const answer = await page.goto(path)
      expect([path, answer?.status()]).toEqual([path, 500])
      await page.getByRole('heading', { level: 1, name: 'This page could not be shown' }).waitFor()
      expect(await answer?.text()).not.toMatch(givesAway)
      expect(await page.getByRole('main').textContent()).not.toMatch(givesAway)
    }
    await page.goto('/overview')
  })
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  it.takeComplaints() // The browser tells of the pages that failed, as it should.
})

test('signing in says that it was not what was typed, and gives nothing away', async () => {
  const page = await it.page()
  await page.goto('/sign-in')
  await page.getByLabel('E-mail').fill(it.people.viewer.email)
  await page.getByLabel('Password').fill('whatever it is')
  await whileAway(async () => {
    const answered = page.waitForResponse('**/api/auth/callback/credentials*')
    await page.getByRole('button', { name: 'Sign in', exact: true }).click()
    await page.getByText('not because of what you typed').waitFor()
    expect(await (await answered).text()).not.toMatch(givesAway)
  })
  it.takeComplaints()
})

test('the REST API says when to come back, and works again without anybody’s doing', async () => {
  const key = await rest.key('admin')
  await whileAway(async () => {
    for (const path of ['/api/tools', '/api/runs', '/api/executions/export?format=csv']) {
      const { status, json, body, headers } = await rest.call('GET', path, { key })
      expect([path, status, json.error.code]).toEqual([path, 503, 'UNAVAILABLE'])
      expect(Number(headers['retry-after'])).toBeGreaterThan(0)
      expect(body).not.toMatch(givesAway)
    }
  })
  await expect.poll(async () => (await rest.call('GET', '/api/tools', { key })).status).toBe(200)
})
