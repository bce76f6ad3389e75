// One definition of an endpoint of the REST API makes both its handler (serve.ts) and its part of the OpenAPI document
// (openapi.ts): what is written there is what is checked here.
import type { Role } from '@quartermaster/db'
import { z } from 'zod'
import type { ApiErrorCode } from './api-error.ts'
import type { Caller } from './require-caller.ts'
import type { ApiScopeName } from './scopes.ts'

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** A heading of the reference. */
export type ApiArea =
  | 'Tools'
  | 'Agents'
  | 'Runs'
  | 'Executions'
  | 'Questions'
  | 'Policies'
  | 'Files'
  | 'Secrets'
  | 'Audit'
  | 'Playground'

/** What is given in an address: texts, each at most once. */
type Texts = z.ZodObject

export interface Work<Params, Query, Body> {
  caller: Caller
  params: Params
  query: Query
  body: Body
  request: Request
  /** For what goes on for long: whether it is still this caller, who may still do this. */
  isStillAllowed: () => Promise<boolean>
}

/** What serve.ts needs of it. */
export interface Served<
  Params extends Texts = Texts,
  Query extends Texts = Texts,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> {
  method: Method
  /** As OpenAPI writes it: `/api/agents/{agentId}/tools`. */
  path: string
  /** The least role, and what a key must have been made for; null: no key opens it, only a session of the console. */
  role: Role
  scope: ApiScopeName | null
  params: Params
  query: Query
  body?: Body
  /** Bytes; more than limits.ts allows otherwise. */
  bodyBytes?: number
  /** Without a schema there is no body, or `work` returns the Response itself. */
  answer: { status: 200 | 201 | 202 | 204; schema?: Answer }
  work: (work: Work<z.output<Params>, z.output<Query>, z.output<Body>>) => Promise<z.input<Answer> | Response>
}

export interface Endpoint<
  Params extends Texts = Texts,
  Query extends Texts = Texts,
  Body extends z.ZodType = z.ZodType,
  Answer extends z.ZodType = z.ZodType,
> extends Served<Params, Query, Body, Answer> {
  scope: ApiScopeName
  area: ApiArea
  summary: string
  description?: string
  answer: Served<Params, Query, Body, Answer>['answer'] & {
    description: string
    /** What else it may answer with; `work` then returns a Response. */
    otherTypes?: Readonly<Record<string, string>>
  }
  /** What can go wrong beyond what can always go wrong, and when. */
  errors?: Partial<Record<ApiErrorCode, string>>
}

const nothing = z.strictObject({})

type Given<Params extends Texts, Query extends Texts, Body extends z.ZodType, Answer extends z.ZodType> = Omit<
  Endpoint<Params, Query, Body, Answer>,
  'params' | 'query'
> & { params?: Params; query?: Query }

export function endpoint<
  Answer extends z.ZodType = z.ZodVoid,
  Params extends Texts = typeof nothing,
  Query extends Texts = typeof nothing,
  Body extends z.ZodType = z.ZodUndefined,
>(given: Given<Params, Query, Body, Answer>): Endpoint {
  const { params = nothing, query = nothing, ...rest } = given
  return { ...rest, params, query } as unknown as Endpoint
}

interface OfPages<Query extends Texts, Body extends z.ZodType>
  extends Pick<Served<Texts, Query, Body>, 'method' | 'path' | 'role' | 'body' | 'bodyBytes'> {
  query?: Query
  work: (work: Work<unknown, z.output<Query>, z.output<Body>>) => Promise<Response>
}

/** What only the console's own pages ask for: checked, counted and refused like all the others, and in no document. */
export function pageEndpoint<Query extends Texts = typeof nothing, Body extends z.ZodType = z.ZodUndefined>(
  given: OfPages<Query, Body>,
): Served {
  const { query = nothing, ...rest } = given
  return { ...rest, query, params: nothing, scope: null, answer: { status: 200 } } as unknown as Served
}
