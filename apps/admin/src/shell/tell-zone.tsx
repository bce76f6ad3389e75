'use client'

import { useRouter } from 'next/navigation'
import { useEffect } from 'react'
import { zoneCookie } from '../zone-cookie.ts'

const yearSeconds = 365 * 24 * 60 * 60

/**
 * Says which zone the browser is in where the server does not know it yet, or another one since somebody travelled: the
 * page is then read anew, with its dates in that zone. On the way through the sign-in that happens before there is a date.
 */
export function TellZone({ told }: { told: string | null }) {
  const router = useRouter()
  useEffect(() => {
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    if (!zone || zone === told) return
    // biome-ignore lint/suspicious/noDocumentCookie: not every browser here has the Cookie Store.
    document.cookie = `${zoneCookie}=${encodeURIComponent(zone)}; Path=/; Max-Age=${yearSeconds}; SameSite=Lax`
    router.refresh()
  }, [told, router])
  return null
}
