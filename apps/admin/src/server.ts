// The console's process: settings, database, key, Next behind the door, and an orderly end.
//   node apps/admin/src/server.ts          serves the build in QM_CONSOLE_DIST (.next)
//   node apps/admin/src/server.ts --dev    compiles pages as they are asked for
import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { flushCompileCache } from 'node:module'
import { hostname } from 'node:os'
import { join } from 'node:path'
import {
  beat,
  checkMasterKey,
  countAttempt,
  describeFailure,
  endProcess,
  limits,
  loadMasterKeys,
  newId,
  openDatabase,
  Problem,
  pendingMigrations,
  projectRoot,
} from '@quartermaster/db'
import { apiLimits } from './api/limits.ts'
import { RateLimiter } from './api/rate-limiter.ts'
import { passDoor } from './door.ts'
import { type ConsoleEnv, prepareProcess, readConsoleEnv } from './env.ts'
import { findDatabase } from './find-database.ts'
import { openLiveHub } from './live-hub.ts'
import { provideRuntime } from './runtime.ts'
import { compressedFilesOf } from './serve-compressed.ts'

const dev = process.argv.includes('--dev')
const dir = join(import.meta.dirname, '..')
/** How long open requests may take when the process is told to stop. */
const stopMs = 8_000

prepareProcess(dev)

try {
  await start()
} catch (error) {
  console.error(describeFailure(error))
  process.exit(1)
}

async function start(): Promise<void> {
  const env = readConsoleEnv()
  const { url, embedded } = await findDatabase(env)
  await checkMigrations(url)
  checkBuild(env)

  const db = openDatabase(url, { name: 'console' })
  const keys = loadMasterKeys({
    key: env.masterKey,
    previous: env.previousMasterKey,
    dataDir: env.dataDir,
    mayCreate: false,
  })
  await checkMasterKey(db, keys)
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8')) as { version: string }
  const live = await openLiveHub(url, db)
  const rates = new RateLimiter({
    limit: env.apiRate,
    count: (key, times) => countAttempt(db, `api:${key}`, apiLimits.rateWindowMs, times),
  })
  provideRuntime({ env, db, embedded, keys, live, rates, version })

  const server = createServer()
  const { default: next } = await import('next')
  const app = next({ dev, dir, httpServer: server, hostname: env.bind, port: env.port })
  await app.prepare()
  const handle = app.getRequestHandler()
  const serveCompressed = compressedFilesOf(join(dir, env.dist))
  server.on('request', (request, response) => {
    if (!passDoor(request, response, { ...env, dev })) return
    if (dev || !serveCompressed(request, response)) void handle(request, response)
  })
  await listen(server, env)

  const self = { id: newId('prc'), kind: 'console' as const, version, host: hostname(), pid: process.pid, roles: [] }
  const say = () => beat(db, { ...self, health: null })
  await say()
  // A beat that fails is not worth more than a line: the pages say themselves that the database is gone.
  const beats = setInterval(() => {
    say().catch((error: Error) => console.error(`console: the heartbeat failed: ${error.message}`))
  }, limits.processGoneMs / 3)

  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    clearInterval(beats)
    // A stream ends only when somebody ends it; its page comes back by itself.
    live.close()
    const closed = new Promise((done) => server.close(done))
    server.closeIdleConnections()
    const late = setTimeout(() => server.closeAllConnections(), stopMs)
    await closed
    clearTimeout(late)
    await app.close()
    // The database may have gone first; then our row grows old by itself.
    await endProcess(db, self.id).catch(() => {})
    await db.close()
    process.exit(0)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('disconnect', stop)

  const address = env.publicUrl?.origin ?? `http://localhost:${env.port}`
  console.log(`console: ready at ${address}`)
  process.send?.({ ready: true, url: address })
  // Now, because a process that is killed keeps nothing.
  flushCompileCache()
}

async function checkMigrations(url: string): Promise<void> {
  const pending = await pendingMigrations(url)
  if (pending.length)
    throw new Problem(
      `The database lacks ${pending.length} ${pending.length === 1 ? 'migration' : 'migrations'} (${pending.join(', ')}).`,
      'Run "npm run db:migrate", or start everything with "npm start", which does it.',
    )
}

function checkBuild(env: ConsoleEnv): void {
  const dist = env.dist
  if (!dev && !existsSync(join(dir, dist, 'BUILD_ID')))
    throw new Problem(`The console is not built: apps/admin/${dist} holds no build.`, 'Start it with "npm start".')
}

function listen(server: Server, env: ConsoleEnv): Promise<void> {
  return new Promise((done, failed) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        failed(
          new Problem(
            `Port ${env.port} is taken by another program.`,
            'End that program, or set PORT to a free port, then start again.',
          ),
        )
      else if (error.code === 'EACCES')
        failed(new Problem(`This user may not listen on port ${env.port}.`, 'Set PORT to a port above 1023.'))
      else if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
        failed(
          new Problem(
            `QM_BIND is ${env.bind}, which is not an address of this machine.`,
            'Set it to 127.0.0.1 (this machine only), 0.0.0.0 (everybody who can reach it) or one of its own addresses.',
          ),
        )
      else failed(error)
    })
    server.listen(env.port, env.bind, done)
  })
}
