import type { Media } from '@quartermaster/tools'

export interface ListenEndpoint {
  /** `https://api.openai.com/v1/audio/transcriptions`, or anything that answers like it. */
  url: string
  key?: string
  model: string
}

/** Bytes of an answer; more is not the words of a recording of 25 MB. */
const answerBytes = 2 * 1024 * 1024
const answerMs = 280_000

/** Throws a sentence where the endpoint does not transcribe. */
export async function listenByEndpoint(
  endpoint: ListenEndpoint,
  recording: Media,
  language: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  const form = new FormData()
  const bytes = Buffer.from(recording.data, 'base64')
  form.set('file', new Blob([bytes], { type: recording.mimeType }), recording.filename ?? 'recording')
  form.set('model', endpoint.model)
  form.set('response_format', 'json')
  if (language !== undefined) form.set('language', language)
  const response = await fetch(endpoint.url, {
    method: 'POST',
    body: form,
    headers: endpoint.key === undefined ? {} : { authorization: `Bearer ${endpoint.key}` },
    // The key and the recording are for this address and no other.
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(answerMs)]),
  }).catch((error: Error) => {
    signal.throwIfAborted()
    throw new Error(`The transcription endpoint cannot be reached (${reasonOf(error)}).`)
  })
  const text = await readText(response)
  if (!response.ok) throw new Error(`The transcription endpoint refused the recording (status ${response.status}).`)
  const words = wordsIn(text)
  if (words === null) throw new Error('What the transcription endpoint answered is no transcription.')
  return words
}

const reasonOf = (error: Error): string => String((error.cause as { code?: unknown } | undefined)?.code ?? error.name)

async function readText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of response.body ?? []) {
    length += chunk.byteLength
    if (length > answerBytes)
      throw new Error(`The transcription endpoint answered with more than ${answerBytes} bytes.`)
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString('utf8')
}

function wordsIn(answer: string): string | null {
  try {
    const { text } = JSON.parse(answer) as { text?: unknown }
    return typeof text === 'string' ? text : null
  } catch {
    return null // Not JSON: said by the caller.
  }
}
