import { describe, expect, test } from 'vitest'
import { checkPolicyConfig } from './check-policy-config.ts'
import { fromLynkrSettings } from './lynkr-settings.ts'
import { Policy } from './policy.ts'
import { noPushes, pushes } from './shell-corpus.ts'
import { tool } from './testing.ts'

const shell = tool('shell.exec', { effect: 'execute' })
const start = tool('process.start', { effect: 'execute' })
const policyOf = (settings: Parameters<typeof fromLynkrSettings>[0]) => {
  const { rules } = fromLynkrSettings(settings)
  expect(checkPolicyConfig({ profile: 'full', rules })).toEqual([])
  return new Policy({ profile: 'full', rules })
}

test('nothing set changes nothing', () => {
  const nothing = { rules: [], configs: {}, maxSteps: null }
  expect(fromLynkrSettings({})).toEqual(nothing)
  expect(fromLynkrSettings({ POLICY_GIT_ALLOW_PUSH: ' ', WEB_SEARCH_ALLOWED_HOSTS: '' })).toEqual(nothing)
  expect(fromLynkrSettings({ POLICY_GIT_ALLOW_PUSH: 'true', POLICY_GIT_REQUIRE_TESTS: '0' })).toEqual(nothing)
})

describe('POLICY_GIT_ALLOW_PUSH=false', () => {
  const policy = policyOf({ POLICY_GIT_ALLOW_PUSH: 'false' })

  test('denies a push in any disguise, and says which setting does', () => {
    for (const command of [...pushes, 'git send-pack x', 'git subtree push -P x y z'])
      expect(policy.decide(shell, { command }).verdict, command.slice(0, 80)).toBe('deny')
    expect(policy.decide(start, { command: 'git', args: ['push'] }).verdict).toBe('deny')
    expect(policy.decide(shell, { command: 'git push' }).trail.at(-1)!.reason).toContain('POLICY_GIT_ALLOW_PUSH')
  })
  test('leaves everything else alone', () => {
    for (const command of noPushes) expect(policy.decide(shell, { command }).verdict, command).toBe('ask')
    expect(policy.decide(start, { command: 'git', args: ['fetch'] }).verdict).toBe('ask')
  })
})

describe('POLICY_GIT_REQUIRE_TESTS=true', () => {
  const settings = { POLICY_GIT_REQUIRE_TESTS: '1', POLICY_GIT_TEST_COMMAND: 'npm test' }

  test('has git.commit run the tests, and sends a commit by shell there', () => {
    expect(fromLynkrSettings(settings).configs).toEqual({
      'git.commit': { require_tests: true, test_command: 'npm test' },
    })
    const policy = policyOf(settings)
    const decision = policy.decide(shell, { command: 'git add . && git commit -m x' })
    expect(decision.verdict).toBe('deny')
    expect(decision.trail.at(-1)!.reason).toContain('Use git.commit')
    expect(policy.decide(shell, { command: 'git add .' }).verdict).toBe('ask')
    expect(policy.decide(tool('git.commit', { effect: 'write' }), { message: 'x' }).verdict).toBe('allow')
  })
  test('needs to know which tests', () => {
    expect(() => fromLynkrSettings({ POLICY_GIT_REQUIRE_TESTS: 'true' })).toThrow('POLICY_GIT_TEST_COMMAND')
  })
})

describe('WEB_SEARCH_ALLOWED_HOSTS', () => {
  const settings = { WEB_SEARCH_ALLOWED_HOSTS: 'GitHub.com, *.stackoverflow.com' }
  const policy = policyOf(settings)
  const page = tool('web.fetch', { effect: 'send', effectOf: () => 'read', hook: 'silent' })

  test('lets the listed hosts through and no others', () => {
    for (const url of ['https://github.com/x', 'https://meta.stackoverflow.com'])
      expect(policy.decide(page, { url }).verdict, url).toBe('allow')
    for (const url of [
      'https://evil.com',
      'https://github.com.evil.com',
      'https://github.com@evil.com',
      'https://evil.com/github.com',
      'github.com',
      '::',
      7,
    ])
      expect(policy.decide(page, { url }).verdict, String(url)).toBe('deny')
  })
  test('leaves a search without a URL alone, and gives every web tool the list', () => {
    expect(policy.decide(tool('web.search'), { query: 'x' }).verdict).toBe('allow')
    const { configs } = fromLynkrSettings(settings)
    expect(Object.keys(configs)).toEqual([
      'web.fetch',
      'web.search',
      'web.research',
      'http.request',
      'browser.navigate',
    ])
    expect(configs['web.fetch']).toEqual({ allowed_hosts: ['github.com', '*.stackoverflow.com'] })
  })
})

test('POLICY_MAX_STEPS is the number of steps', () => {
  expect(fromLynkrSettings({ POLICY_MAX_STEPS: '8' }).maxSteps).toBe(8)
})

test.each([
  [{ POLICY_GIT_ALLOW_PUSH: 'no' }, 'POLICY_GIT_ALLOW_PUSH must be true, false, 1 or 0, not "no"'],
  [{ POLICY_GIT_REQUIRE_TESTS: 'yes' }, 'POLICY_GIT_REQUIRE_TESTS must be'],
  [{ POLICY_MAX_STEPS: '0' }, 'POLICY_MAX_STEPS must be'],
  [{ POLICY_MAX_STEPS: '1e3' }, 'POLICY_MAX_STEPS must be'],
  [{ POLICY_MAX_STEPS: 'eight' }, 'POLICY_MAX_STEPS must be'],
  [{ WEB_SEARCH_ALLOWED_HOSTS: 'a.com,,b.com' }, 'which is not a host'],
  [{ WEB_SEARCH_ALLOWED_HOSTS: 'https://a.com' }, 'which is not a host'],
  [{ WEB_SEARCH_ALLOWED_HOSTS: '*' }, 'which is not a host'],
])('%j stops the start', (settings, message) => {
  expect(() => fromLynkrSettings(settings)).toThrow(message)
})
