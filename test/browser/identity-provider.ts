import { createServer } from 'node:http'
import { findFreePort } from '@quartermaster/db/embedded-postgres'
import Provider, { type FindAccount } from 'oidc-provider'

export interface ProviderAccount {
  email: string
  email_verified: boolean | string
  name?: string
}

export interface IdentityProvider {
  issuer: string
  /** Who can sign in there, by the id that the provider gives them. Their password there is anything. */
  accounts: Map<string, ProviderAccount>
  stop(): Promise<void>
}

export const client = { id: 'quartermaster', secret: 'a secret between console and provider' }

/** A real OpenID provider on loopback. Like many, it tells the e-mail only at its userinfo endpoint. */
export async function startIdentityProvider(consoleUrl: string): Promise<IdentityProvider> {
  const port = await findFreePort()
  const issuer = `http://localhost:${port}`
  const accounts = new Map<string, ProviderAccount>()
  const findAccount: FindAccount = async (_context, id) =>
    accounts.has(id) ? { accountId: id, claims: async () => ({ sub: id, ...accounts.get(id) }) } : undefined
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [`${consoleUrl}/api/auth/callback/oidc`],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600 },
    cookies: { keys: ['only for tests'] },
    findAccount,
  })
  const server = createServer(provider.callback())
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  return {
    issuer,
    accounts,
    stop: () =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections()
      }),
  }
}
