import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { parseBotEnv } from './env.ts'

const good = {
  DATABASE_URL: 'postgresql://user:hunter22@db.example:5432/qm',
  QM_MASTER_KEY: 'ab'.repeat(32),
  ANTHROPIC_API_KEY: 'sk-ant-api03-canarycanary',
  SLACK_BOT_TOKEN: 'xoxb-1234567890-canary',
  SLACK_APP_TOKEN: 'xapp-1-A000-canary',
  SLACK_SIGNING_SECRET: '0123456789abcdef0123456789abcdef',
  SLACK_CLIENT_SECRET: 'canary-client-secret',
  SLACK_STATE_SECRET: 'canary-state-secret',
  TELEGRAM_BOT_TOKEN: '123456789:AAcanarycanarycanarycanary',
  TELEGRAM_WEBHOOK_SECRET: 'canary_secret-1',
}
/** What stands beside the secrets. */
const open = { SLACK_CLIENT_ID: '123.456', TELEGRAM_WEBHOOK_URL: 'https://qm.example.com/hook' }

function mistakesOf(environment: Record<string, string>): string {
  try {
    parseBotEnv(environment)
  } catch (error) {
    return (error as Error).message
  }
  return ''
}

test('a bot without any setting has its defaults, and nothing is connected', () => {
  const env = parseBotEnv({})
  expect(env).toMatchObject({
    gateway: { port: 3001, bind: '127.0.0.1' },
    roles: ['ingress', 'worker'],
    logLevel: 'info',
    model: null,
    slack: null,
    telegram: null,
    policy: {},
    secrets: [],
  })
  expect(env.data.dir).toMatch(/\/\.data$/)
  expect(env.workspaceRoot).toMatch(/\/\.data\/files$/)
})

test('good settings come out grouped and frozen, with every secret listed for the log', () => {
  const env = parseBotEnv({ ...good, ...open, QM_ROLES: ' worker ', SLACK_API_URL: 'http://127.0.0.1:9/api' })
  expect(env.roles).toEqual(['worker'])
  expect(env.slack).toMatchObject({ botToken: good.SLACK_BOT_TOKEN, apiUrl: 'http://127.0.0.1:9/api/' })
  for (const [name, value] of Object.entries(good))
    expect(env.secrets, name).toContain(name === 'DATABASE_URL' ? 'hunter22' : value)
  expect(() => Object.assign(env.gateway, { port: 1 })).toThrow(TypeError)
})

