// Canonical names are ours (`file.read`, `mcp:github:search`); API names are what the model's API accepts: letters,
// digits, `_` and `-`, at most 64. The two map onto each other without a table, so that no order of registration and
// no other tool can change what a name means.
//
//   readable   `file.read` → `file-read`         `my-tool` → `my--tool`
//              `mcp:my-server:get_issue` → `mcp__my-server__get_issue` (`.` → `--` here, where dots are the rare ones)
//   escaped    whatever the readable form would not give back: `x---` and `_hex_` for each other character
//   hashed     longer than 64: 29 characters of the name, `---`, 128 bits of its SHA-256; only a registry reverses it
//
// A dot is not `_`, because `web.search` would then be `web_search`, which is Anthropic's own server tool. Readable
// names have no `---`, and the other two have it at different places, so the three never meet.
import { createHash } from 'node:crypto'
import { limits } from './limits.ts'

const escapedPrefix = 'x---'
const hashLength = 32
const hashedHead = limits.apiNameLength - hashLength - 3

export function toApiName(canonical: string): string {
  const readable = toReadable(canonical)
  if (readable.length <= limits.apiNameLength && fromReadable(readable) === canonical) return readable
  const escaped = escapedPrefix + canonical.replace(/[^A-Za-z0-9]/g, (unit) => `_${unit.charCodeAt(0).toString(16)}_`)
  return escaped.length <= limits.apiNameLength ? escaped : hashed(canonical)
}

/** The canonical name, or null where no name has this API name, or where only a registry knows it (a hashed one). */
export function fromApiName(apiName: string): string | null {
  const canonical = apiName.startsWith(escapedPrefix) ? fromEscaped(apiName) : fromReadable(apiName)
  return canonical !== null && toApiName(canonical) === apiName ? canonical : null
}

function toReadable(canonical: string): string {
  const mcp = /^mcp:([^:]+):([^:]+)$/.exec(canonical)
  return mcp
    ? `mcp__${mcp[1]!.replaceAll('.', '--')}__${mcp[2]!.replaceAll('.', '--')}`
    : canonical.replace(/[.-]/g, (mark) => (mark === '.' ? '-' : '--'))
}

/** Total and strict: null for anything that is not plainly the readable form of some name. */
function fromReadable(apiName: string): string | null {
  if (!/^[A-Za-z0-9_-]+$/.test(apiName) || apiName.includes('---')) return null
  if (!apiName.startsWith('mcp__')) return apiName.replace(/--?/g, (dashes) => (dashes === '-' ? '.' : '-'))
  const end = apiName.indexOf('__', 5)
  if (end <= 5 || end + 2 === apiName.length) return null
  return `mcp:${apiName.slice(5, end)}:${apiName.slice(end + 2)}`.replaceAll('--', '.')
}

function fromEscaped(apiName: string): string | null {
  const body = apiName.slice(escapedPrefix.length)
  if (!/^(?:[A-Za-z0-9]|_[0-9a-f]{1,4}_)*$/.test(body)) return null
  return body.replace(/_([0-9a-f]+)_/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function hashed(canonical: string): string {
  const head = canonical.slice(0, hashedHead).replace(/[^A-Za-z0-9]/g, '_')
  // UTF-16, because UTF-8 would turn all lone surrogates into one replacement character.
  const hash = createHash('sha256').update(Buffer.from(canonical, 'utf16le')).digest('hex').slice(0, hashLength)
  return `${head.padEnd(hashedHead, '_')}---${hash}`
}

/** What is wrong with a canonical name, as a sentence; null where nothing is. */
export function problemOfName(name: unknown): string | null {
  if (typeof name !== 'string') return `A tool's name is a string, not ${name === null ? 'null' : typeof name}.`
  if (name === '') return "A tool's name is empty."
  const shown = JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
  if (name.length > limits.toolNameLength)
    return `The tool name ${shown} has ${name.length} characters; the limit is ${limits.toolNameLength}.`
  // Policies are written in ASCII too: what looks like `file.read` is `file.read`.
  if (!/^[\x21-\x7e]+$/.test(name)) return `The tool name ${shown} has a space or a character outside of ASCII.`
  if (name.includes('*')) return `The tool name ${shown} has a *, which only patterns have.`
  if (name.startsWith('group:')) return `The tool name ${shown} starts with group:, which names groups of tools.`
  if (name.startsWith('mcp:'))
    return /^mcp:[^:]+:[^:]+$/.test(name) ? null : `The tool name ${shown} is not of the form mcp:<server>:<tool>.`
  if (name.includes(':')) return `The tool name ${shown} has a colon, which only mcp:<server>:<tool> has.`
  if (name.split('.').includes('')) return `The tool name ${shown} has an empty part before, after or between dots.`
  return null
}

export const isCanonicalName = (name: unknown): name is string => problemOfName(name) === null
