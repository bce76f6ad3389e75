// The only place where the parts of the bot meet, in the order of the flow.
import { hostname } from 'node:os'
import {
  checkMasterKey,
  type Database,
  listen,
  loadMasterKeys,
  type Notice,
  newId,
  openDatabase,
  Problem,
  type ProcessHealth,
  pendingMigrations,
  policyChannel,
  queuedRunChannel,
  saveInstallationPolicy,
  stopChannel,
  syncTools,
  type TakenRun,
} from '@quartermaster/db'
import { findRunningPostgres } from '@quartermaster/db/embedded-postgres'
import {
  type AnyTool,
  createBuiltinTools,
  describeBuiltinTools,
  fromLynkrSettings,
  RateLimiter,
} from '@quartermaster/tools'
import packageJson from '../package.json' with { type: 'json' }
import { composeChannels, startChannels } from './channels/compose-channels.ts'
import { findChannel } from './channels/find-channel.ts'
import { presentNothing } from './channels/present-nothing.ts'
import type { BotEnv } from './env.ts'
import { createGateway } from './gateway/create-gateway.ts'
import { createMetrics } from './gateway/metrics.ts'
import { createReadinessCheck } from './gateway/readiness.ts'
import { serveGateway } from './gateway/serve-gateway.ts'
import { announce } from './health/announce.ts'
import { lookAround, withChannels } from './health/look-around.ts'
import { advanceRun } from './jobs/advance-run.ts'
import { createHeldRuns } from './jobs/held-runs.ts'
import { maintenanceCrontab, maintenanceTasks } from './jobs/maintenance.ts'
import { startWorker } from './jobs/start-worker.ts'
import { sweepLostRuns } from './jobs/sweep-lost-runs.ts'
import { createTakingRuns } from './jobs/take-runs.ts'
import { limits } from './limits.ts'
import type { Log } from './log.ts'
import { createAnthropicModel, type Model } from './model/index.ts'
import { startOfflineModel } from './model/offline/index.ts'
import { createPolicies } from './policy/load-policy.ts'
import { createEditCheck } from './questions/check-edit.ts'
import { sendCopies } from './reply/send-copies.ts'
import { startDelivering } from './reply/start-delivering.ts'
import { createMemberNames } from './run/member-names.ts'
import type { RunPoint, RunServices } from './run/run-services.ts'
import { createWorkspacePrices } from './run/workspace-prices.ts'
import { StopStack } from './stop-stack.ts'
import { createComposeCaller } from './tools/compose-caller.ts'
import { composePorts } from './tools/compose-ports.ts'
import { composeRegistry, definitionOf } from './tools/compose-registry.ts'
import { createSecretSource } from './tools/secret-source.ts'

export interface Bot {
  id: string
  gatewayUrl: string
  health(): ProcessHealth
  /** Ends every part, the one that was started last first. */
  stop(): Promise<void>
}

/** What a test composes the bot with. */
export interface ComposeOptions {
  /** Beside the builtin ones. */
  tools?: readonly AnyTool[]
  /** Called at named points of a run; it may end the process there. */
  atPoint?(point: RunPoint): void
}

