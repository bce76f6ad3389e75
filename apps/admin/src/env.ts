// The only place of the console that reads process.env.
import { join, resolve } from 'node:path'
import {
  address,
  dataVariables,
  type Environment,
  port,
  projectRoot,
  readEnvironment,
  SettingsProblem,
  withDotEnv,
} from '@quartermaster/db'
import { z } from 'zod'

const yes = z
  .enum(['0', '1', 'true', 'false'])
  .default('0')
  .transform((value) => value === '1' || value === 'true')

export const consoleVariables = {
  ...dataVariables,
  PORT: port(3000),
  // Only this machine can reach the console unless somebody says otherwise.
  QM_BIND: z.string().default('127.0.0.1'),
  QM_PUBLIC_URL: address(['https:', 'http:']).optional(),
  // Whether X-Forwarded-For of the request is believed. Only right behind a proxy that sets it itself.
  QM_TRUST_PROXY: yes,
  // How many requests of the REST API a key or a session may make in a minute, over all processes.
  QM_API_RATE: z
    .string()
    .regex(/^[1-9]\d{0,6}$/, 'a whole number from 1 to 9999999')
    .transform(Number)
    .default(600),
  // The build to serve, as a folder of apps/admin; next.config.ts reads it too.
  QM_CONSOLE_DIST: z.string().default('.next'),
  // Where the bot keeps the agents' files; the same as the bot's, if both are to see the same.
  WORKSPACE_ROOT: z
    .string()
    .transform((path) => resolve(projectRoot, path))
    .optional(),
  OIDC_ISSUER: address(['https:', 'http:']).optional(),
  OIDC_CLIENT_ID: z.string().optional(),
  OIDC_CLIENT_SECRET: z.string().optional(),
  OIDC_NAME: z.string().max(40, 'at most 40 characters').default('single sign-on'),
}

export interface Oidc {
  issuer: string
  clientId: string
  clientSecret: string
  name: string
}

export interface ConsoleEnv {
  port: number
  bind: string
  /** The address people use, without a path; null on a machine that only its own user reaches. */
  publicUrl: URL | null
  trustProxy: boolean
  apiRate: number
  dist: string
  databaseUrl: string | null
  dataDir: string
  /** The folder with one folder a workspace, as the bot names it. */
  workspaceRoot: string
  masterKey: Buffer | undefined
  previousMasterKey: Buffer | undefined
  oidc: Oidc | null
}

export function readConsoleEnv(environment: Environment = withDotEnv(process.env)): ConsoleEnv {
  const env = readEnvironment(consoleVariables, environment)
  return {
    port: env.PORT,
    bind: env.QM_BIND,
    publicUrl: env.QM_PUBLIC_URL ? originOf(env.QM_PUBLIC_URL) : null,
    trustProxy: env.QM_TRUST_PROXY,
    apiRate: env.QM_API_RATE,
    dist: env.QM_CONSOLE_DIST,
    databaseUrl: env.DATABASE_URL ?? null,
    dataDir: env.QM_DATA_DIR,
    workspaceRoot: env.WORKSPACE_ROOT ?? join(env.QM_DATA_DIR, 'files'),
    masterKey: env.QM_MASTER_KEY,
    previousMasterKey: env.QM_MASTER_KEY_PREVIOUS,
    oidc: oidcOf(env),
  }
}

/** What Next, React and next-auth look for themselves. Call it before any of them is loaded. */
export function prepareProcess(dev: boolean): void {
  Object.assign(process.env, {
    // They choose their production or development build by this.
    NODE_ENV: dev ? 'development' : 'production',
    NEXT_TELEMETRY_DISABLED: '1',
    // next-auth then builds its addresses from the forwarded host, which is always ours: the door sets it.
    AUTH_TRUST_HOST: '1',
  })
}

function originOf(address: string): URL {
  const url = new URL(address)
  if (url.pathname === '/' && !url.search && !url.hash && !url.username) return url
  throw new SettingsProblem([
    'QM_PUBLIC_URL: expected a scheme and a host and nothing behind them, e.g. https://qm.example.com',
  ])
}

function oidcOf(env: {
  OIDC_ISSUER?: string | undefined
  OIDC_CLIENT_ID?: string | undefined
  OIDC_CLIENT_SECRET?: string | undefined
  OIDC_NAME: string
}): Oidc | null {
  const { OIDC_ISSUER: issuer, OIDC_CLIENT_ID: clientId, OIDC_CLIENT_SECRET: clientSecret } = env
  if (issuer && clientId && clientSecret) return { issuer, clientId, clientSecret, name: env.OIDC_NAME }
  if (!issuer && !clientId && !clientSecret) return null
  const missing = Object.entries({
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: clientId,
    OIDC_CLIENT_SECRET: clientSecret,
  }).flatMap(([name, value]) => (value ? [] : [name]))
  throw new SettingsProblem(
    missing.map(
      (name) => `${name} is not set: expected all of OIDC_ISSUER, OIDC_CLIENT_ID, OIDC_CLIENT_SECRET or none`,
    ),
  )
}
