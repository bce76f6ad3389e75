import { data } from '../data.ts'
import { apiLimits as limits } from './limits.ts'

/** Every code of the REST API and its status: those of the iofold document, and what an answer needs besides. */
export const errorStatuses = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  ALREADY_EXISTS: 409,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNSUPPORTED_MEDIA_TYPE: 415,
  MISDIRECTED_REQUEST: 421,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  UNAVAILABLE: 503,
} as const

export type ApiErrorCode = keyof typeof errorStatuses

/** One thing that is wrong with a request, and where: `config.default_limit`. */
export interface ErrorDetail {
  path: string
  message: string
}

/** A refusal of the REST API, in words for whoever wrote the request. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  readonly details: readonly ErrorDetail[] | undefined
  constructor(code: ApiErrorCode, message: string, details?: readonly ErrorDetail[]) {
    super(message)
    this.code = code
    this.details = details
  }
}

export function renderError(error: unknown, headers: HeadersInit = {}): Response {
  const known = error instanceof ApiError ? error : (fromProblem(error) ?? fromDatabase(error))
  if (!known || known.code === 'UNAVAILABLE') console.error('console: a request of the REST API failed:', error)
  const { code, message, details } =
    known ?? new ApiError('INTERNAL_ERROR', 'This did not work. The console’s log says why.')
  const answer = Response.json(
    { error: { code, message, ...(details?.length ? { details } : {}) } },
    { status: errorStatuses[code], headers },
  )
  answer.headers.set('Cache-Control', 'no-store')
  if (code === 'UNAVAILABLE') answer.headers.set('Retry-After', String(limits.unavailableSeconds))
  return answer
}

/** What packages/db says to a person about what they sent is as good for whoever wrote the request. */
const fromProblem = (error: unknown) =>
  error instanceof data.Problem ? new ApiError('VALIDATION_ERROR', `${error.message} ${error.fix}`) : null

const fromDatabase = (error: unknown) =>
  data.isConnectionLost(error)
    ? new ApiError('UNAVAILABLE', 'The database cannot be reached at this moment. Send it again in a little while.')
    : null
