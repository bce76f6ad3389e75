import { imageTypes } from '../../../playground/limits.ts'
import { toolKit } from '../../../tool-kit.ts'

export type ShownContent =
  | { kind: 'text'; text: string; whole: boolean }
  | { kind: 'image' }
  | { kind: 'bytes'; type: string }

/** What a page may show of a file, by its bytes and never by its name. HTML and SVG are text here, and stay text. */
export async function readShown(bytes: Uint8Array, size: number): Promise<ShownContent> {
  const { mimeType } = await toolKit.mediaTypeOf(bytes)
  if (imageTypes.includes(mimeType)) return { kind: 'image' }
  const whole = bytes.byteLength === size
  const text = decode(bytes, whole)
  return text === null ? { kind: 'bytes', type: mimeType } : { kind: 'text', text, whole }
}

/** Null for what is no UTF-8 text. A beginning may end within a character. */
function decode(bytes: Uint8Array, whole: boolean): string | null {
  if (bytes.includes(0)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes, { stream: !whole })
  } catch {
    return null
  }
}
