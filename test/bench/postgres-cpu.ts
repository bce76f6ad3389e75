// What a PostgreSQL on this machine has used of its processors. Under other work the wall clock says little; this does.
import { readdirSync, readFileSync } from 'node:fs'
import type { Database } from '@quartermaster/db'

/** Linux counts in hundredths of a second, whatever the clock's true resolution is (USER_HZ). */
const msPerTick = 10

/**
 * A function that says how many milliseconds of CPU the server has used so far, all its processes and those that have
 * ended included. Null where that cannot be seen: the server is on another machine, or this is not Linux.
 */
export async function findPostgresCpu(db: Database): Promise<(() => number) | null> {
  const { rows } = await db.pool.query('SELECT pg_backend_pid() AS pid')
  const backend = readProcess(rows[0].pid)
  if (backend?.name !== 'postgres') return null
  const postmaster = backend.parent
  return () => {
    let ticks = 0
    for (const entry of readdirSync('/proc')) {
      const found = /^\d+$/.test(entry) ? readProcess(Number(entry)) : null
      if (!found) continue
      if (found.pid === postmaster) ticks += found.ticks + found.childTicks
      else if (found.parent === postmaster) ticks += found.ticks
    }
    return ticks * msPerTick
  }
}

function readProcess(pid: number) {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // The name is in brackets and may hold anything; the numbers come after it.
    const name = stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')'))
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const [user, system, childUser, childSystem] = fields.slice(11, 15).map(Number) as [number, number, number, number]
    return { pid, name, parent: Number(fields[1]), ticks: user + system, childTicks: childUser + childSystem }
  } catch {
    return null // It ended while we looked, or there is no such process here.
  }
}
