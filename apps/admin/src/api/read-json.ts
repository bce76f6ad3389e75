import { ApiError } from './api-error.ts'
import { apiLimits as limits } from './limits.ts'

/** The body as JSON, read no further than it may be long. */
export async function readJson(request: Request, most: number): Promise<unknown> {
  const type = request.headers.get('content-type') ?? ''
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type))
    throw new ApiError(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body is sent as ${type ? `"${type.slice(0, 100)}"` : 'nothing in particular'}: expected Content-Type: application/json.`,
    )
  const text = await readText(request, most)
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not JSON.')
  }
  if (isDeeper(value, limits.bodyDepth))
    throw new ApiError('VALIDATION_ERROR', `The body is nested deeper than ${limits.bodyDepth} levels.`)
  return value
}

async function readText(request: Request, most: number): Promise<string> {
  const tooLarge = () => new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${most} bytes.`)
  if (Number(request.headers.get('content-length') ?? 0) > most) throw tooLarge()
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.byteLength
    if (bytes > most) throw tooLarge()
    chunks.push(chunk)
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks))
  } catch {
    throw new ApiError('VALIDATION_ERROR', 'The body is not UTF-8.')
  }
}

/** Goes level by level and not by recursion: what is too deep would end the walk itself. */
function isDeeper(value: unknown, most: number): boolean {
  let level = [value]
  for (let depth = 0; level.length; depth++) {
    if (depth > most) return true
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []))
  }
  return false
}
