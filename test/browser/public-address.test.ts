// The console as people reach it in earnest: under a public https address, behind a proxy that is trusted.
import { limits } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { useConsole } from './console.ts'
import { password } from './people.ts'
import { sendRaw } from './send-raw.ts'

const address = 'https://qm.example.com'
const it = useConsole({ settings: async () => ({ QM_PUBLIC_URL: address, QM_TRUST_PROXY: '1' }) })

/** As the proxy hands it on: its own name, and the address that it saw at the end of the list. */
const behindProxy = (forwardedFor = '203.0.113.7') => ({ host: 'qm.example.com', 'x-forwarded-for': forwardedFor })
const cookiesOf = (headers: Record<string, string | string[] | undefined>) => [headers['set-cookie'] ?? []].flat()
const jarOf = (cookies: string[]) => cookies.map((cookie) => cookie.split(';')[0]).join('; ')

async function signIn(forwardedFor: string, credentials: { email: string; password: string }, origin = address) {
  const proxy = behindProxy(forwardedFor)
  const first = await sendRaw(it.url, '/api/auth/csrf', { headers: proxy })
  const { csrfToken } = JSON.parse(first.body) as { csrfToken: string }
  return sendRaw(it.url, '/api/auth/callback/credentials', {
    method: 'POST',
    headers: {
      ...proxy,
      origin,
      cookie: jarOf(cookiesOf(first.headers)),
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ ...credentials, csrfToken, json: 'true' }).toString(),
  })
}

test('cookies go over https alone and to this host alone, and open the pages', async () => {
  const answer = await signIn('203.0.113.7', { email: it.people.viewer.email, password })
  expect(answer.status).toBe(200)
  const cookies = cookiesOf(answer.headers)
  expect(cookies.map((cookie) => cookie.split('=')[0])).toContain('__Host-qm.session')
  for (const cookie of cookies) expect(cookie).toMatch(/^__(Host|Secure)-.*; Path=\/;.*HttpOnly; Secure; SameSite=Lax$/)
  const page = await sendRaw(it.url, '/overview', { headers: { ...behindProxy(), cookie: jarOf(cookies) } })
  expect(page.status).toBe(200)
  expect(page.headers['strict-transport-security']).toMatch(/^max-age=\d{8}/)
})

test('a change must come from the public address, not from where the proxy reaches us', async () => {
  const credentials = { email: it.people.member.email, password }
  expect((await signIn('203.0.113.8', credentials, it.url)).status).toBe(403)
  expect((await signIn('203.0.113.8', credentials, 'http://qm.example.com')).status).toBe(403)
  expect((await signIn('203.0.113.8', credentials)).status).toBe(200)
})

test('other names are not answered', async () => {
  for (const host of ['qm.example.com.evil.example', 'evil.example', 'example.com'])
    expect([host, (await sendRaw(it.url, '/sign-in', { headers: { host } })).status]).toEqual([host, 421])
  for (const host of ['qm.example.com', 'QM.example.com'])
    expect([host, (await sendRaw(it.url, '/sign-in', { headers: { host } })).status]).toEqual([host, 200])
})

test('attempts count by the address that the proxy saw, whatever the visitor wrote before it', async () => {
  const guess = async (number: number, seen: string) => {
    const credentials = { email: `guess${number}@people.example`, password: 'a wrong guess' }
    const { body } = await signIn(`10.9.8.${number}, ${seen}`, credentials)
    return new URL((JSON.parse(body) as { url: string }).url).searchParams.get('error')
  }
  const all = Array.from({ length: limits.signInPerAddress }, (_, number) => guess(number, '198.51.100.1'))
  expect(new Set(await Promise.all(all))).toEqual(new Set(['CredentialsSignin']))
  expect(await guess(200, '198.51.100.1')).toMatch(/^too-many:/)
  expect(await guess(201, '198.51.100.2')).toBe('CredentialsSignin')
})
