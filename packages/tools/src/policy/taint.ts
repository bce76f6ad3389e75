// Once a run has read what strangers wrote, whatever may carry data out of the building asks a person.
//
// A sink is: every call that sends; every call of an MCP tool (its arguments reach the server, and only the server says
// that it reads); a write or an execution in somebody's account, a browser or a shell; and a call of a web tool, or any
// write or execution, with a URL among its arguments (a query string carries data as well as a body does).
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
  return (kind.web || effect !== 'read') && namesUrl(args, 0, { left: 2_000 })
}

/** A string that is a URL as a whole; text with links in it is not. More than anybody looks through counts as one. */
function namesUrl(value: unknown, depth: number, budget: { left: number }): boolean {
  if (--budget.left < 0 || depth > 16) return true
  if (typeof value === 'string') return isUrl(value)
  if (value === null || typeof value !== 'object') return false
  for (const key of Object.keys(value))
    if (namesUrl((value as Record<string, unknown>)[key], depth + 1, budget)) return true
  return false
}

function isUrl(text: string): boolean {
  const colon = text.indexOf(':')
  if (colon < 2 || colon > 40) return false
  const trimmed = text.trim()
  return !/\s/.test(trimmed) && /^[a-z][a-z0-9+.-]*:(\/\/|\\\\|[^\s/]*@)/i.test(trimmed)
}

const mostShown = 3

/** `https://example.com/page → http.request`, for the card. */
export function drawTaint(sources: readonly string[], sink: string): string {
  const more = sources.length - mostShown
  const shown = sources.slice(0, mostShown).map((source) => (source.length > 120 ? `${source.slice(0, 120)}…` : source))
  return `${shown.join(', ')}${more > 0 ? ` and ${more} more` : ''} → ${sink}`
}
