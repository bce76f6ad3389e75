// The REST API as an OpenAPI 3.1 document, made of the definitions that serve it (endpoint.ts).
import { z } from 'zod'
import { type ApiErrorCode, errorStatuses } from './api-error.ts'
import type { ApiArea, Endpoint } from './endpoint.ts'
import type {
  JsonSchema,
  OpenApiAnswer,
  OpenApiDocument,
  OpenApiOperation,
  OpenApiParameter,
} from './openapi-document.ts'

const tags: Record<ApiArea, string> = {
  Tools: 'The registry of tools that the workspace has.',
  Agents: 'Agents, and the tools that are attached to them.',
  Runs: 'Activations of agents: their steps, tool calls, questions and events.',
  Executions: 'The history of tool calls, across all runs.',
  Questions: 'What agents ask people, and the answers.',
  Policies: 'What decides about tool calls.',
  Files: 'What agents wrote: the work folder, and virtual files.',
  Secrets: 'Secrets by name. No endpoint gives out a value.',
  Audit: 'Who did what.',
  Playground: 'Conversations with agents, each member’s own.',
}

/** What every request can meet. */
const always: Partial<Record<ApiErrorCode, string>> = {
  VALIDATION_ERROR: 'The request is not what is expected.',
  UNAUTHORIZED: 'No key and no session, or one that does not count any more.',
  FORBIDDEN: 'The key lacks the scope, the member lacks the role, or a change came from a page of another site.',
  NOT_FOUND: 'It does not exist in this workspace, or the workspace of X-Workspace-Id is none of the caller’s.',
  RATE_LIMITED: 'Too many requests; Retry-After says when to come back.',
  INTERNAL_ERROR: 'It did not work, and the console’s log says why.',
  UNAVAILABLE: 'The database cannot be reached; Retry-After says when to come back.',
}

const withBody: Partial<Record<ApiErrorCode, string>> = {
  PAYLOAD_TOO_LARGE: 'The body is too large.',
  UNSUPPORTED_MEDIA_TYPE: 'The body is not sent as application/json.',
}

const workspaceParameter: OpenApiParameter = {
  name: 'X-Workspace-Id',
  in: 'header',
  required: false,
  description:
    'The workspace that is meant. A key has only its own, a session all of its member’s; any other one is not found. Left out, it is the key’s own, or the one that the console shows.',
  schema: { type: 'string' },
}

const errorShape = z
  .strictObject({
    error: z.strictObject({
      code: z.enum(Object.keys(errorStatuses) as [ApiErrorCode, ...ApiErrorCode[]]),
      message: z.string().describe('A sentence for whoever wrote the request.'),
      details: z
        .array(z.strictObject({ path: z.string(), message: z.string() }))
        .optional()
        .describe('Everything that is wrong with the request, and where.'),
    }),
  })
  .meta({ id: 'Error' })

export function describeApi(endpoints: readonly Endpoint[], version: string): OpenApiDocument {
  const schemas: Record<string, JsonSchema> = {}
  const toSchema = (shape: z.ZodType, io: 'input' | 'output') => collect(shape, io, schemas)
  const paths: OpenApiDocument['paths'] = {}
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {}
    ;(paths[endpoint.path] as Record<string, OpenApiOperation>)[endpoint.method.toLowerCase()] = describeOperation(
      endpoint,
      toSchema,
    )
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Quartermaster',
      version,
      description:
        'The REST API of a Quartermaster installation. Fields are snake_case, times ISO 8601 in UTC, money is in millionths of a US dollar. Lists come page by page: `next` of one page is `after` of the following.',
    },
    servers: [{ url: '/' }],
    tags: Object.entries(tags)
      .filter(([name]) => endpoints.some(({ area }) => area === name))
      .map(([name, description]) => ({ name, description })),
    paths,
    components: {
      securitySchemes: {
        key: { type: 'http', scheme: 'bearer', description: 'An API key: qm_…' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'qm.session',
          description:
            'The console’s own session (`__Host-qm.session` over https). A change also needs an Origin of the console.',
        },
      },
      parameters: { workspace: workspaceParameter },
      headers: {
        'RateLimit-Limit': header('Requests that the key or session may make in a minute.'),
        'RateLimit-Remaining': header('How many of them are left.'),
        'RateLimit-Reset': header('In how many seconds the minute is over.'),
        'Retry-After': header('In how many seconds to come back.'),
      },
      schemas,
    },
  }
}

const header = (description: string) => ({ description, schema: { type: 'integer' } })

