// Some lines of a file, however large it is: what comes before is passed over piece by piece, what comes after is not read.
import type { FileHandle } from 'node:fs/promises'

export interface LineRange {
  /** From 1. */
  from: number
  most: number
  /** Bytes that may be kept; lines past them are left for the next call. */
  mostBytes: number
  /** Bytes that may be passed over. */
  scanBytes: number
}

export interface Lines {
  bytes: Buffer
  count: number
  /** Whether the file goes on after them. */
  more: boolean
  /** Why there are none: the file has fewer, the first is too long, or it is too far away. */
  problem?: { kind: 'past-the-end'; lines: number } | { kind: 'long-line' } | { kind: 'far' }
}

const pieceBytes = 256 * 1024
const lineFeed = 10

export async function readLines(handle: FileHandle, range: LineRange, signal: AbortSignal): Promise<Lines> {
  const piece = Buffer.allocUnsafe(pieceBytes)
  const kept: Buffer[] = []
  let [line, keptBytes, position] = [1, 0, 0]
  // Where the last whole line among the kept bytes ends, and how many there are.
  let [wholeBytes, whole] = [0, 0]
  for (;;) {
    signal.throwIfAborted()
    const { bytesRead } = await handle.read(piece, 0, pieceBytes, position)
    if (bytesRead === 0) break
    position += bytesRead
    let at = 0
    while (line < range.from && at < bytesRead) {
      const end = piece.subarray(0, bytesRead).indexOf(lineFeed, at)
      at = end < 0 ? bytesRead : end + 1
      if (end >= 0) line++
    }
    if (line < range.from) {
      if (position > range.scanBytes) return { ...nothing, problem: { kind: 'far' } }
      continue
    }
    const start = at
    while (whole < range.most && at < bytesRead) {
      const end = piece.subarray(0, bytesRead).indexOf(lineFeed, at)
      at = end < 0 ? bytesRead : end + 1
      if (keptBytes + at - start > range.mostBytes) {
        kept.push(Buffer.from(piece.subarray(start, at)))
        if (whole === 0) return { ...nothing, problem: { kind: 'long-line' } }
        return { bytes: Buffer.concat(kept).subarray(0, wholeBytes), count: whole, more: true }
      }
      if (end >= 0) [wholeBytes, whole] = [keptBytes + at - start, whole + 1]
    }
    kept.push(Buffer.from(piece.subarray(start, at)))
    keptBytes += at - start
    if (whole === range.most) {
      const more = at < bytesRead || (await handle.read(piece, 0, 1, position)).bytesRead > 0
      return { bytes: Buffer.concat(kept), count: whole, more }
    }
  }
  // The last line may have no line feed.
  const count = keptBytes > wholeBytes ? whole + 1 : whole
  if (count === 0 && range.from > 1)
    return { ...nothing, problem: { kind: 'past-the-end', lines: await lastLine(handle, position, line) } }
  return { bytes: Buffer.concat(kept), count, more: false }
}

const nothing = { bytes: Buffer.alloc(0), count: 0, more: false }

/** How many lines there are, when `line` is the one that was reached at the end. */
async function lastLine(handle: FileHandle, size: number, line: number): Promise<number> {
  if (size === 0) return 0
  const last = Buffer.alloc(1)
  await handle.read(last, 0, 1, size - 1)
  return last[0] === lineFeed ? line - 1 : line
}
