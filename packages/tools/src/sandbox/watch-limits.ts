// The limits that the system holds for each process or file and not for all of them together: the memory of all that a
// program started, and the room on the disk. They are looked at while it runs, a few times a second, and what went past
// one is ended; so it may go past by as much as it gets in that time.
import { readFileSync, statfsSync } from 'node:fs'
import type { ProgramEnd, ProgramRequest } from './sandbox.ts'

const lookEveryMs = 200
const pageBytes = 4_096
/** Bytes on the disk that no program gets: the database may lie there too. */
const reservedBytes = 512 * 1024 * 1024
const leastRoomBytes = 16 * 1024 * 1024

/** `processes`: all that it started so far. The answer stops the watch. */
export function watchLimits(
  { limits, writePaths = [] }: Pick<ProgramRequest, 'limits' | 'writePaths'>,
  processes: () => readonly number[],
  end: (why: ProgramEnd['endedBy']) => void,
): () => void {
  const { diskBytes, totalMemoryBytes } = limits
  const folders = diskBytes === undefined ? [] : writePaths.map((path) => ({ path, least: leastFree(path, diskBytes) }))
  const look = () => {
    if (folders.some(({ path, least }) => freeBytes(path) < least)) end('disk')
    else if (totalMemoryBytes !== undefined && memoryOf(processes()) > totalMemoryBytes) end('memory')
  }
  const timer = setInterval(look, lookEveryMs)
  return () => clearInterval(timer)
}

/** What others write meanwhile counts as well: nobody can tell whose a block of the disk is. */
const leastFree = (path: string, diskBytes: number): number => {
  const free = freeBytes(path)
  return free - Math.min(diskBytes, Math.max(free - reservedBytes, leastRoomBytes))
}

function freeBytes(path: string): number {
  try {
    const { bavail, bsize } = statfsSync(path)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY // The folder is gone, and what was in it.
  }
}

/** What lies in memory now; a page that two of them share counts twice. */
function memoryOf(processes: readonly number[]): number {
  let pages = 0
  for (const pid of processes) {
    try {
      pages += Number(readFileSync(`/proc/${Math.abs(pid)}/statm`, 'utf8').split(' ')[1])
    } catch {
      // Ended meanwhile.
    }
  }
  return pages * pageBytes
}
