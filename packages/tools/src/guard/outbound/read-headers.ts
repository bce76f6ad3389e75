import { OutboundProblem } from '../outbound-request.ts'

/** They belong to the connection, or say where the request goes: a caller's own would contradict what was checked. */
const ours = new Set([
  'connection',
  'content-length',
  'expect',
  'host',
  'http2-settings',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])
const mostBytes = 32 * 1024
const defaults: readonly (readonly [string, string])[] = [
  ['accept', '*/*'],
  ['accept-encoding', 'gzip, deflate, br, zstd'],
  ['user-agent', 'Quartermaster/1'],
]

/** By lower-case name, with what every request says. */
export function readHeaders(given: Readonly<Record<string, string>>): Map<string, string> {
  const headers = new Map(defaults)
  let bytes = 0
  for (const [key, value] of Object.entries(given)) {
    const name = key.toLowerCase()
    bytes += key.length + value.length
    if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name))
      throw new OutboundProblem('bad-address', `${JSON.stringify(key.slice(0, 80))} is not the name of a header.`)
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value))
      throw new OutboundProblem('bad-address', `The value of the header ${key} holds what a header cannot hold.`)
    if (ours.has(name)) throw new OutboundProblem('blocked', `The header ${key} cannot be chosen. Leave it out.`)
    headers.set(name, value)
  }
  if (bytes > mostBytes) throw new OutboundProblem('bad-address', `The headers are larger than ${mostBytes} bytes.`)
  return headers
}
