// Once a run has read what strangers wrote, whatever may carry data out of the building asks a person.
//
// A sink is: every call that sends; every call of an MCP tool (its arguments reach the server, and only the server says
// that it reads); a write or an execution in somebody's account, a browser or a shell; and a call of a web tool, or any
// write or execution, with an address among its arguments (a query string carries data as well as a body does).
//
// Neither autonomy nor a rule lowers it, with one exception: a command that an allow rule covers is one that the owner
// spelt out, and runs.
import type { Effect } from '../contract.ts'

/** Their writes and executions leave the building. */
export const outboundGroups: readonly string[] = [
  'group:google',
  'group:minio',
  'group:email',
  'group:browser',
  'http.*',
]

/** They run programs, and a program can do what it likes. */
export const programRunners: readonly string[] = ['shell.*', 'process.start']

/** What these fetch is named by a URL that can carry data. */
export const webTools: readonly string[] = ['group:web']

export interface SinkKind {
  /** Arguments reach a stranger's server. */
  mcp: boolean
  outbound: boolean
  runner: boolean
  web: boolean
}

export function isSink(kind: SinkKind, effect: Effect, args: unknown, allowedByRule: boolean): boolean {
  if (effect === 'send' || kind.mcp) return true
  if (kind.runner && effect !== 'read') return !allowedByRule
  if (kind.outbound && effect !== 'read') return true
  return (kind.web || effect !== 'read') && namesAddress('', args, 0, { left: 2_000 })
}

/** More than anybody looks through counts as an address. */
function namesAddress(key: string, value: unknown, depth: number, budget: { left: number }): boolean {
  if (--budget.left < 0 || depth > 16) return true
  if (typeof value === 'string') return value !== '' && (isAddressKey(key) || isAddress(value))
  if (value === null || typeof value !== 'object') return false
  // The elements of a list are called what the list is called.
  for (const [own, inner] of Object.entries(value))
    if (namesAddress(Array.isArray(value) ? key : own, inner, depth + 1, budget)) return true
  return false
}

/** Whatever is written there is meant as an address, however it is written: `url`, `watch_url`, `links`. */
const isAddressKey = (key: string): boolean => /(?:ur[il]s?|href|endpoint|webhook|links?)$/i.test(key)

/**
 * A URL as a whole; text with links in it is none. As browsers and `fetch` read it: they drop tabs, line ends and what
 * cannot be seen at the ends, and make do with `https:evil.example`.
 */
function isAddress(text: string): boolean {
  const colon = text.indexOf(':')
  if (colon < 0 || colon > 80) return false
  if (text.length > longestAddress)
    return text.slice(0, 200).includes('//') && !text.slice(0, longestAddress).includes(' ')
  let [start, end] = [0, text.length]
  while (start < end && text.charCodeAt(start) <= 0x20) start++
  while (end > start && text.charCodeAt(end - 1) <= 0x20) end--
  const read = text.slice(start, end).replaceAll(/[\t\n\r]/g, '')
  if (read.includes(' ')) return false
  const url = URL.parse(read)
  return url !== null && (url.hostname !== '' || (url.protocol === 'mailto:' && url.pathname.includes('@')))
}

/** Characters. */
const longestAddress = 8 * 1024

const mostShown = 3

/** `https://example.com/page → http.request`, for the card. */
export function drawTaint(sources: readonly string[], sink: string): string {
  const more = sources.length - mostShown
  const shown = sources.slice(0, mostShown).map((source) => (source.length > 120 ? `${source.slice(0, 120)}…` : source))
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''} → ${sink}`
}
