import type { IncomingMessage } from 'node:http'
import type { Upload } from './files.ts'
import { limits } from './limits.ts'
import { badRequest, Refusal } from './refusal.ts'

/** The parameters of one call, from whichever of the ways to send them was used. */
export interface CallBody {
  fields: Record<string, unknown>
  /** What came as parts of the form, by the name that `attach://` speaks of. */
  uploads: Map<string, Upload>
}

/** A form is a little larger than the largest file in it. */
const mostBytes = limits.uploadBytes + 1024 * 1024

export async function readRequest(request: IncomingMessage, query: URLSearchParams): Promise<CallBody> {
  const type = request.headers['content-type'] ?? ''
  const bytes = await readBytes(request)
  const fields: Record<string, unknown> = Object.fromEntries(query)
  const uploads = new Map<string, Upload>()
  if (bytes.length === 0) return { fields, uploads }
  if (type.startsWith('application/json')) Object.assign(fields, parseObject(bytes.toString('utf8')))
  else if (type.startsWith('application/x-www-form-urlencoded'))
    Object.assign(fields, Object.fromEntries(new URLSearchParams(bytes.toString('utf8'))))
  else if (type.startsWith('multipart/form-data')) await readForm(bytes, type, fields, uploads)
  return { fields, uploads }
}

async function readForm(
  bytes: Buffer<ArrayBuffer>,
  type: string,
  fields: Record<string, unknown>,
  uploads: Map<string, Upload>,
): Promise<void> {
  const form = await new Response(bytes, { headers: { 'content-type': type } }).formData().catch(() => {
    throw badRequest('failed to parse the multipart form')
  })
  for (const [name, value] of form) {
    if (typeof value === 'string') {
      fields[name] = value
      continue
    }
    if (value.size > limits.uploadBytes) throw new Refusal(413, 'Request Entity Too Large')
    uploads.set(name, { bytes: new Uint8Array(await value.arrayBuffer()), name: value.name, mime: value.type })
  }
  // A file may also be sent under the name of its parameter; to the methods both look alike.
  const attached = JSON.stringify(fields)
  for (const name of uploads.keys())
    if (!attached.includes(`attach://${name}`) && fields[name] === undefined) fields[name] = `attach://${name}`
}

async function readBytes(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    size += chunk.length
    // The rest is read and dropped, so that the client hears the refusal instead of a broken connection.
    if (size <= mostBytes) chunks.push(chunk)
  }
  if (size > mostBytes) throw new Refusal(413, 'Request Entity Too Large')
  return Buffer.concat(chunks)
}

function parseObject(text: string): object {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  } catch {
    // Refused below, like any other body that is no object.
  }
  throw badRequest("can't parse JSON object")
}
