// next-auth does the protocol (forms, OpenID Connect, cookies); who may come in and for how long is packages/db's.
// Its cookie holds our random session token, sealed, and nothing else: the row behind it is looked up for each request.
import type { AuthOptions, User } from 'next-auth'
import Credentials from 'next-auth/providers/credentials'
import type { OAuthConfig } from 'next-auth/providers/oauth'
import { z } from 'zod'
import { data } from './data.ts'
import type { Oidc } from './env.ts'
import { runtime } from './runtime.ts'
import { cookieOptions, sessionCookie } from './sign-in-cookies.ts'

/** A user as next-auth hands it from the sign-in to the cookie. */
type SignedIn = User & { token?: string }

export const sessionSecret = () => data.deriveKey(runtime().keys.current, 'console session').toString('base64')

export function authOptions(origin: string, userAgent: string | null): AuthOptions {
  const { env, db } = runtime()
  const maxAge = data.limits.sessionMs / 1000
  return {
    secret: sessionSecret(),
    session: { strategy: 'jwt', maxAge },
    useSecureCookies: origin.startsWith('https:'),
    cookies: { sessionToken: { name: sessionCookie(origin), options: cookieOptions(origin) } },
    pages: { signIn: '/sign-in', error: '/sign-in', signOut: '/overview' },
    providers: [passwordProvider(), ...(env.oidc ? [oidcProvider(env.oidc)] : [])],
    callbacks: {
      async signIn({ user, account, profile }) {
        if (account?.provider !== 'oidc') return true
        const claims = claimsShape.safeParse(profile)
        if (!claims.success) return '/sign-in?error=no-member'
        const result = await data.signInWithProvider(db, {
          provider: 'oidc',
          providerAccountId: claims.data.sub,
          email: claims.data.email,
          emailVerified: claims.data.email_verified,
          name: claims.data.name ?? null,
          userAgent,
        })
        if (!result.ok) return '/sign-in?error=no-member'
        ;(user as SignedIn).token = result.token
        return true
      },
      jwt: ({ token, user }) => (user ? { token: (user as SignedIn).token } : token),
      // The browser asks for it at /api/auth/session; pages never do.
      session: ({ session }) => ({ expires: session.expires }),
    },
    events: {
      async signOut({ token }) {
        if (typeof token?.token === 'string') await data.endSession(db, token.token)
      },
    },
    logger: {
      // Only the code and the message: next-auth's metadata may hold tokens.
      error: (code, metadata) => console.error(`console: sign-in: ${code}: ${messageOf(metadata)}`),
      warn: (code) => console.warn(`console: sign-in: ${code}`),
      debug: () => {},
    },
  }
}

function passwordProvider() {
  return Credentials({
    credentials: { email: {}, password: {} },
    async authorize(credentials, request): Promise<SignedIn | null> {
      const headers = (request.headers ?? {}) as Record<string, string | undefined>
      const result = await data
        .signIn(runtime().db, {
          email: String(credentials?.email ?? ''),
          password: String(credentials?.password ?? ''),
          address: headers['x-qm-address'] ?? 'unknown',
          userAgent: headers['user-agent'] ?? null,
        })
        .catch((error: unknown) => {
          // next-auth puts the words of an error into an address that it sends to the browser.
          console.error('console: a sign-in failed:', error)
          throw new Error('failed')
        })
      if (result.ok) return { id: result.loginId, token: result.token }
      if (result.reason === 'too-many') throw new Error(`too-many:${result.retryAfterSeconds ?? 0}`)
      return null
    },
  })
}

const claimsShape = z.object({
  sub: z.string().min(1),
  email: z.string().min(3),
  // Some providers write it as text; anything but a clear yes is a no.
  email_verified: z.union([z.boolean(), z.enum(['true', 'false']).transform((value) => value === 'true')]),
  name: z.string().optional(),
})

function oidcProvider(oidc: Oidc): OAuthConfig<Record<string, unknown>> {
  return {
    id: 'oidc',
    name: oidc.name,
    type: 'oauth',
    wellKnown: `${oidc.issuer.replace(/\/$/, '')}/.well-known/openid-configuration`,
    clientId: oidc.clientId,
    clientSecret: oidc.clientSecret,
    authorization: { params: { scope: 'openid email profile' } },
    idToken: true,
    checks: ['pkce', 'state', 'nonce'],
    userinfo: {
      // The ID token proves who it is; many providers give the e-mail only at the userinfo endpoint.
      async request({ tokens, client }) {
        // next-auth's type leaves the method out; the value is openid-client's own, with the ID token verified.
        const claims = (tokens as unknown as { claims(): { sub: string; email?: string } }).claims()
        if (claims.email !== undefined || !tokens.access_token) return claims
        const more = await client.userinfo(tokens.access_token)
        return { ...claims, ...more, sub: claims.sub }
      },
    },
    profile: (claims) => ({ id: String(claims.sub) }),
  }
}

function messageOf(metadata: unknown): string {
  const error = metadata instanceof Error ? metadata : (metadata as { error?: unknown } | null)?.error
  return error instanceof Error ? error.message : 'no details'
}
