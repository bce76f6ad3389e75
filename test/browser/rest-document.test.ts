// The OpenAPI document as a client generator reads it: by the rules of OpenAPI 3.1 and JSON Schema 2020-12, and nothing in
// it that only we would understand.
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { z } from 'zod'
import type { OpenApiDocument } from '../../apps/admin/src/api/openapi-document.ts'
import { useConsole } from './console.ts'
import { operationsOf, useRest } from './rest-client.ts'

const it = useConsole()
const rest = useRest(it)

const text = z.string().min(1)
const mediaType = z.string().regex(/^[a-z]+\/(\*|[a-z0-9.+-]+)$/)
/** Looked at by itself, as JSON Schema. */
const schema = z.record(z.string(), z.unknown())
const reference = (kind: string) => z.strictObject({ $ref: z.string().startsWith(`#/components/${kind}/`) })
const name = z.string().regex(/^[\w.-]+$/)
const content = z.record(mediaType, z.strictObject({ schema }))
const header = z.strictObject({ description: text, schema })
const parameter = z
  .strictObject({
    name: text,
    in: z.enum(['path', 'query', 'header']),
    required: z.boolean(),
    description: text.optional(),
    schema,
  })
  .refine((each) => each.in !== 'path' || each.required, 'what is in a path is required')
const response = z.strictObject({
  description: text,
  content: content.optional(),
  headers: z.record(z.string().regex(/^[A-Za-z-]+$/), reference('headers')).optional(),
})
const operation = z.strictObject({
  operationId: z.string().regex(/^[a-z]\w*$/i),
  tags: z.array(text).min(1),
  summary: text,
  description: text,
  security: z.array(z.record(name, z.array(z.string()))).min(1),
  parameters: z.array(z.union([reference('parameters'), parameter])),
  requestBody: z.strictObject({ required: z.literal(true), content }).optional(),
  responses: z.record(z.string().regex(/^[1-5]\d\d$/), response).refine((all) => Object.keys(all).length > 0),
})
const documentShape = z.strictObject({
  openapi: z.string().regex(/^3\.1\.\d+$/),
  info: z.strictObject({ title: text, version: text, description: text }),
  servers: z.array(z.strictObject({ url: text })).min(1),
  tags: z.array(z.strictObject({ name: text, description: text })),
  paths: z.record(
    z.string().regex(/^(\/([\w.-]+|\{\w+\}))+$/),
    z.partialRecord(z.enum(['get', 'put', 'post', 'patch', 'delete']), operation),
  ),
  components: z.strictObject({
    securitySchemes: z.record(
      name,
      z.union([
        z.strictObject({ type: z.literal('http'), scheme: z.literal('bearer'), description: text }),
        z.strictObject({ type: z.literal('apiKey'), in: z.literal('cookie'), name: text, description: text }),
      ]),
    ),
    parameters: z.record(name, parameter),
    headers: z.record(name, header),
    schemas: z.record(name, schema),
  }),
})

/** Everything that is named `$ref` anywhere, and every JSON Schema that the document begins. */
function collect(document: OpenApiDocument): { refs: string[]; schemas: object[] } {
  const refs: string[] = []
  const schemas: object[] = Object.values(document.components.schemas)
  const walk = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return
    for (const [key, inner] of Object.entries(value)) {
      if (key === '$ref' && typeof inner === 'string') refs.push(inner)
      if (key === 'schema' && typeof inner === 'object' && inner !== null) schemas.push(inner)
      walk(inner)
    }
  }
  walk(document)
  return { refs, schemas }
}

const resolve = (document: unknown, ref: string) =>
  ref
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((at, part) => (at as Record<string, unknown> | undefined)?.[part], document)

