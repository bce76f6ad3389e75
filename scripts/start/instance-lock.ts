import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Problem } from '@quartermaster/db'

/**
 * One `npm start` a data folder. The file names the process that has it; a process that is gone has it no more.
 * Returns what gives it back.
 */
export function lockInstance(dataDir: string): () => void {
  const file = join(dataDir, 'running.pid')
  mkdirSync(dataDir, { recursive: true })
  for (;;) {
    try {
      writeFileSync(file, String(process.pid), { flag: 'wx' })
      return () => rmSync(file, { force: true })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    }
    const holder = Number(readFileSync(file, 'utf8'))
    if (holder && holder !== process.pid && isOurs(holder))
      throw new Problem(
        `Quartermaster is already running on ${dataDir} (process ${holder}).`,
        'Stop it first, or give this one a data folder and ports of its own: QM_DATA_DIR, PORT, QM_BOT_PORT.',
      )
    rmSync(file, { force: true })
  }
}

function isOurs(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EPERM') return false
  }
  try {
    // Pids are used again: another program under a dead start's number does not count.
    return /scripts\/(start|dev)\.ts/.test(readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
  } catch {
    return process.platform !== 'linux'
  }
}
