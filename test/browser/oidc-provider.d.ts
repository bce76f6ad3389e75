// The package has no types of its own; this is what our test provider uses of it.
declare module 'oidc-provider' {
  import type { RequestListener } from 'node:http'

  interface Account {
    accountId: string
    claims(use: string, scope: string): Promise<Record<string, unknown>>
  }

  export default class Provider {
    constructor(issuer: string, configuration: Record<string, unknown>)
    callback(): RequestListener
    on(event: string, listener: (...values: unknown[]) => void): this
  }
  export type FindAccount = (context: unknown, id: string) => Promise<Account | undefined>
}
