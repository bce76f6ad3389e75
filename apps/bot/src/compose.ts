// The only place where the parts of the bot meet, in the order of the flow.
import { hostname } from 'node:os'
import {
  checkMasterKey,
  type Database,
  loadMasterKeys,
  newId,
  openDatabase,
  Problem,
  type ProcessHealth,
  pendingMigrations,
  saveInstallationPolicy,
  syncTools,
} from '@quartermaster/db'
import { findRunningPostgres } from '@quartermaster/db/embedded-postgres'
import packageJson from '../package.json' with { type: 'json' }
import type { BotEnv } from './env.ts'
import { createGateway } from './gateway/create-gateway.ts'
import { createMetrics } from './gateway/metrics.ts'
import { createReadinessCheck } from './gateway/readiness.ts'
import { serveGateway } from './gateway/serve-gateway.ts'
import { announce } from './health/announce.ts'
import { lookAround } from './health/look-around.ts'
import { maintenanceCrontab, maintenanceTasks } from './jobs/maintenance.ts'
import { startWorker } from './jobs/start-worker.ts'
import { limits } from './limits.ts'
import type { Log } from './log.ts'
import { StopStack } from './stop-stack.ts'
import { composeRegistry, definitionOf } from './tools/compose-registry.ts'

export interface Bot {
  id: string
  gatewayUrl: string
  health(): ProcessHealth
  /** Ends every part, the one that was started last first. */
  stop(): Promise<void>
}

/** Starts everything, or nothing: when a part fails, those before it are stopped and the failure is thrown. */
export async function composeBot(env: BotEnv, databaseUrl: string, log: Log): Promise<Bot> {
  const id = newId('prc')
  const parts = new StopStack(log)
  try {
    const db = await openCheckedDatabase(databaseUrl, log)
    parts.add('database', () => db.close(), limits.farewellMs)

    const keys = loadMasterKeys({
      key: env.data.masterKey,
      previous: env.data.previousMasterKey,
      dataDir: env.data.dir,
      mayCreate: false,
    })
    await checkMasterKey(db, keys)

    // Before anything is ready: what the console offers and what people attach is what this process has.
    const registry = composeRegistry()
    const synced = await syncTools(db, registry.list().map(definitionOf))
    if (Object.values(synced).some((names) => names.length)) log.info(synced, 'the registry of tools changed')
    await saveInstallationPolicy(db, env.policy)

    const readiness = createReadinessCheck(db)
    const metrics = createMetrics(db, log)
    const gateway = await serveGateway(createGateway({ readiness, metrics, log }), env.gateway)
    parts.add('gateway', () => gateway.close(), limits.drainMs + 500)

    const presence = await announce({
      db,
      log,
      self: {
        id,
        kind: 'bot',
        version: packageJson.version,
        host: hostname(),
        pid: process.pid,
        roles: [...env.roles],
      },
      lookAround: (signal) => lookAround(env, signal),
    })
    parts.add('presence', () => presence.stop(), limits.farewellMs)

    if (env.roles.includes('worker')) {
      const worker = await startWorker({ db, log, tasks: maintenanceTasks(db, log), crontab: maintenanceCrontab })
      parts.add('worker', () => worker.stop(), limits.drainMs + 500)
    }

    parts.add('readiness', async () => readiness.stop(), limits.farewellMs)
    return { id, gatewayUrl: gateway.url, health: presence.health, stop: () => parts.stop() }
  } catch (error) {
    await parts.stop()
    throw error
  }
}

/** The address that is set, or the embedded server that `npm start` runs on the data folder. */
export function findDatabaseUrl(data: BotEnv['data']): string {
  const url = data.databaseUrl ?? findRunningPostgres(data.dir)
  if (url) return url
  throw new Problem(
    `There is no database: DATABASE_URL is not set, and no embedded PostgreSQL runs on ${data.dir}.`,
    'Run "npm start", which starts it, or set DATABASE_URL.',
  )
}

async function openCheckedDatabase(url: string, log: Log): Promise<Database> {
  const pending = await pendingMigrations(url)
  if (pending.length)
    throw new Problem(
      `The database lacks ${pending.length === 1 ? 'a migration' : `${pending.length} migrations`} (${pending[0]}${pending.length > 1 ? ' …' : ''}).`,
      'Run "npm run db:migrate" (npm start does it by itself), then start again.',
    )
  const db = openDatabase(url, { name: 'qm-bot', maxConnections: limits.databaseConnections })
  // A connection that breaks while it is in use tells its query, and says it once more as an event. Unheard, that
  // event would end the process whenever the database restarts.
  db.pool.on('connect', (client) => client.on('error', (error) => log.debug({ error }, 'a connection broke')))
  return db
}
