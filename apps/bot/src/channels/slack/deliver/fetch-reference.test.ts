import { expect, test } from 'vitest'
import { isSlacks } from './fetch-reference.ts'

test('our token goes to Slack’s own hosts and to that of the API, and nowhere else', () => {
  const api = 'https://slack.com/api/'
  for (const address of [
    'https://files.slack.com/files-pri/T1-F1/a.txt',
    'https://slack-files.com/T1-F1-abc',
    'https://acme.enterprise.slack.com/files/a',
  ])
    expect(isSlacks(address, api)).toBe(true)
  for (const address of [
    'http://files.slack.com/a',
    'https://files.slack.com:8443/a',
    'https://slack.com.evil.example/a',
    'https://evil-slack.com/a',
    'https://evilslack-files.com/a',
    'https://files.slack.com@evil.example/a',
    'https://evil.example/?files.slack.com',
    'file:///etc/passwd',
    'nonsense',
  ])
    expect(isSlacks(address, api)).toBe(false)
  const emulated = 'http://127.0.0.1:5000/api/'
  expect(isSlacks('http://127.0.0.1:5000/files-pri/a', emulated)).toBe(true)
  expect(isSlacks('http://127.0.0.1:5001/files-pri/a', emulated)).toBe(false)
})
