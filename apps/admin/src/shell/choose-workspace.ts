'use server'

import { cookies, headers } from 'next/headers'
import { forbidden, redirect } from 'next/navigation'
import { findCurrentMember, ownOrigin } from '../session.ts'
import { cookieOptions, workspaceCookie } from '../sign-in-cookies.ts'

/** Remembers in this browser which workspace to show. It changes nothing in the database, so nothing is audited. */
export async function chooseWorkspace(workspaceId: string): Promise<void> {
  const current = await findCurrentMember()
  if (!current) redirect('/sign-in')
  const origin = await ownOrigin()
  if ((await headers()).get('origin') !== origin) forbidden()
  const chosen = current.session.memberships.find((membership) => membership.workspaceId === workspaceId)
  if (!chosen) forbidden()
  const jar = await cookies()
  jar.set(workspaceCookie(origin), chosen.workspaceId, { ...cookieOptions(origin), maxAge: 365 * 24 * 60 * 60 })
  redirect('/overview')
}
