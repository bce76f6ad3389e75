import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { projectRoot } from '@quartermaster/db'
import { findFreePort } from '@quartermaster/db/embedded-postgres'
import { onTestFinished } from 'vitest'

export interface BotProcess {
  child: ChildProcess
  url: string
  /** What it said when it was ready; null when it ended instead. */
  ready: Record<string, unknown> | null
  /** Everything it wrote so far. */
  output(): { stdout: string; stderr: string }
  exited: Promise<{ code: number | null; signal: NodeJS.Signals | null; afterMs: number }>
}

export const testMasterKey = '5e'.repeat(32)

/** All that a program of ours gets of this machine's environment. */
export const inherited = { PATH: process.env.PATH, NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }

/**
 * The bot as a real process, on a free port and without any setting of this machine. Ended when the test ends. `main`
 * is another program that runs it, with tools of its own.
 */
export async function startBot(
  environment: Record<string, string>,
  main = join(projectRoot, 'apps/bot/src/main.ts'),
): Promise<BotProcess> {
  const port = environment.QM_BOT_PORT ?? String(await findFreePort())
  const child = spawn(process.execPath, [main], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...inherited, QM_MASTER_KEY: testMasterKey, ...environment, QM_BOT_PORT: port },
  })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => (stdout += chunk))
  child.stderr?.on('data', (chunk) => (stderr += chunk))
  const started = performance.now()
  const exited = new Promise<Awaited<BotProcess['exited']>>((done) =>
    // `close`, not `exit`: then everything it wrote has arrived.
    child.on('close', (code, signal) => done({ code, signal, afterMs: performance.now() - started })),
  )
  onTestFinished(async () => {
    if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
    await exited
  })
  const ready = await Promise.race([
    new Promise<Record<string, unknown>>((done) => child.once('message', (message) => done(message as never))),
    exited.then(() => null),
  ])
  return { child, url: `http://127.0.0.1:${port}`, ready, output: () => ({ stdout, stderr }), exited }
}

/** Asks again until the answer is the one that is waited for; fails with the last one. */
export async function until<T>(ask: () => Promise<T>, isRight: (answer: T) => boolean, withinMs = 15_000): Promise<T> {
  const deadline = Date.now() + withinMs
  for (;;) {
    const answer = await ask()
    if (isRight(answer)) return answer
    if (Date.now() > deadline)
      throw new Error(`waited ${withinMs} ms, and the answer is still ${JSON.stringify(answer)}`)
    await sleep(100)
  }
}
