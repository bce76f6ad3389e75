// What comes to the console from outside, and what leaves it: names, origins, headers, faults.
import { expect, test } from 'vitest'
import { useConsole } from './console.ts'
import { password } from './people.ts'
import { type SendOptions, sendRaw } from './send-raw.ts'

const it = useConsole()

const send = (path: string, options: SendOptions = {}) => sendRaw(it.url, path, options)

test('a change that does not come from a page of ours is refused, whatever it is; from ours it is not', async () => {
  const own = it.url
  const paths = [
    ...['/overview', '/sign-in', '/settings/workspace', '/invite/none', '/nowhere'],
    ...['/api/auth/callback/credentials', '/api/auth/signout', '/api/policies/check-rule', '/api/nothing', '/api'],
  ]
  for (const path of paths)
    for (const origin of [undefined, 'https://evil.example', 'null', own.replace('http:', 'https:'), `${own}0`])
      for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
        const answer = await send(path, { method, headers: origin ? { origin } : {} })
        expect([path, method, origin, answer.status]).toEqual([path, method, origin, 403])
      }
  const answer = await send('/api/auth/callback/credentials', { method: 'POST', headers: { origin: own } })
  expect(answer.status).not.toBe(403)
})

test('a page of another site cannot sign a visitor in or out', async () => {
  const context = await it.context({ as: it.people.viewer })
  const page = await context.newPage()
  await page.route('https://evil.example/**', (route) =>
    route.fulfill({
      contentType: 'text/html',
      body: `<form method="post" action="${it.url}/api/auth/signout"><input name="json" value="true"></form>`,
    }),
  )
  await page.goto('https://evil.example/')
  const answered = page.waitForResponse(`${it.url}/api/auth/signout`)
  await page.evaluate(() => document.forms[0]?.submit())
  expect((await answered).status()).toBe(403)
  await page.waitForURL(`${it.url}/api/auth/signout`)
  await page.goto('/overview')
  expect(new URL(page.url()).pathname).toBe('/overview')
})

test('without the token of its own form a sign-in is not taken, also from our origin', async () => {
  const { request } = await it.context()
  await request.post('/api/auth/callback/credentials', {
    headers: { origin: it.url },
    form: { email: it.people.owner.email, password, csrfToken: '0'.repeat(64), json: 'true' },
  })
  expect((await request.get('/overview', { maxRedirects: 0 })).status()).toBe(307)
})

test('only names that are ours are answered', async () => {
  const { port } = new URL(it.url)
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'localhost.evil.example',
    '10.0.0.1',
    '127.0.0.1.evil.example',
  ])
    expect([host, (await send('/sign-in', { headers: { host } })).status]).toEqual([host, 421])
  for (const host of [`localhost:${port}`, `127.0.0.1:${port}`, `[::1]:${port}`, `console.localhost:${port}`])
    expect([host, (await send('/sign-in', { headers: { host } })).status]).toEqual([host, 200])
})

test('headers that claim to come from ourselves are not believed', async () => {
  const answer = await send('/overview', {
    headers: {
      'x-forwarded-host': 'evil.example',
      'x-qm-origin': 'https://evil.example',
      'x-qm-path': '//evil.example',
    },
  })
  expect([answer.status, answer.headers.location]).toEqual([307, '/sign-in?next=%2Foverview'])
  const providers = await send('/api/auth/providers', { headers: { 'x-forwarded-host': 'evil.example' } })
  expect(providers.status).toBe(200)
  expect(providers.body).not.toContain('evil.example')
})

test('every answer carries the policy and its companions, and every request has a nonce of its own', async () => {
  const nonces = new Set<string>()
  const paths = [
    '/sign-in',
    '/overview',
    '/nowhere',
    '/api/auth/providers',
    '/api/nothing',
    '/icon.svg',
    '/_next/nothing.js',
  ]
  for (const path of paths) {
    const { headers } = await send(path)
    const policy = String(headers['content-security-policy'])
    for (const rule of [`default-src 'self'`, `object-src 'none'`, `base-uri 'none'`, `frame-ancestors 'none'`])
      expect([path, policy]).toEqual([path, expect.stringContaining(rule)])
    const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? ''
    expect(scripts).not.toContain('unsafe')
    nonces.add(/'nonce-([^']+)'/.exec(scripts)?.[1] ?? '')
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'same-origin',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    })
    expect(headers).not.toHaveProperty('x-powered-by')
  }
  expect(nonces.size).toBe(paths.length)
  expect(nonces).not.toContain('')
})

