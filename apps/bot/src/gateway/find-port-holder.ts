import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

export interface PortHolder {
  pid: number
  command: string
}

/** Who listens on a port of this machine; null when that cannot be found out (not Linux, or another user's process). */
export function findPortHolder(port: number): PortHolder | null {
  try {
    const sockets = new Set(['/proc/net/tcp', '/proc/net/tcp6'].flatMap((table) => listeningSockets(table, port)))
    if (!sockets.size) return null
    for (const entry of readdirSync('/proc')) {
      if (/^\d+$/.test(entry) && holdsOneOf(entry, sockets)) return { pid: Number(entry), command: commandOf(entry) }
    }
  } catch {
    // No /proc here: then nobody can be named, and the caller says what it knows.
  }
  return null
}

/** The inodes of the sockets that listen on the port; the columns are documented in proc_net_tcp.txt of the kernel. */
function listeningSockets(table: string, port: number): string[] {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const listening = '0A'
  return readFileSync(table, 'utf8')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[1]?.endsWith(suffix) && columns[3] === listening)
    .map((columns) => `socket:[${columns[9]}]`)
}

function holdsOneOf(pid: string, sockets: Set<string>): boolean {
  try {
    return readdirSync(`/proc/${pid}/fd`).some((fd) => sockets.has(linkOf(`/proc/${pid}/fd/${fd}`)))
  } catch {
    return false // It ended meanwhile, or belongs to another user.
  }
}

function linkOf(path: string): string {
  try {
    return readlinkSync(path)
  } catch {
    return '' // It was closed meanwhile.
  }
}

/** The program and its script, e.g. `node apps/bot/src/main.ts`; no other argument, for it may be a secret. */
function commandOf(pid: string): string {
  const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
  const script = args.find((arg) => /\.[cm]?[jt]s$/.test(arg))
  return [program.split('/').at(-1), script].filter(Boolean).join(' ')
}
