// What a person sends, as the model's content blocks. What cannot be read is refused with a sentence that says why; a
// file's kind is read from its bytes, because its name and type are only claims.
import { playgroundLimits as limits } from './limits.ts'
import { recordingTypeOf } from './recording-type.ts'

export interface SentFile {
  name: string
  bytes: Uint8Array
}

export type ContentBlock =
  | { type: 'text'; text: string }
  | { type: 'image'; source: { type: 'base64'; media_type: string; data: string } }

/** What no content block can hold: it is kept beside the message (data.keepChatFile). */
export interface SentRecording {
  name: string
  mimeType: string
  content: Uint8Array
}

export type ReadContent =
  | { ok: true; content: ContentBlock[]; recordings: SentRecording[] }
  | { ok: false; message: string }

export function readContent(text: string, files: readonly SentFile[]): ReadContent {
  if (!text.trim() && !files.length) return refuse('There is nothing to send yet.')
  if (text.length > limits.messageLength) return refuse(`A message has at most ${limits.messageLength} characters.`)
  if (files.length > limits.files) return refuse(`A message has at most ${limits.files} files.`)
  const all = files.reduce((sum, file) => sum + file.bytes.length, 0)
  if (all > limits.allBytes)
    return refuse(`The files of a message have at most ${megabytes(limits.allBytes)} together.`)
  const content: ContentBlock[] = []
  const recordings: SentRecording[] = []
  for (const file of files) {
    const read = readFile(file)
    if ('message' in read) return refuse(read.message)
    content.push(...read.blocks)
    if (read.recording) recordings.push(read.recording)
  }
  if (text.trim()) content.push({ type: 'text', text })
  return { ok: true, content, recordings }
}

type ReadFile = { blocks: ContentBlock[]; recording?: SentRecording } | { message: string }

function readFile({ name, bytes }: SentFile): ReadFile {
  const label = cleanName(name)
  const imageType = imageTypeOf(bytes)
  if (imageType) {
    if (bytes.length > limits.imageBytes)
      return { message: `${label} is larger than ${megabytes(limits.imageBytes)}, so it cannot be read.` }
    const source = { type: 'base64' as const, media_type: imageType, data: Buffer.from(bytes).toString('base64') }
    return {
      blocks: [
        { type: 'text', text: fileLine(label) },
        { type: 'image', source },
      ],
    }
  }
  const mimeType = recordingTypeOf(bytes)
  if (mimeType) {
    if (bytes.length > limits.recordingBytes)
      return { message: `${label} is larger than ${megabytes(limits.recordingBytes)}, so it cannot be sent.` }
    const note = `[A recording (${mimeType}). The tool audio.transcribe writes down what is said in it, with this name as attachment.]`
    return {
      blocks: [{ type: 'text', text: `${fileLine(label)}\n${note}` }],
      recording: { name: label, mimeType, content: bytes },
    }
  }
  if (bytes.length > limits.textBytes)
    return { message: `${label} is larger than ${limits.textBytes / 1024} KB, so it cannot be read.` }
  const text = decodeText(bytes)
  if (text === null)
    return {
      message: `${label} cannot be read: only text, images (PNG, JPEG, GIF, WebP) and recordings can be attached.`,
    }
  return { blocks: [{ type: 'text', text: `${fileLine(label)}\n${text}` }] }
}

const opening = '[Attached file: '
const fileLine = (name: string) => `${opening}${name}]`

/** The name of the file that a block of ours stands for; null for what the person wrote. */
export function fileNameIn(text: string): string | null {
  const line = text.slice(0, text.indexOf('\n') === -1 ? undefined : text.indexOf('\n'))
  return line.startsWith(opening) && line.endsWith(']') ? line.slice(opening.length, -1) : null
}

function cleanName(name: string): string {
  const plain = name.replace(/[\p{Cc}\p{Cf}[\]]/gu, ' ').trim()
  return plain.slice(-120) || 'a file'
}

function imageTypeOf(bytes: Uint8Array): string | null {
  const starts = (...wanted: number[]) => wanted.every((byte, index) => bytes[index] === byte)
  if (starts(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a)) return 'image/png'
  if (starts(0xff, 0xd8, 0xff)) return 'image/jpeg'
  if (starts(0x47, 0x49, 0x46, 0x38)) return 'image/gif'
  if (starts(0x52, 0x49, 0x46, 0x46) && String.fromCharCode(...bytes.slice(8, 12)) === 'WEBP') return 'image/webp'
  return null
}

/** Null when it is not UTF-8, or is but holds what no text holds. */
function decodeText(bytes: Uint8Array): string | null {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return text.includes('\0') ? null : text
  } catch {
    return null // Not text: the caller says so.
  }
}

const megabytes = (bytes: number) => `${bytes / 1024 / 1024} MB`
const refuse = (message: string): ReadContent => ({ ok: false, message })
