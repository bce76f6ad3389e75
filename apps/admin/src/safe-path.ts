/** A path of our own to go on to after signing in; anything that could lead elsewhere becomes the Overview. */
export function safePath(wanted: unknown): string {
  const fallback = '/overview'
  if (typeof wanted !== 'string' || !wanted.startsWith('/')) return fallback
  try {
    const url = new URL(wanted, 'http://console.invalid')
    if (url.origin !== 'http://console.invalid' || url.pathname.startsWith('/api/') || url.pathname === '/sign-in')
      return fallback
    return `${url.pathname}${url.search}`
  } catch {
    return fallback // Not an address at all.
  }
}
