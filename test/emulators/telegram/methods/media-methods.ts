import { randomInt } from 'node:crypto'
import type { Message, MessageEntity } from 'grammy/types'
import { z } from 'zod'
import { type FileKind, isPicture, photoSizes, type StoredFile, type Upload } from '../files.ts'
import { limits } from '../limits.ts'
import {
  type Call,
  entities,
  flag,
  fullSendFields,
  integer,
  json,
  type Method,
  method,
  sendFields,
  text,
} from '../method.ts'
import { parseCaption } from '../parse-text.ts'
import { badRequest } from '../refusal.ts'
import { type SendTarget, send } from '../send.ts'

const captionFields = {
  ...fullSendFields,
  caption: text.optional(),
  parse_mode: text.optional(),
  caption_entities: entities.optional(),
  reply_to_message_id: integer.optional(),
}
const albumItem = z.looseObject({
  type: z.enum(['photo', 'document', 'audio', 'video']),
  media: z.string(),
  caption: z.string().optional(),
  parse_mode: z.string().optional(),
})

/** Files that the bot sends: uploaded, or by the identifier of one that was sent before. */
export const mediaMethods: Method[] = [
  method(
    'sendPhoto',
    { ...captionFields, photo: text, show_caption_above_media: flag.optional(), has_spoiler: flag.optional() },
    (fields, call) => sendFile('photo', fields.photo, fields, call),
  ),
  method(
    'sendDocument',
    { ...captionFields, document: text, thumbnail: text.optional(), disable_content_type_detection: flag.optional() },
    (fields, call) => sendFile('document', fields.document, fields, call),
  ),
  method('sendVoice', { ...captionFields, voice: text, duration: integer.optional() }, (fields, call) =>
    sendFile('voice', fields.voice, fields, call),
  ),
  method(
    'sendAudio',
    {
      ...captionFields,
      audio: text,
      duration: integer.optional(),
      performer: text.optional(),
      title: text.optional(),
      thumbnail: text.optional(),
    },
    (fields, call) => sendFile('audio', fields.audio, fields, call),
  ),
  method(
    'sendVideo',
    {
      ...captionFields,
      video: text,
      duration: integer.optional(),
      width: integer.optional(),
      height: integer.optional(),
      thumbnail: text.optional(),
      cover: text.optional(),
      start_timestamp: integer.optional(),
      show_caption_above_media: flag.optional(),
      has_spoiler: flag.optional(),
      supports_streaming: flag.optional(),
    },
    (fields, call) => sendFile('video', fields.video, fields, call),
  ),
  method(
    'sendAnimation',
    {
      ...captionFields,
      animation: text,
      duration: integer.optional(),
      width: integer.optional(),
      height: integer.optional(),
      thumbnail: text.optional(),
      show_caption_above_media: flag.optional(),
      has_spoiler: flag.optional(),
    },
    (fields, call) => sendFile('animation', fields.animation, fields, call),
  ),
  method(
    'sendMediaGroup',
    { ...sendFields, media: json(z.array(albumItem)), reply_to_message_id: integer.optional() },
    (fields, call) => {
      if (fields.media.length < 2 || fields.media.length > 10)
        throw badRequest('wrong number of items in the media group: must be 2-10')
      const kinds = new Set(fields.media.map(({ type }) => type))
      if (kinds.size > 1 && (kinds.has('document') || kinds.has('audio')))
        throw badRequest("document and audio can't be mixed with other media types")
      const group = String(randomInt(2 ** 47))
      const contents = fields.media.map((item) => ({
        ...fileContent(item.type, findFile(item.type, item.media, call)),
        ...parseCaption(item.caption, item.parse_mode),
        media_group_id: group,
      }))
      return contents.map((content) => send(call.world, fields, content))
    },
  ),
]

interface CaptionFields extends SendTarget {
  caption?: string
  parse_mode?: string
  caption_entities?: unknown
  duration?: number
  title?: string
  performer?: string
}

function sendFile(kind: FileKind, source: string, fields: CaptionFields, call: Call): Message {
  call.world.openChat(fields.chat_id)
  const caption = parseCaption(fields.caption, fields.parse_mode, fields.caption_entities as MessageEntity[])
  return send(call.world, fields, { ...fileContent(kind, findFile(kind, source, call), fields), ...caption })
}

/** Either a part of the form, or a file that Telegram has already. The emulator reaches no other host. */
export function findFile(kind: FileKind, source: string, { world, uploads }: Call): StoredFile {
  if (/^https?:/.test(source)) throw badRequest('failed to get HTTP URL content')
  if (!source.startsWith('attach://')) {
    const known = world.files.byId(source)
    if (!known) throw badRequest('wrong remote file identifier specified: Wrong string length')
    if (known.kind !== kind) throw badRequest(`can't use file of type ${known.kind} as ${kind}`)
    return known
  }
  const upload = uploads.get(source.slice('attach://'.length))
  if (!upload) throw badRequest('file attachment not found')
  checkUpload(kind, upload)
  return world.files.add(kind, upload)
}

function checkUpload(kind: FileKind, { bytes }: Upload): void {
  if (bytes.length === 0) throw badRequest('file must be non-empty')
  if (kind !== 'photo') return
  if (bytes.length > limits.photoBytes)
    throw badRequest(
      `file of size ${bytes.length} bytes is too big for a photo; the maximum size is ${limits.photoBytes} bytes`,
    )
  if (!isPicture(bytes)) throw badRequest('IMAGE_PROCESS_FAILED')
}

/** How a file appears in a message, whoever sent it. */
export function fileContent(
  kind: FileKind,
  file: StoredFile,
  about: { duration?: number; title?: string; performer?: string } = {},
): Partial<Message> {
  const base = { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.bytes.length }
  const named = { ...base, file_name: file.name, mime_type: file.mime || 'application/octet-stream' }
  const duration = about.duration ?? 0
  switch (kind) {
    case 'photo':
      return { photo: photoSizes(file) }
    case 'voice':
      return { voice: { ...base, duration, mime_type: file.mime || 'audio/ogg' } }
    case 'audio':
      return { audio: { ...named, duration, title: about.title, performer: about.performer } }
    case 'video':
      return { video: { ...named, duration, width: 640, height: 360 } }
    case 'animation':
      // Whoever knows no animations sees a document.
      return { animation: { ...named, duration, width: 640, height: 360 }, document: named }
    default:
      return { document: named }
  }
}
