import { closeSync, mkdtempSync, openSync, rmSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Bytes that a program gets as an open file, with no path that anybody could change or that would be left behind. */
export class UnnamedFile {
  readonly #bytes: Uint8Array
  #kept: number | null = null

  constructor(bytes: string | Uint8Array) {
    this.#bytes = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
  }

  /** Read from the beginning by whoever gets it. The caller closes it. */
  open(): number {
    this.#kept ??= this.#create()
    return openSync(`/proc/self/fd/${this.#kept}`, 'r')
  }

  #create(): number {
    const folder = mkdtempSync(join(tmpdir(), 'qm-'))
    try {
      const file = openSync(join(folder, 'bytes'), 'wx+', 0o600)
      writeSync(file, this.#bytes)
      return file
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  }

  close(): void {
    if (this.#kept !== null) closeSync(this.#kept)
    this.#kept = null
  }
}
