import { imageTypes } from '../playground/limits.ts'

interface SentBytes {
  name: string
  /** Of a picture that may be shown; null: to be kept and not shown, whatever it is. */
  type: string | null
  cache: string
}

/** A file that is no page of ours: only pictures are shown, and nothing in it runs. */
export function sendBytes(bytes: Uint8Array<ArrayBuffer>, { name, type, cache }: SentBytes): Response {
  const encoded = encodeURIComponent(name).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
  return new Response(bytes, {
    headers: {
      'Content-Type': type ?? 'application/octet-stream',
      'Content-Disposition': `${type ? 'inline' : 'attachment'}; filename*=UTF-8''${encoded}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': cache,
    },
  })
}

/** A file that an agent sent. It never changes under its id, so the reader's own browser may keep it for a while. */
export const sendFile = (file: { filename: string; mimeType: string; content: Uint8Array }): Response =>
  sendBytes(new Uint8Array(file.content), {
    name: file.filename,
    type: imageTypes.includes(file.mimeType) ? file.mimeType : null,
    cache: 'private, max-age=3600, immutable',
  })
