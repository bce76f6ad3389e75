// Whether an IP address is one of the public internet. Judged is the address that is connected to, never its spelling:
// whoever wrote 0x7f.1 or ::ffff:7f00:1 meant 127.0.0.1, and by the time it is an address it says so.
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** `local`: an owner may allow it by name. `never`: nobody may; no host of anybody's lives there. */
export type AddressVerdict = { verdict: 'public' } | { verdict: 'local' | 'never'; reason: string }

type Table = readonly [cidr: string, verdict: 'local' | 'never', reason: string][]

// IANA's special-purpose registries. What is not globally reachable is not public.
const v4: Table = [
  ['0.0.0.0/8', 'never', 'unspecified'],
  ['10.0.0.0/8', 'local', 'private'],
  ['100.100.100.200/32', 'never', 'cloud metadata'],
  ['100.64.0.0/10', 'local', 'carrier-grade NAT'],
  ['127.0.0.0/8', 'local', 'loopback'],
  // Cloud metadata services are here: an owner who means a host of theirs never means this.
  ['169.254.0.0/16', 'never', 'link-local or cloud metadata'],
  ['168.63.129.16/32', 'never', 'cloud metadata'],
  ['172.16.0.0/12', 'local', 'private'],
  ['192.0.0.0/24', 'never', 'reserved'],
  ['192.0.2.0/24', 'never', 'reserved'],
  ['192.31.196.0/24', 'never', 'reserved'],
  ['192.52.193.0/24', 'never', 'reserved'],
  ['192.88.99.0/24', 'never', 'reserved'],
  ['192.168.0.0/16', 'local', 'private'],
  ['192.175.48.0/24', 'never', 'reserved'],
  ['198.18.0.0/15', 'local', 'private'],
  ['198.51.100.0/24', 'never', 'reserved'],
  ['203.0.113.0/24', 'never', 'reserved'],
  ['224.0.0.0/4', 'never', 'multicast'],
  ['240.0.0.0/4', 'never', 'reserved'],
]

// Only 2000::/3 is handed out at all; of it, these are for something else.
const v6: Table = [
  ['::1/128', 'local', 'loopback'],
  ['fd00:ec2::254/128', 'never', 'cloud metadata'],
  ['fd20:ce::254/128', 'never', 'cloud metadata'],
  ['fc00::/7', 'local', 'private'],
  ['fe80::/10', 'never', 'link-local'],
  ['ff00::/8', 'never', 'multicast'],
  ['2001::/23', 'never', 'a tunnel or reserved'],
  ['2001:db8::/32', 'never', 'reserved'],
  ['2002::/16', 'never', 'a tunnel'],
  ['2620:4f:8000::/48', 'never', 'reserved'],
  ['3fff::/20', 'never', 'reserved'],
]

const compile = (table: Table) =>
  table.map(([cidr, verdict, reason]) => ({ range: ipaddr.parseCIDR(cidr), judged: { verdict, reason } as const }))
const v4Ranges = compile(v4)
const v6Ranges = compile(v6)
const globalUnicast = ipaddr.parseCIDR('2000::/3')
const isPublic: AddressVerdict = { verdict: 'public' }

export function judgeAddress(address: string): AddressVerdict {
  const family = isIP(address)
  if (family === 4) return judgeV4(ipaddr.IPv4.parse(address))
  // A zone (fe80::1%eth0) says which of our own networks is meant, so it is never public.
  if (family === 0 || address.includes('%')) return { verdict: 'never', reason: 'not an address' }
  return judgeV6(address)
}

function judgeV4(address: ipaddr.IPv4): AddressVerdict {
  for (const { range, judged } of v4Ranges) if (address.match(range as [ipaddr.IPv4, number])) return judged
  return isPublic
}

function judgeV6(text: string): AddressVerdict {
  // The URL parser reads every spelling, ours of the library does not (64:ff9b::127.0.0.1).
  const { parts } = ipaddr.IPv6.parse(new URL(`http://[${text}]`).hostname.slice(1, -1))
  const address = new ipaddr.IPv6(parts)
  const starts = (...prefix: number[]) => prefix.every((part, index) => parts[index] === part)
  // Mapped (::ffff:a.b.c.d) and NAT64 (64:ff9b::a.b.c.d) lead to the IPv4 address at their end.
  if (starts(0, 0, 0, 0, 0, 0xffff) || starts(0x64, 0xff9b, 0, 0, 0, 0)) {
    const [high, low] = parts.slice(6) as [number, number]
    return judgeV4(new ipaddr.IPv4([high >> 8, high & 255, low >> 8, low & 255]))
  }
  for (const { range, judged } of v6Ranges) if (address.match(range as [ipaddr.IPv6, number])) return judged
  if (!address.match(globalUnicast as [ipaddr.IPv6, number])) return { verdict: 'never', reason: 'reserved' }
  return isPublic
}
