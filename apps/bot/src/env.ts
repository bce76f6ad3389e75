// The only place of the bot that reads its settings. What each one is for is told in .env.example.
import { join, resolve } from 'node:path'
import {
  address,
  dataVariables,
  type Environment,
  port,
  projectRoot,
  readEnvironment,
  withDotEnv,
} from '@quartermaster/db'
import { fromLynkrSettings, type LynkrSettings, type SearchSettings } from '@quartermaster/tools'
import { z } from 'zod'
import { parseCommand } from './parse-command.ts'
import type { Listening } from './senses/create-senses.ts'

export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

export const botRoles = ['ingress', 'worker'] as const
export type BotRole = (typeof botRoles)[number]

export interface BotEnv {
  data: { databaseUrl?: string; dir: string; masterKey?: Buffer; previousMasterKey?: Buffer }
  gateway: { port: number; bind: string }
  roles: readonly BotRole[]
  logLevel: LogLevel
  /** The folder under which agents' files lie, one folder a workspace. */
  workspaceRoot: string
  model: { apiKey: string; baseUrl?: string; serverTools?: boolean } | null
  /** Where people open the console, for links out of the chat, without a slash at its end; null where nobody said. */
  consoleUrl: string | null
  /** Without a bot token, teams install the app through OAuth. */
  slack: {
    botToken?: string
    appToken?: string
    signingSecret?: string
    oauth?: { clientId: string; clientSecret: string; stateSecret: string }
    apiUrl: string
  } | null
  telegram: { botToken: string; apiRoot: string; webhookUrl?: string; webhookSecret?: string } | null
  /** What transcribes recordings. */
  listening: Listening | null
  search: SearchSettings | null
  /** Hosts of the owner's own network that web tools and the browser may reach. */
  privateHosts: readonly string[]
  /** The browser that was set; else one is looked for. */
  browser: string | null
  /** Lynkr's policy settings, as they were written; they hold in every workspace. */
  policy: Readonly<LynkrSettings>
  /** Every value above that must never be shown, for the log to mask. */
  secrets: readonly string[]
}

/** The variables of this process, with `.env` beneath them. */
export const readBotEnv = (): BotEnv => parseBotEnv(withDotEnv(process.env))

/** Throws one Problem that names every mistake, and never a value. */
export function parseBotEnv(environment: Environment): BotEnv {
  const values = readEnvironment(botVariables(environment), environment)
  const env: BotEnv = {
    data: {
      ...given('databaseUrl', values.DATABASE_URL),
      dir: values.QM_DATA_DIR,
      ...given('masterKey', values.QM_MASTER_KEY),
      ...given('previousMasterKey', values.QM_MASTER_KEY_PREVIOUS),
    },
    gateway: { port: values.QM_BOT_PORT, bind: values.QM_BIND },
    roles: values.QM_ROLES,
    logLevel: values.LOG_LEVEL,
    workspaceRoot: values.WORKSPACE_ROOT ?? join(values.QM_DATA_DIR, 'files'),
    model: values.ANTHROPIC_API_KEY
      ? {
          apiKey: values.ANTHROPIC_API_KEY,
          ...given('baseUrl', values.ANTHROPIC_BASE_URL),
          ...given('serverTools', values.ANTHROPIC_SERVER_TOOLS),
        }
      : null,
    consoleUrl: values.QM_PUBLIC_URL?.replace(/\/+$/, '') ?? null,
    slack: slackOf(values),
    telegram: values.TELEGRAM_BOT_TOKEN
      ? {
          botToken: values.TELEGRAM_BOT_TOKEN,
          apiRoot: values.TELEGRAM_API_ROOT,
          ...given('webhookUrl', values.TELEGRAM_WEBHOOK_URL),
          ...given('webhookSecret', values.TELEGRAM_WEBHOOK_SECRET),
        }
      : null,
    listening: values.AUDIO_TRANSCRIBE_COMMAND
      ? { command: values.AUDIO_TRANSCRIBE_COMMAND }
      : values.AUDIO_TRANSCRIBE_URL
        ? {
            endpoint: {
              url: values.AUDIO_TRANSCRIBE_URL,
              model: values.AUDIO_TRANSCRIBE_MODEL,
              ...given('key', values.AUDIO_TRANSCRIBE_KEY),
            },
          }
        : null,
    search: searchOf(values),
    privateHosts: values.WEB_PRIVATE_HOSTS,
    browser: values.QM_BROWSER ?? null,
    policy: {
      ...given('POLICY_GIT_ALLOW_PUSH', values.POLICY_GIT_ALLOW_PUSH),
      ...given('POLICY_GIT_REQUIRE_TESTS', values.POLICY_GIT_REQUIRE_TESTS),
      ...given('POLICY_GIT_TEST_COMMAND', values.POLICY_GIT_TEST_COMMAND),
      ...given('WEB_SEARCH_ALLOWED_HOSTS', values.WEB_SEARCH_ALLOWED_HOSTS),
      ...given('POLICY_MAX_STEPS', values.POLICY_MAX_STEPS),
    },
    secrets: [],
  }
  return deepFreeze({ ...env, secrets: secretsOf(env, environment) })
}

