import { signOut } from 'next-auth/react'

/** Signs out: the session's row ends on the server, and the browser forgets its cookie. */
export async function leave(): Promise<void> {
  await signOut({ redirect: false })
  window.location.assign('/sign-in')
}
