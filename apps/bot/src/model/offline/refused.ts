import { refusal } from './reply.ts'
import type { Refusal } from './serve-messages.ts'

/** Thrown inside the checks of a request, caught at their top. */
export class Refused extends Error {
  readonly refusal: Refusal

  constructor(message: string, status = 400, type = 'invalid_request_error') {
    super(message)
    this.refusal = refusal(status, type, message)
  }
}

export type Fields = Record<string, unknown>

export const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

export function oneOf(value: unknown, allowed: readonly string[], path: string): void {
  if (!allowed.includes(value as string))
    throw new Refused(`${path}: Input should be ${allowed.map((name) => `'${name}'`).join(', ')}`)
}
