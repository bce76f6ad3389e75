// From a definition to the functions that Next calls: who asks → how often → what exactly → work → answer. Everything
// that goes wrong ends as the one kind of error body.
import type { z } from 'zod'
import { runtime } from '../runtime.ts'
import { ApiError, type ErrorDetail, renderError } from './api-error.ts'
import type { Method, Served } from './endpoint.ts'
import { apiLimits as limits } from './limits.ts'
import { readJson } from './read-json.ts'
import { requireCaller } from './require-caller.ts'

type Handler = (request: Request) => Promise<Response>
type Handlers = Record<Method | 'HEAD' | 'OPTIONS', Handler>

/** What a route.ts exports: the endpoints of its path, and an answer to every other method. */
export function serve(...endpoints: Served[]): Handlers {
  const byMethod = new Map<string, Served>(endpoints.map((endpoint) => [endpoint.method, endpoint]))
  const allowed = [...byMethod.keys(), ...(byMethod.has('GET') ? ['HEAD'] : []), 'OPTIONS'].join(', ')
  const handle = (method: Method): Handler => {
    const endpoint = byMethod.get(method)
    return endpoint ? (request) => answer(endpoint, request) : (request) => refuseMethod(request, allowed)
  }
  const options: Handler = () => tellMethods(allowed)
  const head: Handler = async (request) => withoutBody(await handle('GET')(request))
  return {
    GET: handle('GET'),
    HEAD: head,
    POST: handle('POST'),
    PUT: handle('PUT'),
    PATCH: handle('PATCH'),
    DELETE: handle('DELETE'),
    OPTIONS: options,
  }
}

/** A stream that nobody will read is ended at once. */
async function withoutBody(full: Response): Promise<Response> {
  await full.body?.cancel()
  return new Response(null, { status: full.status, headers: full.headers })
}

async function tellMethods(allowed: string): Promise<Response> {
  return new Response(null, { status: 204, headers: { Allow: allowed, 'Cache-Control': 'no-store' } })
}

async function refuseMethod(request: Request, allowed: string): Promise<Response> {
  const { pathname } = new URL(request.url)
  const error = new ApiError('METHOD_NOT_ALLOWED', `${pathname} has no ${request.method}; it has ${allowed}.`)
  return renderError(error, { Allow: allowed })
}

async function answer(endpoint: Served, request: Request): Promise<Response> {
  const headers = new Headers({ 'Cache-Control': 'no-store' })
  try {
    const url = new URL(request.url)
    const { caller, findAgain } = await requireCaller(request, endpoint, (credential) => spend(credential, headers))
    const params = check(endpoint.params, readParams(endpoint.path, url.pathname), 'path')
    const query = check(endpoint.query, readQuery(url.searchParams), 'query')
    const body =
      endpoint.body && check(endpoint.body, await readJson(request, endpoint.bodyBytes ?? limits.bodyBytes), 'body')
    const isStillAllowed = async () => {
      const again = await findAgain()
      return again?.memberId === caller.memberId && again.workspaceId === caller.workspaceId
    }
    const result = await endpoint.work({ caller, params, query, body, request, isStillAllowed })
    if (result instanceof Response) {
      for (const [name, value] of headers) if (!result.headers.has(name)) result.headers.set(name, value)
      return result
    }
    const { status, schema } = endpoint.answer
    return schema ? Response.json(result, { status, headers }) : new Response(null, { status, headers })
  } catch (error) {
    return renderError(error, headers)
  }
}

/** One more call of this key or session; its headers are on every answer, also on one that goes wrong. */
async function spend(credential: string, headers: Headers): Promise<void> {
  const { allowed, limit, remaining, reset } = await runtime().rates.take(credential)
  headers.set('RateLimit-Limit', String(limit))
  headers.set('RateLimit-Remaining', String(remaining))
  headers.set('RateLimit-Reset', String(reset))
  if (allowed) return
  headers.set('Retry-After', String(reset))
  throw new ApiError('RATE_LIMITED', `At most ${limit} requests a minute. Come back in ${reset} s.`)
}

/** What stands in the address where the path has names. Next has routed by the same path. */
function readParams(path: string, pathname: string): Record<string, string> {
  const given = pathname.split('/')
  const names = path.split('/').map((part) => /^\{(\w+)\}$/.exec(part)?.[1])
  return Object.fromEntries(names.flatMap((name, index) => (name ? [[name, decode(given[index] ?? '')]] : [])))
}

const noNul = 'The address has a NUL character, which no text here can have.'

function decode(text: string): string {
  if (text.includes('%00')) throw new ApiError('VALIDATION_ERROR', noNul)
  try {
    return decodeURIComponent(text)
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The address is not encoded as UTF-8.')
  }
}

function readQuery(search: URLSearchParams): Record<string, string> {
  const twice = [...search.keys()].find((name) => search.getAll(name).length > 1)
  if (twice !== undefined) throw new ApiError('VALIDATION_ERROR', `${twice}: given more than once.`)
  if (search.toString().includes('%00')) throw new ApiError('VALIDATION_ERROR', noNul)
  return Object.fromEntries(search)
}

function check<T>(shape: z.ZodType<T>, value: unknown, what: 'path' | 'query' | 'body'): T {
  const parsed = shape.safeParse(value)
  if (parsed.success) return parsed.data
  const details = parsed.error.issues.flatMap((issue) => describe(issue, what))
  const [first] = details
  throw new ApiError(
    'VALIDATION_ERROR',
    first ? (first.path ? `${first.path}: ${first.message}` : first.message) : 'The request is not what is expected.',
    details,
  )
}

function describe(issue: z.core.$ZodIssue, what: 'path' | 'query' | 'body'): ErrorDetail[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys')
    return issue.keys.map((key) => ({
      path: [...path, key].join('.'),
      message: what === 'query' ? 'There is no such parameter.' : 'There is no such field.',
    }))
  const missing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined')
  return [{ path: path.join('.'), message: missing ? 'This is required.' : issue.message }]
}
