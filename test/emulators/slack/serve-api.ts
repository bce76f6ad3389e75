import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core } from './core.ts'
import { appMethods } from './methods/app.ts'
import { chatMethods } from './methods/chat.ts'
import { conversationMethods } from './methods/conversations.ts'
import { fileMethods, type Uploads } from './methods/files.ts'
import { type Call, type Method, type Methods, requireScope } from './methods/method.ts'
import type { OAuth } from './methods/oauth.ts'
import { sessionMethods } from './methods/sessions.ts'
import { streamMethods } from './methods/streams.ts'
import { userMethods } from './methods/users.ts'
import { viewMethods } from './methods/views.ts'
import type { Bot, Json, Team } from './model.ts'
import { parseArguments } from './parse-arguments.ts'
import type { Rates } from './rates.ts'
import { Refusal } from './refusal.ts'
import type { Sockets } from './sockets.ts'

/** How a call goes wrong: an error of Slack's, a status of HTTP, or a connection that breaks before or after the deed. */
export type ApiFault =
  | { error: string; more?: Json }
  | { status: number }
  | { breaks: 'before' | 'after' }
  | { delayMs: number }

/** Bodies are kept for assertions; in a long day the oldest go. */
const mostLogged = 20_000

/** The Web API: who calls, whether they may, how often, and then the method. */
export class Api {
  readonly #core: Core
  readonly #sockets: Sockets
  readonly #rates: Rates
  readonly #methods: Methods
  readonly #faults: { method: string; fault: ApiFault }[] = []

  constructor(core: Core, sockets: Sockets, rates: Rates, uploads: Uploads, oauth: OAuth) {
    this.#core = core
    this.#sockets = sockets
    this.#rates = rates
    this.#methods = {
      ...appMethods,
      ...chatMethods,
      ...conversationMethods,
      ...fileMethods(uploads),
      ...oauth.methods(),
      ...sessionMethods,
      ...streamMethods,
      ...userMethods,
      ...viewMethods,
    }
  }

  /** The next call of a method goes wrong; several faults of one method happen one after another. */
  failNext(method: string, ...faults: ApiFault[]): void {
    for (const fault of faults) this.#faults.push({ method, fault })
  }

  async serve(name: string, request: IncomingMessage, response: ServerResponse, body: Buffer): Promise<void> {
    const at = this.#core.clock.now()
    const planned = this.#faults.findIndex(({ method }) => method === name)
    const fault = planned < 0 ? null : (this.#faults.splice(planned, 1)[0] as { fault: ApiFault }).fault
    if (fault && 'delayMs' in fault) await new Promise((resolve) => setTimeout(resolve, fault.delayMs))
    const log = (status: number, teamId: string | null, args: Json, answer: Json, tooEarly = false) => {
      if (this.#core.requests.length >= mostLogged) this.#core.requests.shift()
      this.#core.requests.push({ method: name, teamId, args, at, status, answer, tooEarly })
    }
    if (fault && 'breaks' in fault && fault.breaks === 'before') {
      log(0, null, {}, { breaks: 'before' })
      return void request.socket.destroy()
    }
    if (fault && 'status' in fault) {
      log(fault.status, null, {}, {})
      return void response.writeHead(fault.status, { 'content-type': 'text/plain' }).end('Internal Server Error')
    }
    let args: Json = {}
    let team: Team | null = null
    let headers: Record<string, string> = {}
    const answer = (json: Json, status = 200, more: Record<string, string> = {}, tooEarly = false) => {
      log(status, team?.id ?? null, args, json, tooEarly)
      if (fault && 'breaks' in fault) return void request.socket.destroy()
      response.writeHead(status, { 'content-type': 'application/json; charset=utf-8', ...headers, ...more })
      response.end(JSON.stringify(json))
    }
    try {
      const parsed = parseArguments(request.headers, body)
      args = parsed.args
      const method = this.#methods[name]
      if (!method) throw new Refusal('unknown_method', { req_method: name })
      const caller = this.#authorize(method, parsed.token)
      team = caller?.team ?? null
      if (caller) headers = scopeHeaders(method, caller.bot)
      if (caller && method.scope) requireScope(caller.bot, method.scope)
      const limited = this.#rates.limit(name, method, team?.id ?? '', args)
      if (limited)
        return answer(
          { ok: false, error: 'ratelimited' },
          429,
          { 'retry-after': String(limited.retryAfter) },
          limited.tooEarly,
        )
      if (fault && 'error' in fault) throw new Refusal(fault.error, fault.more)
      const call = { core: this.#core, sockets: this.#sockets, args, ...caller } as Call
      answer({ ok: true, ...(await method.run(call)) })
    } catch (error) {
      if (!(error instanceof Refusal)) throw error
      answer({ ok: false, error: error.code, ...error.more })
    } finally {
      this.#core.world.changed()
    }
  }

  #authorize(method: Method, token: string | null): { team: Team; bot: Bot } | null {
    if (method.token === 'none') return null
    if (!token) throw new Refusal('not_authed')
    const revoked = this.#core.revokedTokens.get(token)
    if (revoked) throw new Refusal(revoked)
    const team = this.#core.teamOfToken(token)
    const isApp = token === this.#core.appToken
    if (!team && !isApp) throw new Refusal('invalid_auth')
    if (isApp !== (method.token === 'app')) throw new Refusal('not_allowed_token_type')
    return team?.bot ? { team, bot: team.bot } : null
  }
}

function scopeHeaders({ scope }: Method, { scopes }: Bot): Record<string, string> {
  return { 'x-oauth-scopes': scopes.join(','), ...(scope ? { 'x-accepted-oauth-scopes': scope } : {}) }
}
