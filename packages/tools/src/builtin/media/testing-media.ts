// Ports of the media tools for their tests: a real folder, and a chat that remembers what was put into it.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import type { Media } from '../../contract.ts'
import type { VirtualFiles } from '../../ports/virtual-files.ts'
import type { MediaPorts } from './read-source.ts'

/** A picture of one pixel. */
export const png = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

/** A tenth of a second of silence. */
export const wav = (() => {
  const samples = Buffer.alloc(1_600)
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(8_000, 24)
  header.writeUInt32LE(16_000, 28)
  header.writeUInt16LE(2, 32)
  header.writeUInt16LE(16, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
})()

export interface MediaBench extends MediaPorts {
  folder: string
  sent: (Required<Media> & { caption?: string; toolCallId: string })[]
  received: Required<Media>[]
  virtual: Map<string, Uint8Array>
  /** What the platform says to the next file; null: it takes it. */
  problem: string | null
}

export function createMediaBench(): MediaBench {
  const folder = mkdtempSync(join(tmpdir(), 'qm-media-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const virtual = new Map<string, Uint8Array>()
  const files: VirtualFiles = {
    async read(_tree, path) {
      const content = virtual.get(path)
      return content ? { ok: true, path, content } : { ok: false, problem: `There is no file ${path}.` }
    },
    write: async (_tree, path) => ({ ok: true, path, created: true }),
    list: async (_tree, path) => ({ ok: true, path, entries: [], more: false }),
  }
  const bench: MediaBench = {
    folder,
    sent: [],
    received: [],
    virtual,
    problem: null,
    files,
    folders: { folderOf: async () => folder },
    chatFiles: {
      async send({ toolCallId }, file) {
        if (bench.problem !== null) return { ok: false, problem: bench.problem }
        bench.sent.push({ ...file, toolCallId })
        return { ok: true }
      },
      find: async (_conversationId, filename) => bench.received.findLast((file) => file.filename === filename) ?? null,
    },
  }
  return bench
}