test('no page of a workspace is kept by a cache', async () => {
  const { request } = await it.context({ as: it.people.admin })
  for (const path of ['/overview', '/settings/workspace'])
    expect((await request.get(path)).headers()['cache-control']).toContain('no-store')
})

test('a script that got into a page does not run, and our own do', async () => {
  const page = await it.page({ as: it.people.viewer })
  await page.route('**/overview', async (route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace(
      '<body>',
      `<body><script>window.taken = true</script><img alt="" src="data:," onerror="window.taken = true">`,
    )
    await route.fulfill({ response, body })
  })
  await page.goto('/overview')
  await page.locator('[data-chart]').first().waitFor()
  expect(await page.evaluate(() => 'taken' in window)).toBe(false)
  const refused = it.takeComplaints().filter((text) => text.includes('Content Security Policy'))
  expect(refused).toHaveLength(2)
})

const givesAway = /\bat .+\(.*\.(js|ts|tsx):\d+|node_modules|\/apps\/admin\/|usage_hours|select .* from /i

test('a broken request is refused in a few words, and the console goes on', async () => {
  const paths = [
    '/%E0%A4%A',
    '//',
    '//evil.example/overview',
    '/overview?period=%00',
    '/overview/%00',
    `/${'a'.repeat(8_000)}`,
    '/\\..\\..',
    '/_next/data/x/y.json',
  ]
  for (const path of paths) {
    const { status, body, headers } = await send(path)
    expect([path.slice(0, 40), status < 500]).toEqual([path.slice(0, 40), true])
    expect(body).not.toMatch(givesAway)
    expect(String(headers.location ?? '/')).toMatch(/^\/(?!\/)/)
  }
  for (const action of ['nonsense', '0'.repeat(42)]) {
    const { status, body } = await send('/sign-in', {
      method: 'POST',
      headers: { origin: it.url, 'next-action': action, 'content-type': 'text/plain' },
      body: '[]',
    })
    expect([action, status >= 400 && status < 500]).toEqual([action, true])
    expect(body).not.toMatch(givesAway)
  }
  expect((await send('/sign-in')).status).toBe(200)
})

test('when the database fails, a page says so without its reasons, which are in the log, and comes back', async () => {
  const page = await it.page({ as: it.people.viewer })
  await it.db.pool.query('ALTER TABLE usage_hours RENAME TO usage_hours_away')
  let answer: Awaited<ReturnType<typeof page.goto>>
  try {
    answer = await page.goto('/overview')
    await page.getByRole('heading', { level: 1, name: 'This page could not be shown' }).waitFor()
    expect(answer?.status()).toBe(500)
    expect(await answer?.text()).not.toMatch(givesAway)
    const digest = await page.getByRole('main').locator('code').textContent()
    await expect.poll(() => it.log()).toContain(digest)
    expect(it.log()).toContain('relation "usage_hours" does not exist')
  } finally {
    await it.db.pool.query('ALTER TABLE usage_hours_away RENAME TO usage_hours')
  }
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor()
  it.takeComplaints() // The browser tells of the page that failed, as it should.
})

test('when the database fails under a form, the form says that nothing was changed, and then it saves', async () => {
  const page = await it.page({ as: it.people.admin })
  await page.goto('/settings/workspace')
  await page.getByLabel(/^Questions stay open/).fill('30')
  await it.db.pool.query('ALTER TABLE audit_events RENAME TO audit_events_away')
  try {
    await page.getByRole('button', { name: 'Save', exact: true }).click()
    const alert = page.getByText('This did not work and nothing was changed. The console’s log says why.')
    await alert.waitFor()
  } finally {
    await it.db.pool.query('ALTER TABLE audit_events_away RENAME TO audit_events')
  }
  expect(
    await it.db.prisma.setting.findFirst({ where: { workspaceId: it.workspaceId, value: { equals: 30 } } }),
  ).toBeNull()
  expect(await page.getByLabel(/^Questions stay open/).inputValue()).toBe('30')
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await page.getByText('Saved.', { exact: true }).waitFor()
})
