/** The codes of the iofold document, and the two of somebody who is not let in. */
const statuses = {
  VALIDATION_ERROR: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  ALREADY_EXISTS: 409,
  INTERNAL_ERROR: 500,
} as const

export type ApiErrorCode = keyof typeof statuses

/** A refusal of the REST API, in words for whoever wrote the request. */
export class ApiError extends Error {
  readonly code: ApiErrorCode
  constructor(code: ApiErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export function renderError(error: unknown): Response {
  const known = error instanceof ApiError ? error : null
  if (!known) console.error('console: a request of the REST API failed:', error)
  const code = known?.code ?? 'INTERNAL_ERROR'
  const message = known?.message ?? 'This did not work. The console’s log says why.'
  return Response.json(
    { error: { code, message } },
    { status: statuses[code], headers: { 'Cache-Control': 'no-store' } },
  )
}
