import type { Json } from './model.ts'

/** What Slack answers instead of doing what it was asked: `{ ok: false, error }` and, for some errors, details. */
export class Refusal extends Error {
  readonly code: string
  readonly more: Json

  constructor(code: string, more: Json = {}) {
    super(code)
    this.code = code
    this.more = more
  }
}

/** Slack's way of saying which argument is wrong, and how. */
export function invalidArguments(...messages: string[]): Refusal {
  return new Refusal('invalid_arguments', {
    response_metadata: { messages: messages.map((message) => `[ERROR] ${message}`) },
  })
}