function problemsOf(document: OpenApiDocument): string[] {
  const parsed = documentShape.safeParse(document)
  if (!parsed.success) return parsed.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  const problems: string[] = []
  const { refs, schemas } = collect(document)
  for (const ref of refs) if (resolve(document, ref) === undefined) problems.push(`${ref} leads nowhere`)
  if (problems.length) return problems

  const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, validateFormats: true })
  ajv.addFormat('date-time', true)
  ajv.addFormat('date', true)
  ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'paths', 'components'])
  ajv.addSchema(document as object, 'api')
  for (const each of schemas) {
    try {
      const absolute = JSON.parse(JSON.stringify(each).replaceAll('"#/components/', '"api#/components/'))
      const check = ajv.compile(absolute)
      if ('default' in each && !check(each.default)) problems.push(`the default ${each.default} is not valid itself`)
    } catch (error) {
      problems.push(`${JSON.stringify(each).slice(0, 80)}: ${(error as Error).message}`)
    }
  }

  const templates = new Set<string>()
  for (const path of Object.keys(document.paths)) {
    const template = path.replace(/\{\w+\}/g, '{}')
    if (templates.has(template)) problems.push(`${path} cannot be told from another path`)
    templates.add(template)
  }
  const tags = new Set(document.tags.map((tag) => tag.name))
  const ids = new Set<string>()
  for (const { method, path, operation: each } of operationsOf(document)) {
    const what = `${method} ${path}`
    if (ids.has(each.operationId)) problems.push(`${what}: ${each.operationId} is another one's id`)
    ids.add(each.operationId)
    for (const tag of each.tags) if (!tags.has(tag)) problems.push(`${what}: there is no tag ${tag}`)
    for (const used of each.security.flatMap((one) => Object.keys(one)))
      if (!(used in document.components.securitySchemes)) problems.push(`${what}: there is no scheme ${used}`)
    const given = each.parameters.flatMap((one) => ('in' in one ? [`${one.in} ${one.name}`] : []))
    if (new Set(given).size !== given.length) problems.push(`${what}: a parameter stands there twice`)
    const named = [...path.matchAll(/\{(\w+)\}/g)].map((match) => `path ${match[1]}`)
    const inPath = given.filter((one) => one.startsWith('path '))
    if (inPath.join() !== named.join()) problems.push(`${what}: has ${named}, describes ${inPath}`)
    const success = Object.keys(each.responses).filter((status) => status.startsWith('2'))
    if (success.length !== 1) problems.push(`${what}: has not one answer for when it works`)
    if (success[0] === '204' && each.responses['204']?.content) problems.push(`${what}: 204 has a body`)
    for (const status of ['400', '401', '403', '404', '429', '500'])
      if (!each.responses[status]) problems.push(`${what}: nothing is said of ${status}`)
    if ((method === 'GET' || method === 'DELETE') && each.requestBody) problems.push(`${what}: has a body`)
  }
  return problems
}

test('the document is one of OpenAPI 3.1, whole and without a loose end', async () => {
  expect(problemsOf(await rest.document())).toEqual([])
})

test('what is wrong with a document is found', async () => {
  const good = JSON.stringify(await rest.document())
  const spoil = (change: (document: OpenApiDocument) => void) => {
    const document = JSON.parse(good) as OpenApiDocument
    change(document)
    return problemsOf(document)
  }
  const list = (document: OpenApiDocument) =>
    document.paths['/api/tools']?.get as NonNullable<unknown> & { tags: string[] }
  const spoiled: ((document: OpenApiDocument) => void)[] = [
    (document) => Object.assign(document, { openapi: '3.0.3' }),
    (document) => Object.assign(list(document), { nullable: true }),
    (document) => list(document).tags.push('Nothing'),
    (document) => delete document.components.schemas.Tool,
    (document) => Object.assign(document.components.schemas.Tool as object, { type: 'text' }),
    (document) => Object.assign(document.paths, { '/api/tools/{other}': document.paths['/api/tools/{id}'] }),
    (document) => Object.assign(document.paths['/api/tools'] as object, { search: list(document) }),
    (document) =>
      Object.assign(list(document), { parameters: [{ name: 'x', in: 'path', required: false, schema: {} }] }),
  ]
  for (const change of spoiled) expect([String(change), spoil(change).length > 0]).toEqual([String(change), true])
})

test('lists say how they go on, all in the same words, and none is without an end', async () => {
  const document = await rest.document()
  const whole = ['GET /api/tools', 'GET /api/agents/{agentId}/tools']
  for (const { method, path, operation: each } of operationsOf(document)) {
    const answer = each.responses['200']?.content?.['application/json']?.schema as
      | { properties?: Record<string, { type?: unknown }> }
      | undefined
    const isList = Object.keys(answer?.properties ?? {}).includes('next')
    const names = each.parameters.flatMap((one) => ('in' in one && one.in === 'query' ? [one.name] : []))
    const what = `${method} ${path}`
    if (isList) expect([what, names]).toEqual([what, expect.arrayContaining(['limit', 'after'])])
    // An answer whose only field is a list is one that might never end.
    const fields = Object.values(answer?.properties ?? {})
    if (fields.length === 1 && fields[0]?.type === 'array') expect(whole).toContain(what)
    expect([what, names.filter((one) => /offset|page/.test(one))]).toEqual([what, []])
  }
})
