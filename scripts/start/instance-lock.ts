import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { isNoSpace, Problem } from '@quartermaster/db'
import { takeLock } from '../lock-file.mjs'

/** One command that runs the embedded database a data folder. Returns what gives it back. */
export function lockInstance(dataDir: string): () => void {
  let lock: ReturnType<typeof takeLock>
  try {
    // Others may pass through (as root, PostgreSQL runs under an account of its own) and list nothing.
    mkdirSync(dataDir, { recursive: true, mode: 0o711 })
    lock = takeLock(join(dataDir, 'running.pid'))
  } catch (cause) {
    if (isNoSpace(cause)) throw cause
    throw new Problem(
      `The data folder ${dataDir} cannot be written to (${(cause as NodeJS.ErrnoException).code}).`,
      'Give it to the user that starts Quartermaster, or set QM_DATA_DIR to another folder.',
      { cause },
    )
  }
  if (lock.release) return lock.release
  throw new Problem(
    `Quartermaster is already running on ${dataDir} (process ${lock.heldBy}).`,
    'Stop it first, or give this one a data folder and ports of its own: QM_DATA_DIR, PORT, QM_BOT_PORT.',
  )
}
