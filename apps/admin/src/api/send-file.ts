import { imageTypes } from '../playground/limits.ts'

/** A file that an agent sent. Whatever it is, it is not a page of ours: only pictures are shown, and nothing in it runs. */
export function sendFile(file: { filename: string; mimeType: string; content: Uint8Array }): Response {
  const isShown = imageTypes.includes(file.mimeType)
  const name = encodeURIComponent(file.filename).replace(/['()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16)}`)
  return new Response(new Uint8Array(file.content), {
    headers: {
      'Content-Type': isShown ? file.mimeType : 'application/octet-stream',
      'Content-Disposition': `${isShown ? 'inline' : 'attachment'}; filename*=UTF-8''${name}`,
      'Content-Security-Policy': "default-src 'none'; sandbox",
      'X-Content-Type-Options': 'nosniff',
      'Cache-Control': 'private, max-age=3600, immutable',
    },
  })
}
