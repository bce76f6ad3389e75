import { existsSync, statfsSync } from 'node:fs'
import { connect } from 'node:net'
import { hostname } from 'node:os'
import { dirname } from 'node:path'
import { type Database, listProcesses } from '@quartermaster/db'
import type { BotEnv } from '../../apps/bot/src/env.ts'
import { findPortHolder } from '../../apps/bot/src/gateway/find-port-holder.ts'
import { type Check, ok, problem, warning } from './check.ts'

const answerMs = 5_000
const driftMs = 5_000
const megabyte = 1024 * 1024
/** Below the first a start is refused (scripts/start/prepare.ts), below the second it will not last. */
const neededMb = 200
const comfortableMb = 1024

/** Whether each port is free, or held by our own processes. */
export async function checkPorts(
  ports: { variable: string; kind: 'bot' | 'console'; port: number; bind: string }[],
  db: Database | null,
): Promise<Check[]> {
  const ours = db ? (await listProcesses(db)).filter((process) => process.host === hostname()) : []
  return Promise.all(
    ports.map(async ({ variable, kind, port, bind }) => {
      const name = `Port ${port}`
      if (!(await isTaken(port, bind))) return ok(name, `Free (${variable}, the ${kind}).`)
      const holder = findPortHolder(port)
      if (ours.some((process) => process.kind === kind && process.pid === holder?.pid))
        return ok(name, `Our own ${kind} listens there (process ${holder?.pid}).`)
      const who = holder ? `${holder.command} (process ${holder.pid})` : 'another program'
      return problem(name, `Taken by ${who}.`, `Stop that program, or set ${variable} to a free port.`)
    }),
  )
}

function isTaken(port: number, bind: string): Promise<boolean> {
  const host = bind === '0.0.0.0' || bind === '::' ? '127.0.0.1' : bind
  return new Promise((done) => {
    const socket = connect({ port, host, timeout: 2_000 })
    const end = (taken: boolean) => {
      socket.destroy()
      done(taken)
    }
    socket
      .once('connect', () => end(true))
      .once('error', () => end(false))
      .once('timeout', () => end(false))
  })
}

/** Tokens, leases and signatures are a matter of minutes, so clocks that disagree break them in ways hard to see. */
export async function checkClock(env: BotEnv, db: Database | null): Promise<Check> {
  const others: { who: string; aheadMs: number }[] = []
  if (db) {
    const asked = Date.now()
    const [row] = await db.prisma.$queryRaw<{ now: Date }[]>`SELECT clock_timestamp() AS now`
    if (row) others.push({ who: 'the database', aheadMs: row.now.getTime() - (asked + Date.now()) / 2 })
  }
  const platforms = [
    { who: 'Slack', url: env.slack?.apiUrl },
    { who: 'Telegram', url: env.telegram?.apiRoot },
  ]
  for (const { who, url } of platforms) {
    const aheadMs = url ? await askForDate(url) : null
    if (aheadMs !== null) others.push({ who, aheadMs })
  }
  if (!others.length) return ok('Clock', 'Nobody to compare it with: no database and no platform could be asked.')
  const wrong = others.filter(({ aheadMs }) => Math.abs(aheadMs) > driftMs)
  if (!wrong.length) return ok('Clock', `Agrees with ${others.map(({ who }) => who).join(' and ')}.`)
  const how = wrong.map(
    ({ who, aheadMs }) => `${Math.round(Math.abs(aheadMs) / 1000)} s ${aheadMs > 0 ? 'behind' : 'ahead of'} ${who}`,
  )
  return warning(
    'Clock',
    `This machine is ${how.join(' and ')}.`,
    'Let the machine set its clock by the network (NTP).',
  )
}

/** How far a server's clock is ahead of ours; null when it does not say. Its header has whole seconds. */
async function askForDate(url: string): Promise<number | null> {
  try {
    const answer = await fetch(url, { method: 'HEAD', redirect: 'manual', signal: AbortSignal.timeout(answerMs) })
    const date = Date.parse(answer.headers.get('date') ?? '')
    return Number.isNaN(date) ? null : date + 500 - Date.now()
  } catch {
    return null // That it cannot be reached is told in its own line.
  }
}

export function checkDisk(dataDir: string): Check {
  let folder = dataDir
  while (!existsSync(folder)) folder = dirname(folder)
  const { bavail, bsize } = statfsSync(folder)
  const free = Math.floor((bavail * bsize) / megabyte)
  const shown = free >= 1024 ? `${(free / 1024).toFixed(1)} GB` : `${free} MB`
  const fix = 'Free some space there, or set QM_DATA_DIR to a folder on a larger disk.'
  if (free < neededMb) return problem('Disk', `Only ${shown} are free where ${dataDir} lies.`, fix)
  if (free < comfortableMb) return warning('Disk', `${shown} are free where ${dataDir} lies.`, fix)
  return ok('Disk', `${shown} are free where the data folder lies.`)
}
