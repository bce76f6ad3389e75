// What a program said, as far as a model can use it: all of it up to a limit, the beginning and the end past that.

/** A running program's output as text. Bytes past the limit end the program. */
export class CapturedOutput {
  readonly #limit: number
  readonly #chunks: Record<'stdout' | 'stderr', Uint8Array[]> = { stdout: [], stderr: [] }
  #bytes = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  /** False past the limit. */
  add(stream: 'stdout' | 'stderr', chunk: Uint8Array): boolean {
    const room = this.#limit - this.#bytes
    if (room <= 0) return false
    this.#chunks[stream].push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    this.#bytes += chunk.length
    return this.#bytes <= this.#limit
  }

  text(stream: 'stdout' | 'stderr'): string {
    return readable(Buffer.concat(this.#chunks[stream]))
  }
}

/** Bytes of any kind as a text that can be stored and shown: what is no text shows as the replacement character. */
export const readable = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8').replaceAll('\0', '\uFFFD')

/** Both streams, the second under a heading where there is something in it. */
export function joinStreams(stdout: string, stderr: string): string {
  if (stderr.trim() === '') return stdout
  if (stdout.trim() === '') return stderr
  return `${stdout.replace(/\n?$/, '\n')}[stderr]\n${stderr}`
}

export interface Cut {
  text: string
  /** Lines left out. */
  hiddenLines: number
}

/** Lines from the beginning and from the end, as many of each as fit. */
export function cutMiddle(text: string, maxLines: number, maxCharacters: number): Cut {
  const lines = text.split('\n').map(shorten)
  if (lines.length <= maxLines + 1 && text.length <= maxCharacters) return { text: lines.join('\n'), hiddenLines: 0 }
  const head = take(lines, Math.ceil(maxLines / 2), maxCharacters / 2)
  const tail = take(lines.slice(head.length).reverse(), Math.floor(maxLines / 2), maxCharacters / 2).reverse()
  const hiddenLines = lines.length - head.length - tail.length
  if (hiddenLines <= 0) return { text: lines.join('\n'), hiddenLines: 0 }
  return { text: [...head, `[… ${hiddenLines} lines left out …]`, ...tail].join('\n'), hiddenLines }
}

function take(lines: readonly string[], count: number, characters: number): string[] {
  const taken: string[] = []
  let room = characters
  for (const line of lines.slice(0, count)) {
    room -= line.length + 1
    if (room < 0) break
    taken.push(line)
  }
  return taken
}

/** Characters of one line; a minified file would take the room of everything else. */
const lineCharacters = 10_000

function shorten(line: string): string {
  if (line.length <= lineCharacters) return line
  return `${line.slice(0, lineCharacters).toWellFormed()}… (${line.length - lineCharacters} more characters)`
}
