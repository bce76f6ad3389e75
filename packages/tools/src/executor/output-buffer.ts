// What a tool produces, as far as anybody will see it. Bytes are counted as they come and kept up to the limit; secrets
// are taken out before the cut, so that a cut through a secret cannot show its first half.
import { StringDecoder } from 'node:string_decoder'
import { type Redactor, StreamingRedactor } from '../guard/redact.ts'

/** Long pieces are looked at in slices, so that redaction never copies more than this. */
const slice = 64 * 1024

export class OutputBuffer {
  readonly #limit: number
  readonly #redactor: StreamingRedactor | null
  #decoder: StringDecoder | null = null
  #text = ''
  /** UTF-8 bytes of #text. */
  #kept = 0
  /** Bytes of what was redacted but did not fit, or came when the buffer was full. */
  #hidden = 0
  #produced = 0

  constructor(limit: number, redactor: Redactor | null) {
    this.#limit = limit
    this.#redactor = redactor === null || redactor.idle ? null : new StreamingRedactor(redactor)
  }

  /** Bytes the tool produced, shown or not. */
  get produced(): number {
    return this.#produced
  }

  get full(): boolean {
    return this.#hidden > 0
  }

  /** False where the buffer is full: whoever produces may stop. */
  append(chunk: string | Uint8Array): boolean {
    if (typeof chunk !== 'string') return this.#appendBytes(chunk)
    // Three bytes a character at most: small outputs, which is nearly all, are not counted twice.
    if (this.#redactor === null && this.#decoder === null && chunk.length <= slice) {
      const bytes = Buffer.byteLength(chunk)
      this.#produced += bytes
      this.#keep(chunk, bytes)
      return !this.full
    }
    for (let from = 0; from < chunk.length; from += slice) {
      if (this.full) {
        this.#skip(Buffer.byteLength(from === 0 ? chunk : chunk.slice(from)))
        break
      }
      const piece = chunk.slice(from, from + slice)
      this.#produced += Buffer.byteLength(piece)
      this.#pass(piece)
    }
    return !this.full
  }

  /** The text, and what to say about the rest; null where there is none. Nothing may be appended afterwards. */
  end(): { text: string; hiddenBytes: number } {
    if (this.#decoder !== null) this.#pass(this.#decoder.end())
    if (this.#redactor !== null) {
      const rest = this.#redactor.end()
      this.#keep(rest, Buffer.byteLength(rest))
    }
    return { text: this.#text, hiddenBytes: this.#hidden }
  }

  #appendBytes(bytes: Uint8Array): boolean {
    for (let from = 0; from < bytes.length; from += slice) {
      if (this.full) {
        this.#skip(bytes.length - from)
        break
      }
      const piece = bytes.subarray(from, from + slice)
      this.#produced += piece.length
      this.#decoder ??= new StringDecoder('utf8')
      this.#pass(this.#decoder.write(Buffer.from(piece.buffer, piece.byteOffset, piece.length)))
    }
    return !this.full
  }

  #pass(text: string): void {
    const shown = this.#redactor === null ? text : this.#redactor.push(text)
    if (shown !== '') this.#keep(shown, Buffer.byteLength(shown))
  }

  #keep(text: string, bytes: number): void {
    if (this.#hidden === 0 && this.#kept + bytes <= this.#limit) {
      this.#text += text
      this.#kept += bytes
      return
    }
    const kept = this.#hidden > 0 ? '' : cutBytes(text, this.#limit - this.#kept)
    const keptBytes = Buffer.byteLength(kept)
    this.#text += kept
    this.#kept += keptBytes
    this.#hidden += bytes - keptBytes
  }

  #skip(bytes: number): void {
    this.#produced += bytes
    this.#hidden += bytes
  }
}

/** The longest beginning of at most so many bytes that ends between two characters. */
export function cutBytes(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes) return text
  // More characters than bytes never fit, so the copy is no larger than the limit.
  const bytes = Buffer.from(text.slice(0, maxBytes))
  if (bytes.length <= maxBytes && text.length <= maxBytes) return text
  let end = Math.min(maxBytes, bytes.length)
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end--
  return bytes.toString('utf8', 0, end)
}

export const truncationNotice = (hiddenBytes: number): string => `\n[Output truncated - ${hiddenBytes} bytes hidden]`