/** What the bot understands. The rules between variables are rules of the one that is wrong without the other. */
export function botVariables(environment: Environment) {
  const isSet = (name: string) => Boolean(environment[name] || environment[`${name}_FILE`])
  return {
    ...dataVariables,
    QM_BOT_PORT: port(3001),
    QM_BIND: z
      .string()
      .regex(/^[\w.:-]+$/, 'an address of this machine, e.g. 127.0.0.1 or 0.0.0.0')
      .default('127.0.0.1'),
    QM_ROLES: z
      .string()
      .transform((list) => list.split(',').map((role) => role.trim()))
      .refine(isRoles, `one or more of ${botRoles.join(', ')}, with commas between them`)
      .transform((roles) => roles.filter((role): role is BotRole => isRoles([role])))
      .default([...botRoles]),
    LOG_LEVEL: z.enum(logLevels).default('info'),
    WORKSPACE_ROOT: z
      .string()
      .transform((path) => resolve(projectRoot, path))
      .optional(),
    ANTHROPIC_API_KEY: z
      .string()
      .refine(
        // Another server that speaks the same API gives keys of its own kind.
        (key) => (isSet('ANTHROPIC_BASE_URL') ? /^\S+$/ : /^sk-ant-[\w-]{10,}$/).test(key),
        'a key that starts with sk-ant-',
      )
      .optional(),
    ANTHROPIC_BASE_URL: address(['https:', 'http:']).optional(),
    ANTHROPIC_SERVER_TOOLS: z
      .string()
      .refine((value) => ['true', 'false'].includes(value), 'true or false')
      .refine(() => isSet('ANTHROPIC_API_KEY'), 'ANTHROPIC_API_KEY to be set beside it')
      .transform((value) => value === 'true')
      .optional(),
    QM_PUBLIC_URL: address(['https:', 'http:']).optional(),
    SLACK_BOT_TOKEN: z
      .string()
      .regex(/^(xoxe\.)?xoxb-[\w.-]{10,}$/, 'a bot token, which starts with xoxb-')
      .refine(
        () => isSet('SLACK_APP_TOKEN') || isSet('SLACK_SIGNING_SECRET'),
        'SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP) to be set beside it',
      )
      .optional(),
    SLACK_APP_TOKEN: z
      .string()
      .regex(/^xapp-[\w-]{10,}$/, 'an app-level token, which starts with xapp-')
      .refine(...needsSlackTeam(isSet))
      .optional(),
    SLACK_SIGNING_SECRET: z
      .string()
      .regex(/^[0-9a-f]{32}$/i, '32 hexadecimal digits')
      .refine(...needsSlackTeam(isSet))
      .optional(),
    SLACK_CLIENT_ID: z
      .string()
      .regex(/^\d+\.\d+$/, 'the client id of the app: digits, a dot and digits')
      .refine(
        () => isSet('SLACK_APP_TOKEN') || isSet('SLACK_SIGNING_SECRET'),
        'SLACK_APP_TOKEN (Socket Mode) or SLACK_SIGNING_SECRET (HTTP) to be set beside it',
      )
      .refine(() => isSet('SLACK_CLIENT_SECRET'), 'SLACK_CLIENT_SECRET to be set beside it')
      .refine(() => isSet('SLACK_STATE_SECRET'), 'SLACK_STATE_SECRET to be set beside it')
      .optional(),
    SLACK_CLIENT_SECRET: z
      .string()
      .regex(/^\S{16,}$/, 'the client secret of the app: 16 characters or more, without spaces')
      .refine(() => isSet('SLACK_CLIENT_ID'), 'SLACK_CLIENT_ID to be set beside it')
      .optional(),
    SLACK_STATE_SECRET: z
      .string()
      .regex(/^\S{16,}$/, '16 characters or more, without spaces')
      .refine(() => isSet('SLACK_CLIENT_ID'), 'SLACK_CLIENT_ID to be set beside it')
      .optional(),
    SLACK_API_URL: address(['https:', 'http:'])
      .transform((url) => (url.endsWith('/') ? url : `${url}/`))
      .default('https://slack.com/api/'),
    TELEGRAM_BOT_TOKEN: z
      .string()
      .regex(/^\d{3,}:[\w-]{20,}$/, "a token as @BotFather gives it: digits, a colon, and letters, digits, '_' or '-'")
      .optional(),
    TELEGRAM_API_ROOT: address(['https:', 'http:'])
      .transform((url) => url.replace(/\/+$/, ''))
      .default('https://api.telegram.org'),
    TELEGRAM_WEBHOOK_URL: address(['https:', 'http:'])
      // Telegram calls https only; another server, or an emulator, may call anything.
      .refine((url) => url.startsWith('https:') || isSet('TELEGRAM_API_ROOT'), 'an address that starts with https://')
      .refine(() => isSet('TELEGRAM_BOT_TOKEN'), 'TELEGRAM_BOT_TOKEN to be set beside it')
      .refine(() => isSet('TELEGRAM_WEBHOOK_SECRET'), 'TELEGRAM_WEBHOOK_SECRET to be set beside it')
      .optional(),
    TELEGRAM_WEBHOOK_SECRET: z
      .string()
      .regex(/^[A-Za-z0-9_-]{1,256}$/, "1 to 256 of A-Z, a-z, 0-9, '_' and '-'")
      .refine(() => isSet('TELEGRAM_BOT_TOKEN'), 'TELEGRAM_BOT_TOKEN to be set beside it')
      .optional(),
    POLICY_GIT_ALLOW_PUSH: policySetting('POLICY_GIT_ALLOW_PUSH', 'true or false'),
    POLICY_GIT_REQUIRE_TESTS: policySetting('POLICY_GIT_REQUIRE_TESTS', 'true or false').refine(
      (value) => !isOn(value) || isSet('POLICY_GIT_TEST_COMMAND'),
      'POLICY_GIT_TEST_COMMAND to be set beside it',
    ),
    POLICY_GIT_TEST_COMMAND: z.string().trim().min(1, 'a command, e.g. npm test').optional(),
    WEB_SEARCH_ALLOWED_HOSTS: policySetting(
      'WEB_SEARCH_ALLOWED_HOSTS',
      'hosts such as github.com or *.example.com, with commas between them',
    ),
    POLICY_MAX_STEPS: policySetting('POLICY_MAX_STEPS', 'a whole number from 1 to 1000'),
    ...toolVariables(isSet),
  }
}

