import type { IncomingHttpHeaders } from 'node:http'
import type { Json } from './model.ts'
import { invalidArguments, Refusal } from './refusal.ts'

/** Arguments that are JSON, also where the rest is a form, and what Slack says of one that is not. */
const jsonArguments: Record<string, () => Refusal> = {
  blocks: () => new Refusal('invalid_blocks_format'),
  attachments: () => new Refusal('invalid_attachments'),
  metadata: () => new Refusal('invalid_metadata_format'),
  chunks: () => new Refusal('invalid_chunks'),
  view: () => invalidArguments('must be valid JSON [json-pointer:/view]'),
  files: () => invalidArguments('must be valid JSON [json-pointer:/files]'),
  prompts: () => invalidArguments('must be valid JSON [json-pointer:/prompts]'),
  loading_messages: () => invalidArguments('must be valid JSON [json-pointer:/loading_messages]'),
}

/** The arguments and the token of a call, from a form or from JSON. */
export function parseArguments(headers: IncomingHttpHeaders, body: Buffer): { args: Json; token: string | null } {
  const type = (headers['content-type'] ?? '').split(';')[0]?.trim()
  const bearer = /^Bearer\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1] ?? null
  if (type === 'application/json') {
    const args = parseJson(body.toString(), () => new Refusal('invalid_json'))
    if (typeof args !== 'object' || args === null || Array.isArray(args)) throw new Refusal('json_not_object')
    return { args: args as Json, token: bearer }
  }
  if (type === '' && body.length) throw new Refusal('missing_post_type')
  if (type !== '' && type !== 'application/x-www-form-urlencoded') throw new Refusal('invalid_post_type')
  const { token, ...form } = Object.fromEntries(new URLSearchParams(body.toString()))
  const args: Json = { ...form, ...basic(headers.authorization) }
  for (const [key, refusal] of Object.entries(jsonArguments))
    if (typeof args[key] === 'string') args[key] = parseJson(args[key], refusal)
  return { args, token: bearer ?? token ?? null }
}

/** The app's own id and secret, which OAuth also takes as a user and a password. */
function basic(header = ''): Json {
  const [, encoded] = /^Basic\s+(\S+)$/i.exec(header) ?? []
  if (!encoded) return {}
  const [client_id, client_secret] = Buffer.from(encoded, 'base64').toString().split(':')
  return { client_id, client_secret }
}

function parseJson(text: string, refusal: () => Refusal): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw refusal()
  }
}
