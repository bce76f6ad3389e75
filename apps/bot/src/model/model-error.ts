import { APIConnectionError, APIError, APIUserAbortError } from '@anthropic-ai/sdk'
import type { ModelErrorKind } from './model.ts'
import { type ModelUsage, noUsage } from './usage.ts'

/** Why there is no turn. Its message is a sentence for people; nothing of the request stands in it. */
export class ModelError extends Error {
  override readonly name = 'ModelError'
  readonly kind: ModelErrorKind
  /** The server asked to wait this long; null where it did not say. */
  readonly retryAfterMs: number | null
  /** Whether the same request may succeed later. */
  readonly passing: boolean
  readonly requestId: string | null
  /** What the failed attempts used all the same; it is paid for. */
  usage: ModelUsage = noUsage
  costMicros = 0
  attempts = 0

  constructor(kind: ModelErrorKind, sentence: string, details: Partial<ModelErrorDetails> = {}) {
    super(sentence, { cause: details.cause })
    this.kind = kind
    this.retryAfterMs = details.retryAfterMs ?? null
    this.passing = details.passing ?? false
    this.requestId = details.requestId ?? null
  }
}

interface ModelErrorDetails {
  retryAfterMs: number | null
  passing: boolean
  requestId: string | null
  cause: unknown
}

/** How much of the provider's own words is repeated. */
const quoteLength = 300

/** What went wrong, from whatever the SDK, the network or the stream threw. */
export function explainModelFailure(error: unknown): ModelError {
  if (error instanceof ModelError) return error
  if (error instanceof APIUserAbortError) return aborted()
  if (error instanceof APIConnectionError || !(error instanceof APIError))
    return new ModelError('unreachable', `The model cannot be reached (${reasonOf(error)}).`, {
      passing: true,
      cause: error,
    })
  return explainApiError(error)
}

export const aborted = (): ModelError => new ModelError('aborted', 'The model was stopped.')

function explainApiError(error: APIError): ModelError {
  const { status, type } = error
  const told = error.headers?.get('x-should-retry')
  const details = (passing: boolean): Partial<ModelErrorDetails> => ({
    // The server knows best whether another attempt makes sense.
    passing: told === 'true' || (passing && told !== 'false'),
    retryAfterMs: parseRetryAfter(error.headers),
    requestId: error.requestID ?? null,
    cause: error,
  })
  if (isTooLarge(error))
    return new ModelError('context_exceeded', 'The conversation is too long for the model.', details(false))
  if (status === 429 || type === 'rate_limit_error')
    return new ModelError('rate_limited', `The model's provider asks us to slow down${quote(error)}.`, details(true))
  if (status === 529 || type === 'overloaded_error')
    return new ModelError('overloaded', 'The model is overloaded.', details(true))
  if (status === 401 || type === 'authentication_error')
    return new ModelError('authentication', `The model's provider refuses the key${quote(error)}.`, details(false))
  if (status === 402 || status === 403 || type === 'permission_error' || type === 'billing_error')
    return new ModelError('authentication', `The key may not do this${quote(error)}.`, details(false))
  // An error in mid-stream has no status, only a type.
  const serverFailed = status === undefined ? type !== 'invalid_request_error' : status >= 500
  if (serverFailed || status === 408 || status === 409)
    return new ModelError('overloaded', `The model's server failed${quote(error)}.`, details(true))
  if (status === 404)
    return new ModelError('invalid_request', `The provider does not know the model${quote(error)}.`, details(false))
  return new ModelError('invalid_request', `The model's provider refuses the request${quote(error)}.`, details(false))
}

/** The API has no code of its own for a prompt that is too long, so its words have to tell. */
function isTooLarge(error: APIError): boolean {
  if (error.status === 413) return true
  const words = error.apiMessage ?? ''
  return error.status === 400 && /prompt is too long|exceeds? (the )?(maximum )?context|context window/i.test(words)
}

/** Seconds, or a date; null where there is none that makes sense. */
export function parseRetryAfter(headers: Headers | undefined, now = Date.now()): number | null {
  const milliseconds = Number(headers?.get('retry-after-ms') ?? Number.NaN)
  if (milliseconds >= 0) return milliseconds
  const text = headers?.get('retry-after')
  if (!text) return null
  const seconds = Number(text)
  if (Number.isFinite(seconds)) return seconds >= 0 ? seconds * 1000 : null
  const date = Date.parse(text)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

/** The provider's own explanation, on one line. */
function quote(error: APIError): string {
  // Line breaks and control characters of a server do not belong into a sentence of ours.
  const words = (error.apiMessage ?? '').replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ').trim()
  if (!words) return error.status ? ` (${error.status})` : ''
  return `: ${words.length > quoteLength ? `${words.slice(0, quoteLength)}…` : words.replace(/\.$/, '')}`
}

/** The innermost reason: "fetch failed" says nothing, the code beneath it does. */
function reasonOf(error: unknown): string {
  let reason = error instanceof Error ? error.message : String(error)
  let depth = 0
  for (let cause: unknown = error; cause instanceof Error && depth < 5; cause = cause.cause, depth++)
    reason = (cause as NodeJS.ErrnoException).code ?? (cause.message || reason)
  return reason.replace(/\.$/, '')
}
