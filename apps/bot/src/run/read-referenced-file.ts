// A file that somebody sent, as what the model is shown of it: by its bytes, because its name and type are only claims.
import { attachedFileLine, keepChatFile } from '@quartermaster/db'
import { mediaTypeOf } from '@quartermaster/tools'
import type { Fetched } from '../channels/channel.ts'
import { limits } from '../limits.ts'
import type { RunServices } from './run-services.ts'

/** What the model's API takes: the base64 of a picture has at most 5 MB, and a request with a PDF 32 MB. */
const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']
const pictureBytes = 3_750_000
const documentBytes = 20 * 1024 * 1024

export interface FileKeeping {
  conversationId: string
  /** Under which it is kept, where no content block can hold it. */
  eventId: string
  signal: AbortSignal
}

export async function readReferencedFile(
  services: Pick<RunServices, 'db' | 'listen' | 'log'>,
  file: Extract<Fetched, { kind: 'file' }>,
  keeping: FileKeeping,
): Promise<unknown[]> {
  const name = cleanName(file.name)
  const { content } = file
  if (content.length > limits.referenceBytes)
    return [note(`The file “${name}” was not read: it is larger than ${megabytes(limits.referenceBytes)}.`)]
  if (!content.length) return [note(`The file “${name}” is empty.`)]
  const { mimeType } = await mediaTypeOf(content, file.mimeType)
  const named = { type: 'text', text: attachedFileLine(name) }
  if (pictureTypes.includes(mimeType) && content.length <= pictureBytes)
    return [named, { type: 'image', source: base64(mimeType, content) }]
  if (mimeType === 'application/pdf' && content.length <= documentBytes)
    return [named, { type: 'document', source: base64(mimeType, content) }]
  if (mimeType.startsWith('text/') || mimeType === 'application/json') {
    const text = content.toString('utf8')
    const cut = text.length > limits.referenceCharacters
    const shown = cut ? `${text.slice(0, limits.referenceCharacters)}\n[… the rest is left out]` : text
    return [{ type: 'text', text: `${attachedFileLine(name)}\n${shown}` }]
  }
  await keepChatFile(services.db, { ...keeping, name, mimeType, content })
  if (mimeType.startsWith('audio/') || mimeType === 'video/webm' || mimeType === 'video/mp4')
    return [note(await describeRecording(services, name, mimeType, content, keeping.signal))]
  return [
    note(
      `The file “${name}” (${mimeType}, ${megabytes(content.length)}) was sent and is kept, but its kind cannot be read here. A tool that takes an attachment finds it by this name.`,
    ),
  ]
}

async function describeRecording(
  { listen, log }: Pick<RunServices, 'listen' | 'log'>,
  name: string,
  mimeType: string,
  content: Buffer,
  signal: AbortSignal,
): Promise<string> {
  const about = `The recording “${name}” (${mimeType}, ${megabytes(content.length)}) was sent and is kept`
  try {
    const recording = { mimeType, filename: name, data: content.toString('base64') }
    const said = await listen(recording, AbortSignal.any([signal, AbortSignal.timeout(limits.listenMs)]))
    if (said === null)
      return `${about}, but nothing that can listen is connected here, so what is said in it is not known. Say so; somebody has to set AUDIO_TRANSCRIBE_URL or AUDIO_TRANSCRIBE_COMMAND.`
    const words = said.trim().slice(0, limits.referenceCharacters)
    return words
      ? `${about}. What is said in it, written down by a machine:]\n${words}\n[End of the recording`
      : `${about}. Nothing is said in it.`
  } catch (error) {
    if (signal.aborted) throw error
    log.warn({ error }, 'a recording could not be written down')
    return `${about}, but it could not be written down just now. The tool audio.transcribe may try again, with its name as attachment.`
  }
}

/** Without what could end the line that names it. */
export function cleanName(name: string): string {
  const plain = String(name ?? '')
    .replace(/[\p{Cc}\p{Cf}[\]]/gu, ' ')
    .trim()
  return plain.slice(-120) || 'a file'
}

const base64 = (mimeType: string, content: Buffer) => ({
  type: 'base64',
  media_type: mimeType,
  data: content.toString('base64'),
})
const note = (text: string) => ({ type: 'text', text: `[${text}]` })
const megabytes = (bytes: number) =>
  bytes < 1_048_576 ? `${Math.max(1, Math.round(bytes / 1024))} KB` : `${(bytes / 1_048_576).toFixed(1)} MB`
