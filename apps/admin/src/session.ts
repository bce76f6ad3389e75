import type { Actor, Membership, Role, Session } from '@quartermaster/db'
import { cookies, headers } from 'next/headers'
import { forbidden, redirect } from 'next/navigation'
import { decode } from 'next-auth/jwt'
import { cache } from 'react'
import { sessionSecret } from './auth-options.ts'
import { data } from './data.ts'
import { runtime } from './runtime.ts'
import { sessionCookie, workspaceCookie } from './sign-in-cookies.ts'

/** Who asks, in which of their workspaces. */
export interface CurrentMember {
  session: Session
  membership: Membership
  actor: Actor
}

/** Our own address, as the door determined it for this request. */
export const ownOrigin = async () => (await headers()).get('x-qm-origin') ?? ''

/** What the browser sent: its session's token, and which workspace it chose. Neither is known to be good. */
export async function readSessionToken(): Promise<{ token: string | null; chosenWorkspace: string | undefined }> {
  const [jar, origin] = await Promise.all([cookies(), ownOrigin()])
  return {
    token: await openCookie(jar.get(sessionCookie(origin))?.value),
    chosenWorkspace: jar.get(workspaceCookie(origin))?.value,
  }
}

/** Read from the database once a request: a revoked session, a disabled member or a changed role counts at once. */
export const findCurrentMember = cache(async (): Promise<CurrentMember | null> => {
  const { token, chosenWorkspace } = await readSessionToken()
  const session = token ? await data.findSession(runtime().db, token) : null
  if (!session) return null
  // The cookie only chooses among what the session has; an id that is not there means nothing.
  const membership =
    session.memberships.find((candidate) => candidate.workspaceId === chosenWorkspace) ?? session.memberships[0]
  if (!membership) return null
  return { session, membership, actor: { kind: 'member', id: membership.memberId } }
})

/** For every page: somebody who is signed in, with at least this role. */
export async function requireMember(needed: Role): Promise<CurrentMember> {
  const current = await findCurrentMember()
  if (!current) redirect(`/sign-in?next=${encodeURIComponent(await currentPath())}`)
  if (!data.atLeast(current.membership.role, needed)) forbidden()
  return current
}

async function currentPath(): Promise<string> {
  const url = new URL((await headers()).get('x-qm-path') ?? '/', 'http://console')
  url.searchParams.delete('_rsc')
  return `${url.pathname}${url.search}`
}

async function openCookie(value: string | undefined): Promise<string | null> {
  if (!value) return null
  try {
    const opened = await decode({ token: value, secret: sessionSecret() })
    return typeof opened?.token === 'string' ? opened.token : null
  } catch {
    return null // Not sealed by us, or by a key of the past: nobody is signed in with it.
  }
}