function describeOperation(
  endpoint: Endpoint,
  toSchema: (shape: z.ZodType, io: 'input' | 'output') => JsonSchema,
): OpenApiOperation {
  const { answer, params, query, body, scope, role } = endpoint
  const rights = `Needs the scope \`${scope}\` of a key, and the role ${role}${role === 'owner' ? '' : ' or a higher one'}.`
  return {
    operationId: operationIdOf(endpoint),
    tags: [endpoint.area],
    summary: endpoint.summary,
    description: [endpoint.description, rights].filter(Boolean).join('\n\n'),
    security: [{ key: [] }, { session: [] }],
    parameters: [
      ...parametersOf(params, 'path', toSchema),
      ...parametersOf(query, 'query', toSchema),
      { $ref: '#/components/parameters/workspace' },
    ],
    ...(body
      ? { requestBody: { required: true, content: { 'application/json': { schema: toSchema(body, 'input') } } } }
      : {}),
    responses: {
      [answer.status]: {
        description: answer.description,
        ...contentOf(answer, toSchema),
        headers: rateHeaders,
      },
      ...errorsOf(endpoint, toSchema(errorShape, 'output')),
    },
  }
}

const refOf = (name: string) => ({ $ref: `#/components/headers/${name}` })
const rateHeaders = Object.fromEntries(
  ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'].map((name) => [name, refOf(name)]),
)

/** `GET /api/agents/{agentId}/tools` → `getAgentsTools`: stable, and nobody has to think of one. */
const operationIdOf = ({ method, path }: Endpoint) =>
  method.toLowerCase() +
  path
    .replace(/^\/api/, '')
    .split('/')
    .map((part) => (part.startsWith('{') ? `By${capital(part.slice(1, -1))}` : part.split('-').map(capital).join('')))
    .join('')

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

function parametersOf(
  shape: z.ZodObject,
  place: 'path' | 'query',
  toSchema: (shape: z.ZodType, io: 'input' | 'output') => JsonSchema,
): OpenApiParameter[] {
  return Object.entries(shape.shape as Record<string, z.ZodType>).map(([name, each]) => {
    const { description, ...schema } = toSchema(each, 'input')
    return {
      name,
      in: place,
      required: place === 'path' || !each.safeParse(undefined).success,
      ...(typeof description === 'string' ? { description } : {}),
      schema,
    }
  })
}

function contentOf(
  { schema, otherTypes = {} }: Endpoint['answer'],
  toSchema: (shape: z.ZodType, io: 'input' | 'output') => JsonSchema,
): Pick<OpenApiAnswer, 'content'> {
  const content = {
    ...(schema ? { 'application/json': { schema: toSchema(schema, 'output') } } : {}),
    ...Object.fromEntries(
      Object.entries(otherTypes).map(([type, description]) => [type, { schema: { type: 'string', description } }]),
    ),
  }
  return Object.keys(content).length ? { content } : {}
}

/** Of one status, all that it can mean. */
function errorsOf({ body, errors = {} }: Endpoint, schema: JsonSchema): Record<string, OpenApiAnswer> {
  const codes = { ...always, ...(body ? withBody : {}), ...errors }
  const answers: Record<string, OpenApiAnswer> = {}
  for (const [code, meaning] of Object.entries(codes) as [ApiErrorCode, string][]) {
    const status = String(errorStatuses[code])
    const known = answers[status]?.description
    answers[status] = {
      description: [...(known ? [known] : []), `\`${code}\`: ${meaning}`].join(' '),
      content: { 'application/json': { schema } },
      headers: code === 'RATE_LIMITED' ? { ...rateHeaders, 'Retry-After': refOf('Retry-After') } : {},
    }
  }
  return answers
}

/** The shape as JSON Schema; what has a name of its own stands once, among the components. */
function collect(shape: z.ZodType, io: 'input' | 'output', schemas: Record<string, JsonSchema>): JsonSchema {
  const made = z.toJSONSchema(shape, { io, override: ({ jsonSchema }) => tidy(jsonSchema) })
  const {
    $defs = {},
    $schema: _,
    ...schema
  } = JSON.parse(JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/')) as JsonSchema & {
    $defs?: Record<string, JsonSchema>
  }
  for (const [name, def] of Object.entries($defs)) schemas[name] ??= def
  const id = shape.meta()?.id
  if (typeof id !== 'string') return schema
  schemas[id] ??= schema
  return { $ref: `#/components/schemas/${id}` }
}

/** What JSON Schema says already by other words. */
function tidy(schema: JsonSchema): void {
  if (schema.format === 'date-time' || schema.format === 'date') delete schema.pattern
  if (schema.type !== 'integer') return
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum
}
