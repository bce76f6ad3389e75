/** Signs out: the session's row ends on the server, and the browser forgets its cookie. */
export async function leave(): Promise<void> {
  // Only whoever leaves needs the library.
  const { signOut } = await import('next-auth/react')
  await signOut({ redirect: false })
  window.location.assign('/sign-in')
}
