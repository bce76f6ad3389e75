// Starts the whole product as `npm start` does, on a data folder and ports of its own, and watches its processes.
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findFreePort } from '@quartermaster/db/embedded-postgres'

const root = join(import.meta.dirname, '../..')

export interface Product {
  child: ChildProcess
  /** Everything it printed so far. */
  output(): string
  /** Resolves with the output when the text has been printed; rejects when the product ends before. */
  printed(text: RegExp): Promise<string>
  exit: Promise<number | null>
  consoleUrl: string
  botUrl: string
  env: Record<string, string>
}

export async function startProduct(dataDir: string, extra: Record<string, string> = {}): Promise<Product> {
  const port = extra.PORT ?? String(await findFreePort())
  const botPort = extra.QM_BOT_PORT ?? String(await findFreePort())
  const env = { QM_DATA_DIR: dataDir, LOG_LEVEL: 'warn', ...extra, PORT: port, QM_BOT_PORT: botPort }
  const child = spawn('node', ['scripts/bootstrap.mjs', 'start'], {
    cwd: root,
    // A terminal gives a command a process group of its own; so do we, to be able to press Ctrl-C.
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
  })
  let printed = ''
  const watchers = new Set<() => void>()
  const take = (chunk: Buffer) => {
    printed += chunk
    for (const watch of watchers) watch()
  }
  child.stdout?.on('data', take)
  child.stderr?.on('data', take)
  const exit = new Promise<number | null>((done) => child.on('close', done))
  return {
    child,
    output: () => printed,
    exit,
    env,
    consoleUrl: `http://localhost:${port}`,
    botUrl: `http://127.0.0.1:${botPort}`,
    printed: (text) =>
      new Promise((done, failed) => {
        const watch = () => {
          if (!text.test(printed)) return
          watchers.delete(watch)
          done(printed)
        }
        watchers.add(watch)
        exit.then((code) => failed(new Error(`ended with ${code} before it printed ${text}:\n${printed}`)))
        watch()
      }),
  }
}

/** The processes of this product: those that have its data folder in their environment or their command line. */
export function processesOf(dataDir: string): { pid: number; command: string }[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8')
        const environment = readFileSync(`/proc/${name}/environ`, 'utf8')
        return command.includes(dataDir) || environment.includes(`QM_DATA_DIR=${dataDir}`)
          ? [{ pid: Number(name), command: command.replaceAll('\0', ' ') }]
          : []
      } catch {
        return [] // It ended while we looked.
      }
    })
}

/** Until nothing is left: one may have started another between the look and the kill. */
export function killAll(dataDir: string): void {
  for (let left = processesOf(dataDir); left.length; left = processesOf(dataDir))
    for (const { pid } of left) {
      try {
        process.kill(pid, 'SIGKILL')
      } catch {
        // It ended by itself meanwhile.
      }
    }
}
