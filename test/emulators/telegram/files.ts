import { createHash, randomBytes } from 'node:crypto'
import type { File, PhotoSize } from 'grammy/types'
import { limits } from './limits.ts'
import { badRequest } from './refusal.ts'

export interface Upload {
  bytes: Uint8Array
  name: string
  mime: string
}

export interface StoredFile extends Upload {
  fileId: string
  uniqueId: string
  path: string
  kind: FileKind
}

export type FileKind = 'photo' | 'document' | 'voice' | 'audio' | 'video' | 'animation'

const folders: Record<FileKind, string> = {
  photo: 'photos',
  document: 'documents',
  voice: 'voice',
  audio: 'music',
  video: 'videos',
  animation: 'animations',
}

/** The files that people and the bot sent. */
export class Files {
  readonly #files = new Map<string, StoredFile>()

  add(kind: FileKind, upload: Upload): StoredFile {
    const number = this.#files.size
    const extension = /\.[A-Za-z0-9]{1,8}$/.exec(upload.name)?.[0] ?? (kind === 'photo' ? '.jpg' : '')
    const file: StoredFile = {
      ...upload,
      kind,
      fileId: `${kind.toUpperCase().slice(0, 4)}AgAC${randomBytes(24).toString('base64url')}`,
      uniqueId: createHash('sha256').update(upload.bytes).digest('base64url').slice(0, 16),
      path: `${folders[kind]}/file_${number}${extension}`,
    }
    this.#files.set(file.fileId, file)
    return file
  }

  byId(fileId: string): StoredFile | undefined {
    return this.#files.get(fileId)
  }

  byPath(path: string): StoredFile | undefined {
    return [...this.#files.values()].find((file) => file.path === path)
  }

  /** What getFile says; a file beyond the limit can be received but not fetched. */
  describe(fileId: string): File {
    const file = this.byId(fileId)
    if (!file) throw badRequest('invalid file_id')
    if (file.bytes.length > limits.downloadBytes) throw badRequest('file is too big')
    return { file_id: file.fileId, file_unique_id: file.uniqueId, file_size: file.bytes.length, file_path: file.path }
  }
}

/** A photo is shown, so it has to be a picture. Its size is read where that is easy. */
export function photoSizes(file: StoredFile): PhotoSize[] {
  const { width, height } = pictureSize(file.bytes)
  return [{ file_id: file.fileId, file_unique_id: file.uniqueId, width, height, file_size: file.bytes.length }]
}

export function isPicture(bytes: Uint8Array): boolean {
  const head = Buffer.from(bytes.subarray(0, 12)).toString('latin1')
  return (
    head.startsWith('\x89PNG') ||
    head.startsWith('\xff\xd8\xff') ||
    head.startsWith('GIF8') ||
    /^RIFF....WEBP/s.test(head)
  )
}

function pictureSize(bytes: Uint8Array): { width: number; height: number } {
  const data = Buffer.from(bytes)
  if (data.length >= 24 && data.subarray(1, 4).toString('latin1') === 'PNG')
    return { width: data.readUInt32BE(16), height: data.readUInt32BE(20) }
  return { width: 800, height: 600 }
}