test.each([
  ['DATABASE_URL', 'mysql://u:canary@h/d', /postgresql:\/\//],
  ['QM_MASTER_KEY', 'canary', /32 bytes/],
  ['QM_BOT_PORT', '70000', /1 to 65535/],
  ['QM_BIND', 'not an address', /address of this machine/],
  ['QM_ROLES', 'worker,canary', /ingress, worker/],
  ['LOG_LEVEL', 'canary', /one of trace, debug/],
  ['ANTHROPIC_API_KEY', 'canary', /sk-ant-/],
  ['ANTHROPIC_BASE_URL', 'canary', /https:\/\//],
  ['ANTHROPIC_SERVER_TOOLS', 'canary', /true or false/],
  ['SLACK_BOT_TOKEN', 'xoxp-canary-canary', /xoxb-/],
  ['SLACK_APP_TOKEN', 'xoxb-canary-canary', /xapp-/],
  ['SLACK_SIGNING_SECRET', 'canary', /32 hexadecimal/],
  ['SLACK_CLIENT_ID', 'canary', /digits, a dot/],
  ['SLACK_CLIENT_SECRET', 'canary', /16 characters/],
  ['SLACK_STATE_SECRET', 'canary', /16 characters/],
  ['QM_PUBLIC_URL', 'canary', /https:\/\//],
  ['TELEGRAM_WEBHOOK_URL', 'http://canary.example', /https:\/\//],
  ['SLACK_API_URL', 'ftp://canary', /https:\/\//],
  ['TELEGRAM_BOT_TOKEN', 'canary', /BotFather/],
  ['TELEGRAM_API_ROOT', 'canary', /https:\/\//],
  ['TELEGRAM_WEBHOOK_SECRET', 'canary with spaces', /1 to 256/],
  ['POLICY_GIT_ALLOW_PUSH', 'canary', /true or false/],
  ['POLICY_GIT_REQUIRE_TESTS', 'canary', /true or false/],
  ['WEB_SEARCH_ALLOWED_HOSTS', 'github.com,https://canary', /hosts such as/],
  ['POLICY_MAX_STEPS', '-7', /1 to 1000/],
])('%s: a wrong value is refused by its name and what was expected, and is not repeated', (name, value, expected) => {
  const message = mistakesOf({ ...good, ...open, [name]: value })
  expect(message).toContain(`- ${name}: expected`)
  expect(message).toMatch(expected)
  expect(message).not.toContain(value)
  expect(mistakesOf({ ...good, ...open })).toBe('')
})

test('every mistake is told at once', () => {
  const message = mistakesOf({ QM_BOT_PORT: 'x', QM_ROLES: 'x', LOG_LEVEL: 'x', SLACK_BOT_TOKEN: 'x' })
  for (const name of ['QM_BOT_PORT', 'QM_ROLES', 'LOG_LEVEL', 'SLACK_BOT_TOKEN'])
    expect(message).toContain(`- ${name}:`)
})

test('a setting that needs another one says which', () => {
  expect(mistakesOf({ SLACK_BOT_TOKEN: good.SLACK_BOT_TOKEN })).toMatch(/SLACK_APP_TOKEN .* or SLACK_SIGNING_SECRET/)
  expect(mistakesOf({ SLACK_BOT_TOKEN: good.SLACK_BOT_TOKEN, SLACK_APP_TOKEN: good.SLACK_APP_TOKEN })).toBe('')
  expect(mistakesOf({ SLACK_APP_TOKEN: good.SLACK_APP_TOKEN })).toContain('SLACK_BOT_TOKEN to be set')
  expect(mistakesOf({ SLACK_SIGNING_SECRET: good.SLACK_SIGNING_SECRET })).toContain('SLACK_BOT_TOKEN to be set')
  expect(mistakesOf({ TELEGRAM_WEBHOOK_SECRET: 'abc' })).toContain('TELEGRAM_BOT_TOKEN to be set')
  const { TELEGRAM_BOT_TOKEN } = good
  expect(mistakesOf({ TELEGRAM_BOT_TOKEN, TELEGRAM_WEBHOOK_URL: open.TELEGRAM_WEBHOOK_URL })).toContain(
    'TELEGRAM_WEBHOOK_SECRET to be set',
  )
})

test('Slack can be without a bot token where teams install the app themselves, and with all that OAuth needs', () => {
  const { SLACK_SIGNING_SECRET, SLACK_CLIENT_SECRET, SLACK_STATE_SECRET } = good
  const { SLACK_CLIENT_ID } = open
  const oauth = { SLACK_SIGNING_SECRET, SLACK_CLIENT_ID, SLACK_CLIENT_SECRET, SLACK_STATE_SECRET }
  const { slack } = parseBotEnv({ ...oauth, QM_PUBLIC_URL: 'https://qm.example.com/' })
  expect(slack).toMatchObject({ oauth: { clientId: SLACK_CLIENT_ID, clientSecret: SLACK_CLIENT_SECRET } })
  expect(slack).not.toHaveProperty('botToken')
  expect(parseBotEnv({ QM_PUBLIC_URL: 'https://qm.example.com/' }).consoleUrl).toBe('https://qm.example.com')
  for (const name of ['SLACK_CLIENT_ID', 'SLACK_CLIENT_SECRET', 'SLACK_STATE_SECRET'] as const)
    expect(mistakesOf({ ...oauth, [name]: '' })).toContain(`${name} to be set beside it`)
  expect(mistakesOf({ ...oauth, SLACK_SIGNING_SECRET: '' })).toContain('SLACK_APP_TOKEN (Socket Mode)')
})

test('the installation’s policy comes out as it was written, and tests need a command', () => {
  const policy = {
    POLICY_GIT_ALLOW_PUSH: 'false',
    POLICY_GIT_REQUIRE_TESTS: 'true',
    POLICY_GIT_TEST_COMMAND: 'npm test',
    WEB_SEARCH_ALLOWED_HOSTS: 'github.com,*.example.com',
    POLICY_MAX_STEPS: '8',
  }
  expect(parseBotEnv(policy).policy).toEqual(policy)
  const { POLICY_GIT_TEST_COMMAND: _, ...without } = policy
  expect(mistakesOf(without)).toContain('POLICY_GIT_TEST_COMMAND to be set beside it')
  expect(mistakesOf({ ...without, POLICY_GIT_REQUIRE_TESTS: 'false' })).toBe('')
})

test('a key of another kind is taken where another model server is set', () => {
  expect(parseBotEnv({ ANTHROPIC_API_KEY: 'local', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }).model?.apiKey).toBe(
    'local',
  )
})

test('whether a model server has tools of its own is said beside its key', () => {
  const model = { ANTHROPIC_API_KEY: 'local', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' }
  expect(parseBotEnv(model).model).not.toHaveProperty('serverTools')
  for (const said of [true, false])
    expect(parseBotEnv({ ...model, ANTHROPIC_SERVER_TOOLS: `${said}` }).model).toMatchObject({ serverTools: said })
  expect(mistakesOf({ ANTHROPIC_SERVER_TOOLS: 'true' })).toContain('ANTHROPIC_API_KEY to be set beside it')
})

test('a secret can lie in a file, and counts as one for the log', () => {
  const folder = mkdtempSync(join(tmpdir(), 'qm-env-'))
  try {
    writeFileSync(join(folder, 'token'), `${good.TELEGRAM_BOT_TOKEN}\n`)
    const env = parseBotEnv({ TELEGRAM_BOT_TOKEN_FILE: join(folder, 'token') })
    expect(env.telegram?.botToken).toBe(good.TELEGRAM_BOT_TOKEN)
    expect(env.secrets).toContain(good.TELEGRAM_BOT_TOKEN)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('the settings of single tools come out as what the tools take', () => {
  expect(parseBotEnv({ AUDIO_TRANSCRIBE_COMMAND: `whisper --model "a b" '{file}'` }).listening).toEqual({
    command: ['whisper', '--model', 'a b', '{file}'],
  })
  const env = parseBotEnv({
    AUDIO_TRANSCRIBE_URL: 'https://api.example.com/v1/audio/transcriptions',
    AUDIO_TRANSCRIBE_KEY: 'key-canary-1',
    WEB_SEARCH_PROVIDER: 'brave',
    WEB_SEARCH_API_KEY: 'key-canary-2',
    WEB_PRIVATE_HOSTS: 'wiki.internal, 10.0.0.7:8080',
  })
  expect(env.listening).toMatchObject({ endpoint: { key: 'key-canary-1', model: 'whisper-1' } })
  expect(env.search).toEqual({ provider: 'brave', apiKey: 'key-canary-2' })
  expect(env.privateHosts).toEqual(['wiki.internal', '10.0.0.7:8080'])
  expect(env.secrets).toEqual(expect.arrayContaining(['key-canary-1', 'key-canary-2']))
  expect(parseBotEnv({ WEB_SEARCH_ENDPOINT: 'http://localhost:8888/search' }).search).toMatchObject({
    provider: 'searxng',
  })
})

test.each([
  [{ AUDIO_TRANSCRIBE_COMMAND: 'whisper' }, /AUDIO_TRANSCRIBE_COMMAND.*\{file\}/],
  [{ AUDIO_TRANSCRIBE_KEY: 'canary' }, /AUDIO_TRANSCRIBE_URL to be set/],
  [{ WEB_SEARCH_PROVIDER: 'brave' }, /WEB_SEARCH_API_KEY to be set/],
  [{ WEB_SEARCH_PROVIDER: 'searxng' }, /WEB_SEARCH_ENDPOINT to be set/],
  [{ WEB_SEARCH_PROVIDER: 'canary' }, /WEB_SEARCH_PROVIDER/],
  [{ WEB_PRIVATE_HOSTS: 'http://canary/' }, /WEB_PRIVATE_HOSTS.*hosts such as/],
  [{ QM_BROWSER: 'chromium' }, /QM_BROWSER.*absolute path/],
])('a setting of a tool that cannot work is named: %o', (environment, mistake) => {
  const mistakes = mistakesOf(environment as Record<string, string>)
  expect(mistakes).toMatch(mistake)
  expect(mistakes).not.toContain('canary')
})
