import { readdirSync, readFileSync } from 'node:fs'

/** Of the flags of an open file: it is closed when another program is started. */
const closeOnExec = 0o2000000

let found: readonly number[] | null = null

/**
 * Open files that whoever started this process left open to it, in ascending order. Every program that we start would
 * get them too: an open folder would be a way out of any sandbox. What this process opens itself is never among them.
 */
export function inheritedFiles(): readonly number[] {
  found ??= process.platform === 'linux' ? findInherited() : []
  return found
}

function findInherited(): number[] {
  return readdirSync('/proc/self/fd')
    .map(Number)
    .filter((file) => file > 2 && isInherited(file))
    .sort((a, b) => a - b)
}

function isInherited(file: number): boolean {
  try {
    const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${file}`, 'utf8'))?.[1]
    return flags !== undefined && (Number.parseInt(flags, 8) & closeOnExec) === 0
  } catch {
    return false // The one of the listing itself.
  }
}
