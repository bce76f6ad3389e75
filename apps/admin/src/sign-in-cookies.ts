/** A cookie with the `__Host-` prefix is only taken over https, for this host alone; a browser enforces it. */
const prefixOf = (origin: string) => (origin.startsWith('https:') ? '__Host-' : '')

export const sessionCookie = (origin: string) => `${prefixOf(origin)}qm.session`
export const workspaceCookie = (origin: string) => `${prefixOf(origin)}qm.workspace`

export const cookieOptions = (origin: string) =>
  ({ httpOnly: true, sameSite: 'lax', path: '/', secure: origin.startsWith('https:') }) as const
