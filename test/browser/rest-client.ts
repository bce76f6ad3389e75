// Calls the REST API over HTTP and holds every answer against the OpenAPI document that the console serves: a status
// that is not documented, a field too many or too few, a missing header fail the test that got it.
import { createApiKey, type Role } from '@quartermaster/db'
import type { ErrorObject } from 'ajv'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import type { OpenApiDocument, OpenApiOperation } from '../../apps/admin/src/api/openapi-document.ts'
import type { ConsoleUnderTest } from './console.ts'
import { type RawAnswer, sendRaw } from './send-raw.ts'

export interface RestRequest {
  key?: string | null
  headers?: Record<string, string>
  body?: unknown
  /** Sent as it is, instead of `body`. */
  raw?: string
}

export interface RestAnswer extends RawAnswer {
  /** The body as JSON; null where it is none. */
  json: Json
}

// biome-ignore lint/suspicious/noExplicitAny: what came over the wire; its shape was held against the document.
type Json = any

export interface Rest {
  document(): Promise<OpenApiDocument>
  /** A key of the member with this role. */
  key(role?: Role, scopes?: string[]): Promise<string>
  call(method: string, path: string, request?: RestRequest): Promise<RestAnswer>
  /** `GET /api/tools 200` of every answer that was checked. */
  seen: Set<string>
}

export function useRest(it: ConsoleUnderTest): Rest {
  let loading: Promise<{ document: OpenApiDocument; ajv: Ajv2020 }> | null = null
  const validators = new Map<string, ValidateFunction>()
  const keys = new Map<string, string>()
  const seen = new Set<string>()

  const load = () => {
    loading ??= sendRaw(it.url, '/api/openapi.json').then(({ body }) => {
      const document = JSON.parse(body) as OpenApiDocument
      const ajv = new Ajv2020({ strict: true, allErrors: true, allowUnionTypes: true, validateFormats: true })
      ajv.addFormat('date-time', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/)
      // The vocabulary of the document around its schemas.
      ajv.addVocabulary(['openapi', 'info', 'servers', 'tags', 'paths', 'components'])
      ajv.addSchema(document as object, 'api')
      return { document, ajv }
    })
    return loading
  }

  const validate = async (pointer: string, value: unknown): Promise<ErrorObject[]> => {
    const { ajv } = await load()
    let validator = validators.get(pointer)
    if (!validator) {
      validator = ajv.compile({ $ref: `api#${pointer}` })
      validators.set(pointer, validator)
    }
    return validator(value) ? [] : (validator.errors ?? [])
  }

  const check = async (method: string, path: string, answer: RestAnswer) => {
    const { document } = await load()
    const pathname = path.split('?')[0] as string
    const template = findTemplate(document, pathname)
    const operation = template && document.paths[template]?.[method.toLowerCase()]
    const what = `${method} ${path} ${answer.status} ${answer.body.slice(0, 300)}`
    if (!operation) {
      // What is no operation is told in the words of all errors.
      const errors = await validate('/components/schemas/Error', answer.json)
      if (errors.length || ![404, 405].includes(answer.status)) throw new Error(`no operation answers so: ${what}`)
      return
    }
    seen.add(`${operation.operationId} ${answer.status}`)
    const documented = operation.responses[String(answer.status)]
    if (!documented) throw new Error(`a status that is not documented: ${what}`)
    const type = String(answer.headers['content-type'] ?? '').split(';')[0] as string
    const types = Object.keys(documented.content ?? {})
    if (!types.length && answer.body) throw new Error(`a body where none is documented: ${what}`)
    if (types.length && !types.some((each) => new RegExp(`^${each.replace('*', '.+')}$`).test(type)))
      throw new Error(`a type that is not documented (${type}): ${what}`)
    if (type === 'application/json') {
      const place = ['', 'paths', template, method.toLowerCase(), 'responses', String(answer.status), 'content', type]
      const errors = await validate([...place, 'schema'].map(asPointer).join('/'), answer.json)
      if (errors.length)
        throw new Error(
          `not what is documented: ${what}\n${JSON.stringify(errors.slice(0, 5).map(({ instancePath, message, params }) => ({ instancePath, message, params })))}`,
        )
    }
    for (const name of Object.keys(documented.headers ?? {}))
      if (answer.headers[name.toLowerCase()] === undefined) throw new Error(`the header ${name} is missing: ${what}`)
  }

  return {
    seen,
    document: async () => (await load()).document,
    async key(role = 'admin', scopes = ['*']) {
      const name = `${role} ${scopes}`
      const known = keys.get(name)
      if (known) return known
      const { memberId } = it.people[role]
      const actor = { kind: 'member' as const, id: memberId }
      const made = await createApiKey(it.db, { workspaceId: it.workspaceId, memberId, name, scopes, actor })
      keys.set(name, made.key)
      return made.key
    },
    async call(method, path, { key, headers, body, raw } = {}) {
      const bearer = key === undefined ? await this.key() : key
      const got = await sendRaw(it.url, path, {
        method,
        headers: {
          ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
          ...(body === undefined && raw === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(raw === undefined ? (body === undefined ? {} : { body: JSON.stringify(body) }) : { body: raw }),
      })
      const isJson = /^application\/json/.test(String(got.headers['content-type']))
      const answer = { ...got, json: isJson && got.body ? JSON.parse(got.body) : null }
      await check(method, path, answer)
      return answer
    },
  }
}

export function findTemplate(document: OpenApiDocument, pathname: string): string | undefined {
  const parts = pathname.split('/')
  const fits = (template: string) => {
    const wanted = template.split('/')
    return wanted.length === parts.length && wanted.every((part, at) => part.startsWith('{') || part === parts[at])
  }
  // As Next does: a word that is written out goes before a name.
  return Object.keys(document.paths)
    .filter(fits)
    .sort((a, b) => a.split('{').length - b.split('{').length)[0]
}

const asPointer = (part: string) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))

export const operationsOf = (
  document: OpenApiDocument,
): { method: string; path: string; operation: OpenApiOperation }[] =>
  Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )
