// What an address of the web means, read once and by the rules that everything after it reads by (WHATWG).
import { OutboundProblem } from '../outbound-request.ts'

export interface Destination {
  url: URL
  /** Lower case, without brackets and final dot: what a list of hosts is compared with, and what is resolved. */
  host: string
  port: number
}

const longestUrl = 16 * 1024

/** Ports on which something other than a web server listens, and takes a request for its own language (fetch's list). */
const otherProtocols = new Set([
  0, 1, 7, 9, 11, 13, 15, 17, 19, 20, 21, 22, 23, 25, 37, 42, 43, 53, 69, 77, 79, 87, 95, 101, 102, 103, 104, 109, 110,
  111, 113, 115, 117, 119, 123, 135, 137, 139, 143, 161, 179, 389, 427, 465, 512, 513, 514, 515, 526, 530, 531, 532,
  540, 548, 554, 556, 563, 587, 601, 636, 989, 990, 993, 995, 1719, 1720, 1723, 2049, 3659, 4045, 4190, 5060, 5061,
  6000, 6566, 6665, 6666, 6667, 6668, 6669, 6679, 6697, 10080,
])

export function parseDestination(address: string, base?: URL): Destination {
  if (address.length > longestUrl)
    throw new OutboundProblem('bad-address', `The address is longer than ${longestUrl} characters.`)
  const url = URL.parse(address, base?.href)
  if (url === null || (url.hostname === '' && /^https?:$/.test(url.protocol)))
    throw new OutboundProblem('bad-address', 'The address cannot be read. Give a whole one: https://example.com/page')
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new OutboundProblem('bad-address', `Only http: and https: addresses can be reached, not ${url.protocol}`)
  if (url.username !== '' || url.password !== '')
    throw new OutboundProblem('bad-address', 'The address holds a user name or password. Leave them out.')
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  if (otherProtocols.has(port)) throw new OutboundProblem('blocked', `Port ${port} is not one of the web.`)
  const host = bareHost(url.hostname)
  if (host === '') throw new OutboundProblem('bad-address', 'The address names no host.')
  return { url, host, port }
}

export const bareHost = (hostname: string): string => hostname.toLowerCase().replace(/^\[|\]$|\.$/g, '')
