import type { CallDelivery } from '@quartermaster/db'
import type { Media } from '@quartermaster/tools'

export interface MediaPlace {
  conversationId: string
  /** The largest file that its platform takes. */
  fileBytes: number
}

const extensions: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'audio/ogg': 'ogg',
  'audio/mpeg': 'mp3',
  'audio/wav': 'wav',
  'application/pdf': 'pdf',
  'text/plain': 'txt',
}

/** What people are sent of a result's files; of one that is too large for their platform, a sentence. */
export function mediaDeliveries(tool: string, media: readonly Media[], place: MediaPlace): CallDelivery[] {
  return media.map(({ data, mimeType, filename }, index) => {
    const number = media.length > 1 ? `-${index + 1}` : ''
    const name = filename ?? `${tool.replace(/[^\w.-]/g, '-')}${number}.${extensions[mimeType] ?? 'bin'}`
    const bytes = Buffer.byteLength(data, 'base64')
    if (bytes > place.fileBytes)
      return { kind: 'notice', text: `${name} (${megabytes(bytes)}) is too large to be sent here.` }
    return { kind: 'media', file: { filename: name, mimeType, data } }
  })
}

const megabytes = (bytes: number) => `${(bytes / 1024 / 1024).toFixed(1)} MB`
