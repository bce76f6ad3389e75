import { expect, test } from 'vitest'
import { carriesKey } from './door.ts'

const withKey = (url: string, headers = {}) =>
  carriesKey({ url, headers: { authorization: 'Bearer qm_deadbeef_x', ...headers } })

test('a key counts for every address of the REST API, also where an id has dots and colons', () => {
  for (const url of [
    '/api/tools',
    '/api/tools?category=code&x=..%2F',
    '/api/tools/file.read',
    '/api/tools/mcp:github:search',
    '/api/tools/mcp%3Agithub%3asearch/detail',
    '/api/agents/agt_1/tools/.hidden',
    '/api/agents/agt_1/tools/a..b',
    '/api/authors',
  ])
    expect([url, withKey(url)]).toEqual([url, true])
})

test('a key counts for no address that is another one once it is tidied up, and for no sign-in or action', () => {
  for (const url of [
    '/api',
    '/api/',
    '/api/auth',
    '/api/auth/signout',
    '/api/auth?x',
    '/api//auth/signout',
    '/api/./auth/signout',
    '/api/tools/../auth/signout',
    '/api/tools/..',
    '/api/tools/../../overview',
    '/api/tools/%2e%2e/auth/signout',
    '/api/tools/.%2e/auth/signout',
    '/api/%61uth/signout',
    '/api/tools\\..\\auth',
    '/api/tools/a%2fb',
    '/api/tools/a%00',
    '/api/tools/',
    '/api/tools//x',
    '/API/tools',
    '/overview',
    '//api/tools',
    '/api/tools#/../overview',
    'http://localhost/api/tools',
  ])
    expect([url, withKey(url)]).toEqual([url, false])
  expect(withKey('/api/tools', { 'next-action': '0' })).toBe(false)
  expect(withKey('/api/tools', { authorization: 'Basic eDp5' })).toBe(false)
})
