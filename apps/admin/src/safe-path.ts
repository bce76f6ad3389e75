/** A path of our own to go on to after signing in; anything that could lead elsewhere becomes the Overview. */
export function safePath(wanted: unknown): string {
  const fallback = '/overview'
  if (typeof wanted !== 'string' || !wanted.startsWith('/')) return fallback
  try {
    const { origin, pathname, search } = new URL(wanted, 'http://console.invalid')
    if (origin !== 'http://console.invalid' || pathname.startsWith('/api/') || pathname === '/sign-in') return fallback
    // '/.//elsewhere' is a path of ours whose resolved form, '//elsewhere', is another's address.
    return pathname.startsWith('//') ? fallback : `${pathname}${search}`
  } catch {
    return fallback // Not an address at all.
  }
}