/** Starts everything, or nothing: when a part fails, those before it are stopped and the failure is thrown. */
export async function composeBot(
  env: BotEnv,
  databaseUrl: string,
  log: Log,
  options: ComposeOptions = {},
): Promise<Bot> {
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
    const described = composeRegistry([...describeBuiltinTools(), ...(options.tools ?? [])])
    const synced = await syncTools(db, described.list().map(definitionOf))
    if (Object.values(synced).some((names) => names.length)) log.info(synced, 'the registry of tools changed')
    await saveInstallationPolicy(db, env.policy)

    const readiness = createReadinessCheck(db)
    const metrics = createMetrics(db, log)
    const receives = env.roles.includes('ingress')
    const installation = fromLynkrSettings(env.policy)
    const policies = createPolicies(db, installation)
    const callerOf = createComposeCaller(db, policies, installation)
    const channels = await composeChannels(env, {
      ...{ db, log, keys, consoleUrl: env.consoleUrl, registry: described, composeCaller: callerOf },
      checkEdit: createEditCheck(described, callerOf),
    })
    const app = createGateway({ readiness, metrics, log })
    if (receives) for (const channel of channels) channel.mount?.(app)
    const gateway = await serveGateway(app, env.gateway)
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
      // A process that only sends knows nothing about how well messages come in.
      ...(receives ? { complete: (health) => withChannels(health, channels) } : {}),
    })
    parts.add('presence', () => presence.stop(), limits.farewellMs)

    const listeners: Record<string, (notice: Notice) => void> = {
      [policyChannel]: (notice) => policies.onNotice(notice),
    }
    const afterListening: (() => void)[] = []
    if (env.roles.includes('worker')) {
      const model = await startModel(env, parts)
      const heldRuns = createHeldRuns(db, log)
      const limitsOf: RunServices['limitsOf'] = (kind) => findChannel(channels, kind).limits
      const ports = await composePorts({ env, db, log, model, limitsOf, parts })
      const registry = composeRegistry([...createBuiltinTools(ports), ...(options.tools ?? [])])
      const services: RunServices = {
        consoleUrl: env.consoleUrl,
        db,
        log,
        model,
        registry,
        secrets: createSecretSource(db, keys),
        rateLimiter: new RateLimiter(),
        maxSteps: installation.maxSteps ?? limits.maxSteps,
        serverSearch: model.serverTools && env.search === null,
        composeCaller: callerOf,
        pricesOf: createWorkspacePrices(db),
        namesOf: createMemberNames(db),
        present: (place, kind) => channels.find((one) => one.kind === kind)?.present(place) ?? presentNothing,
        limitsOf,
        async fetchReference(kind, reference, where, signal) {
          const { fetch } = findChannel(channels, kind)
          if (!fetch) throw new Problem(`This process is not connected to ${kind}.`, 'Connect it, and send it again.')
          return fetch(reference, where, signal)
        },
        listen: (recording, signal) => ports.senses.listen(recording, {}, signal),
        atPoint: options.atPoint ?? (() => {}),
      }
      // Before the worker, so that it stops after it: what the last runs say is sent.
      const delivering = await startDelivering({ db, channels, log, processId: id })
      parts.add('deliveries', () => delivering.stop(), limits.deliveryDrainMs + 500)
      const copyToApprovers = (questionId: string) => sendCopies({ db, channels, log }, questionId)
      const tasks = maintenanceTasks(db, log, { onEscalated: copyToApprovers })
      const worker = await startWorker({ db, log, tasks, crontab: maintenanceCrontab })
      parts.add('worker', () => worker.stop(), limits.drainMs + 500)
      const work = (taken: TakenRun) => advanceRun(services, heldRuns, taken)
      const taking = createTakingRuns({ db, log, processId: id, work })
      // Both at once: nothing more is taken, and what is in hand is given back.
      parts.add(
        'runs',
        async () => void (await Promise.all([taking.stop(), heldRuns.leave()])),
        limits.toolDrainMs + limits.drainMs + 500,
      )
      listeners[stopChannel] = (notice) => heldRuns.onNotice(notice)
      listeners[queuedRunChannel] = () => taking.look()
      afterListening.push(() => taking.look())
      const sweep = sweepLostRuns(db, log)
      parts.add('sweep', () => sweep.stop(), limits.farewellMs)
    }

    await listenUntilStopped(db, parts, listeners)
    for (const look of afterListening) look()
    // Last of all: what people say finds somebody to work on it.
    if (receives) await startChannels(channels, parts, log)

    parts.add('readiness', async () => readiness.stop(), limits.farewellMs)
    return { id, gatewayUrl: gateway.url, health: presence.health, stop: () => parts.stop() }
  } catch (error) {
    await parts.stop()
    throw error
  }
}

/** The provider where there is a key; else the offline model, which says what it is at the end of every answer. */
async function startModel(env: BotEnv, parts: StopStack): Promise<Model> {
  if (env.model) return createAnthropicModel(env.model)
  const offline = await startOfflineModel()
  parts.add('offline model', () => offline.close(), limits.farewellMs)
  return createAnthropicModel({ apiKey: offline.apiKey, baseUrl: offline.baseUrl })
}

/** One connection for every kind of notice; after a break all of them are told that they may have missed one. */
async function listenUntilStopped(
  db: Database,
  parts: StopStack,
  listeners: Record<string, (notice: Notice) => void>,
): Promise<void> {
  const stopping = new AbortController()
  parts.add('notices', async () => stopping.abort(), limits.farewellMs)
  await listen(
    db.url,
    Object.keys(listeners),
    (notice) => {
      if (notice.kind === 'gap') for (const tell of Object.values(listeners)) tell(notice)
      else listeners[notice.channel]?.(notice)
    },
    { signal: stopping.signal, name: 'qm-bot-listen' },
  )
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
