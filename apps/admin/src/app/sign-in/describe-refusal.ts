/** A sentence for the code of a refused sign-in. An unknown e-mail and a wrong password are one code, and one sentence. */
export function describeRefusal(code: string, provider: string | null): string {
  const wait = /^too-many:(\d{1,6})$/.exec(code)
  if (wait) return `Too many attempts. Try again in ${describeWait(Number(wait[1]))}.`
  switch (code) {
    case 'CredentialsSignin':
      return 'This e-mail and password do not belong together.'
    case 'no-member':
    case 'AccessDenied':
      return `${provider ?? 'The provider'} knows you, but no member here has that e-mail, or it is not verified there. Ask an owner to add you.`
    case 'failed':
      return 'That did not work, and not because of what you typed. Try again in a moment; the console’s log says why.'
    case 'unreachable':
      return 'The console did not answer. Try again in a moment.'
    case 'SessionRequired':
      return 'Sign in to go on.'
    default:
      return `The sign-in${provider ? ` with ${provider}` : ''} did not work. Try again; if it keeps failing, the console’s log says why.`
  }
}

function describeWait(seconds: number): string {
  if (seconds < 90) return 'a minute'
  return `${Math.ceil(seconds / 60)} minutes`
}
