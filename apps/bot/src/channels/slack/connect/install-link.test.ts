import { expect, test } from 'vitest'
import { createInstallLink, isInstallLink } from './install-link.ts'

const secret = 'a-state-secret-of-some-length'
const query = (link: string) => Object.fromEntries(new URL(link).searchParams)

test('a link works for an hour, and with no other secret', () => {
  const link = createInstallLink('https://qm.example.com/', secret, 1_000_000)
  expect(link).toMatch(/^https:\/\/qm\.example\.com\/slack\/install\?/)
  expect(isInstallLink(query(link), secret, 1_000_000)).toBe(true)
  expect(isInstallLink(query(link), secret, 1_000_000 + 59 * 60_000)).toBe(true)
  expect(isInstallLink(query(link), secret, 1_000_000 + 61 * 60_000)).toBe(false)
  expect(isInstallLink(query(link), 'another-secret-of-some-length', 1_000_000)).toBe(false)
})

test('a link that somebody changed or made up does not work', () => {
  const { until, signature } = query(createInstallLink('https://qm.example.com', secret, 1_000_000))
  expect(isInstallLink({ until: `${Number(until) + 1}`, signature: `${signature}` }, secret, 1_000_000)).toBe(false)
  expect(isInstallLink({ until: `${until}` }, secret, 1_000_000)).toBe(false)
  expect(isInstallLink({}, secret, 1_000_000)).toBe(false)
  expect(isInstallLink({ until: 'x', signature: `${signature}` }, secret, 1_000_000)).toBe(false)
})
