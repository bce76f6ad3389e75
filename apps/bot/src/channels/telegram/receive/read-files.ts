import type { Message } from '@grammyjs/types'
import type { ChatReference } from '../../../chat/chat-services.ts'

/** What came with a message, to be fetched when a run reads it. */
export function readFiles(message: Message): ChatReference[] {
  const id = message.message_id
  const { photo, document, voice, audio, video, video_note, animation } = message
  // The sizes of one picture, the largest last.
  const picture = photo?.at(-1)
  if (picture) return [fileOf(picture, `photo-${id}.jpg`, 'image/jpeg')]
  if (voice) return [fileOf(voice, `voice-${id}.ogg`, voice.mime_type ?? 'audio/ogg')]
  if (audio) return [fileOf(audio, audio.file_name ?? `audio-${id}.mp3`, audio.mime_type ?? 'audio/mpeg')]
  // An animation is a document as well.
  if (animation)
    return [fileOf(animation, animation.file_name ?? `animation-${id}.mp4`, animation.mime_type ?? 'video/mp4')]
  if (document)
    return [fileOf(document, document.file_name ?? `file-${id}`, document.mime_type ?? 'application/octet-stream')]
  if (video) return [fileOf(video, video.file_name ?? `video-${id}.mp4`, video.mime_type ?? 'video/mp4')]
  if (video_note) return [fileOf(video_note, `video-${id}.mp4`, 'video/mp4')]
  return []
}

const fileOf = (file: { file_id: string; file_size?: number }, name: string, mimeType: string): ChatReference => ({
  kind: 'file',
  id: file.file_id,
  name,
  mimeType,
  size: file.file_size ?? null,
})
