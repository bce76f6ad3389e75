import { randomBytes } from 'node:crypto'
import type { Core } from '../core.ts'
import type { Team, User } from '../model.ts'
import { Refusal } from '../refusal.ts'
import type { Methods } from './method.ts'

const codeMs = 10 * 60_000

interface Grant {
  team: Team
  user: User
  scopes: string[]
  redirectUri: string | null
  at: number
}

/** Installing the app in one more team: a person allows it, and the app exchanges the code for a token. */
export class OAuth {
  readonly #core: Core
  readonly #codes = new Map<string, Grant>()

  constructor(core: Core) {
    this.#core = core
  }

  /** What the page says about a request to install, or why it cannot. */
  check(url: URL): string | null {
    if (url.searchParams.get('client_id') !== this.#core.clientId) return 'invalid_client_id'
    const scopes = this.#scopes(url)
    if (!scopes.length) return 'no_scopes'
    const unknown = scopes.find((scope) => !this.#core.scopes.includes(scope))
    return unknown ? `invalid_scope: ${unknown}` : null
  }

  /** Where the browser goes after a person has allowed or denied. */
  decide(url: URL, team: Team, user: User, allowed: boolean): string {
    const problem = this.check(url)
    if (problem) throw new Error(`Slack shows an error page: ${problem}`)
    const redirectUri = url.searchParams.get('redirect_uri')
    if (!redirectUri) throw new Error('The app has no redirect URL and did not send one.')
    const target = new URL(redirectUri)
    const state = url.searchParams.get('state')
    if (state !== null) target.searchParams.set('state', state)
    if (allowed) {
      const code = `${Math.floor(Math.random() * 1e12)}.${randomBytes(24).toString('hex')}`
      this.#codes.set(code, { team, user, scopes: this.#scopes(url), redirectUri, at: this.#core.clock.now() })
      target.searchParams.set('code', code)
    } else target.searchParams.set('error', 'access_denied')
    return String(target)
  }

  methods(): Methods {
    return {
      'oauth.v2.access': {
        token: 'none',
        tier: 4,
        run: ({ args }) => {
          if (args.client_id !== this.#core.clientId) throw new Refusal('invalid_client_id')
          if (args.client_secret !== this.#core.clientSecret) throw new Refusal('bad_client_secret')
          const grant = this.#codes.get(String(args.code))
          if (!grant) throw new Refusal('invalid_code')
          this.#codes.delete(String(args.code))
          if (this.#core.clock.now() - grant.at > codeMs) throw new Refusal('code_expired')
          if (args.redirect_uri !== undefined && args.redirect_uri !== grant.redirectUri)
            throw new Refusal('bad_redirect_uri')
          const { team, user, scopes } = grant
          const bot = this.#core.install(team, scopes)
          this.#core.world.changed()
          return {
            access_token: bot.token,
            token_type: 'bot',
            scope: scopes.join(','),
            bot_user_id: bot.userId,
            app_id: this.#core.appId,
            team: { id: team.id, name: team.name },
            enterprise: null,
            authed_user: { id: user.id },
            is_enterprise_install: false,
          }
        },
      },
    }
  }

  #scopes(url: URL): string[] {
    return (url.searchParams.get('scope') ?? '').split(/[,\s]+/).filter(Boolean)
  }
}