/** A rule for what serves no team by itself. */
const needsSlackTeam = (isSet: (name: string) => boolean): [() => boolean, string] => [
  () => isSet('SLACK_BOT_TOKEN') || isSet('SLACK_CLIENT_ID'),
  'SLACK_BOT_TOKEN to be set beside it, or SLACK_CLIENT_ID where teams install the app themselves',
]

/** What single tools need of the installation. */
const toolVariables = (isSet: (name: string) => boolean) => ({
  AUDIO_TRANSCRIBE_URL: address(['https:', 'http:'])
    .refine(() => !isSet('AUDIO_TRANSCRIBE_COMMAND'), 'not to be set beside AUDIO_TRANSCRIBE_COMMAND')
    .optional(),
  AUDIO_TRANSCRIBE_KEY: z
    .string()
    .regex(/^\S+$/, 'a key without spaces')
    .refine(() => isSet('AUDIO_TRANSCRIBE_URL'), 'AUDIO_TRANSCRIBE_URL to be set beside it')
    .optional(),
  AUDIO_TRANSCRIBE_MODEL: z.string().trim().min(1, "a model's name").default('whisper-1'),
  AUDIO_TRANSCRIBE_COMMAND: z
    .string()
    .transform(parseCommand)
    .refine((words) => words.some((word) => word.includes('{file}')), 'a command with {file} in it')
    .optional(),
  WEB_SEARCH_PROVIDER: z
    .enum(['brave', 'tavily', 'searxng'])
    .refine((name) => name === 'searxng' || isSet('WEB_SEARCH_API_KEY'), 'WEB_SEARCH_API_KEY to be set beside it')
    .refine((name) => name !== 'searxng' || isSet('WEB_SEARCH_ENDPOINT'), 'WEB_SEARCH_ENDPOINT to be set beside it')
    .optional(),
  WEB_SEARCH_ENDPOINT: address(['https:', 'http:']).optional(),
  WEB_SEARCH_API_KEY: z
    .string()
    .regex(/^\S+$/, 'a key without spaces')
    .refine(
      () => isSet('WEB_SEARCH_PROVIDER') || isSet('WEB_SEARCH_ENDPOINT'),
      'WEB_SEARCH_PROVIDER to be set beside it',
    )
    .optional(),
  WEB_PRIVATE_HOSTS: z
    .string()
    .transform((list) => list.split(',').map((host) => host.trim()))
    .refine(
      (hosts) => hosts.every((host) => /^(\*\.)?[\w.-]+(:\d{1,5})?$|^\[[\da-f:.]+\](:\d{1,5})?$/i.test(host)),
      'hosts such as wiki.internal or 10.0.0.7:8080, with commas between them',
    )
    .default([]),
  QM_BROWSER: z
    .string()
    .refine((path) => path.startsWith('/'), 'the absolute path of a browser')
    .optional(),
})

