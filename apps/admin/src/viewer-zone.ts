// Dates are shown in the zone of whoever looks. Their browser says it in a cookie (shell/tell-zone.tsx), so that the
// server's markup has it right; until it has, and where nobody knows the zone, it is the workspace's.
import { cookies } from 'next/headers'
import { cache } from 'react'
import { data } from './data.ts'
import { runtime } from './runtime.ts'
import { zoneCookie } from './zone-cookie.ts'

/** What the browser said, if it is a zone. */
export const readToldZone = cache(async (): Promise<string | null> => {
  const told = (await cookies()).get(zoneCookie)?.value ?? ''
  return data.isTimeZone(told) ? told : null
})

/** The zone in which this person reads dates. What a day is in a filter or an expiry is the workspace's to say. */
export const readZone = async (workspaceId: string): Promise<string> =>
  (await readToldZone()) ?? (await data.readSettings(runtime().db, workspaceId)).timezone
