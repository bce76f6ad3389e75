/** Slack's words for a token that will not work again until somebody installs the app anew or sets another. */
export const deadToken: ReadonlySet<string> = new Set([
  'account_inactive',
  'invalid_auth',
  'not_authed',
  'token_expired',
  'token_revoked',
])