/** Connected with the token of one team, or for every team that installs the app (OAuth), or both. */
function slackOf(values: {
  SLACK_BOT_TOKEN?: string | undefined
  SLACK_APP_TOKEN?: string | undefined
  SLACK_SIGNING_SECRET?: string | undefined
  SLACK_CLIENT_ID?: string | undefined
  SLACK_CLIENT_SECRET?: string | undefined
  SLACK_STATE_SECRET?: string | undefined
  SLACK_API_URL: string
}): BotEnv['slack'] {
  const { SLACK_CLIENT_ID: clientId, SLACK_CLIENT_SECRET: clientSecret, SLACK_STATE_SECRET: stateSecret } = values
  const oauth = clientId && clientSecret && stateSecret ? { clientId, clientSecret, stateSecret } : undefined
  if (!values.SLACK_BOT_TOKEN && !oauth) return null
  return {
    ...given('botToken', values.SLACK_BOT_TOKEN),
    ...given('appToken', values.SLACK_APP_TOKEN),
    ...given('signingSecret', values.SLACK_SIGNING_SECRET),
    ...given('oauth', oauth),
    apiUrl: values.SLACK_API_URL,
  }
}

/** SearXNG is meant where only an address is given: it is the one that has none of its own. */
function searchOf(values: {
  WEB_SEARCH_PROVIDER?: SearchSettings['provider'] | undefined
  WEB_SEARCH_ENDPOINT?: string | undefined
  WEB_SEARCH_API_KEY?: string | undefined
}): SearchSettings | null {
  const { WEB_SEARCH_PROVIDER: provider, WEB_SEARCH_ENDPOINT: endpoint, WEB_SEARCH_API_KEY: apiKey } = values
  if (!provider && !endpoint) return null
  return { provider: provider ?? 'searxng', ...given('endpoint', endpoint), ...given('apiKey', apiKey) }
}

/** What the policy itself can read; how is known there, and told here only for the message. */
const policySetting = (name: keyof LynkrSettings, expected: string) =>
  z
    .string()
    .refine((value) => {
      try {
        fromLynkrSettings({ POLICY_GIT_TEST_COMMAND: 'npm test', [name]: value })
        return true
      } catch {
        return false
      }
    }, expected)
    .optional()

const isOn = (value: string | undefined) => ['true', '1'].includes(value?.trim().toLowerCase() ?? '')

const isRoles = (list: string[]): list is BotRole[] =>
  list.length > 0 && list.every((role) => (botRoles as readonly string[]).includes(role))

/** A property that is there exactly when it has a value. */
function given<Name extends string, Value>(name: Name, value: Value | undefined): { [key in Name]?: Value } {
  return value === undefined ? {} : ({ [name]: value } as { [key in Name]?: Value })
}

function secretsOf(env: BotEnv, environment: Environment): string[] {
  const keys = [env.data.masterKey, env.data.previousMasterKey].flatMap((key) =>
    key ? [key.toString('hex'), key.toString('base64'), key.toString('base64url')] : [],
  )
  const values = [
    ...keys,
    environment.QM_MASTER_KEY,
    environment.QM_MASTER_KEY_PREVIOUS,
    env.data.databaseUrl && passwordOf(env.data.databaseUrl),
    env.model?.apiKey,
    env.slack?.botToken,
    env.slack?.appToken,
    env.slack?.signingSecret,
    env.slack?.oauth?.clientSecret,
    env.slack?.oauth?.stateSecret,
    env.telegram?.botToken,
    env.telegram?.webhookSecret,
    env.search?.apiKey,
    env.listening && 'endpoint' in env.listening && env.listening.endpoint.key,
  ]
  return values.filter((value): value is string => Boolean(value))
}

/** The password in a database's address, as it is meant. */
export function passwordOf(databaseUrl: string): string {
  const { password } = new URL(databaseUrl)
  try {
    return decodeURIComponent(password)
  } catch {
    return password // A "%" that begins no escape stands for itself, as it does for the driver.
  }
}

function deepFreeze<T extends object>(value: T): T {
  for (const part of Object.values(value))
    if (typeof part === 'object' && part && !Buffer.isBuffer(part)) deepFreeze(part)
  return Object.freeze(value)
}
