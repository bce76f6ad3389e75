// Lists of hosts: `example.com` is that host, `*.example.com` every host below it, `localhost:8080` one port of it.
import { bareHost } from './parse-destination.ts'

export interface HostList {
  has(host: string, port: number): boolean
}

interface Entry {
  host: string
  below: boolean
  port: number | null
}

/** An entry that is no host stands for none: a list that cannot be read lets nobody through. */
export function parseHostList(entries: readonly string[]): HostList {
  const parsed = entries.map(parseEntry).filter((entry) => entry !== null)
  return {
    has: (host, port) =>
      parsed.some(
        (entry) =>
          (entry.below ? host.endsWith(entry.host) : host === entry.host) &&
          (entry.port === null || entry.port === port),
      ),
  }
}

function parseEntry(text: string): Entry | null {
  const below = text.startsWith('*.')
  const name = below ? text.slice(2) : text
  if (/[*/@?#\s\\]/.test(name)) return null
  // A scheme whose default port nobody writes, so that a written port is always seen.
  const url = URL.parse(`http://${name}`)
  if (url === null || url.hostname === '') return null
  const host = bareHost(url.hostname)
  const port = /:\d+$/.test(name) ? Number(name.slice(name.lastIndexOf(':') + 1)) : null
  return { host: below ? `.${host}` : host, below, port }
}
