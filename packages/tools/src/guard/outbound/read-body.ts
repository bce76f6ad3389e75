// A body, decompressed and counted as it streams. Nothing is read past the limit: the source is stopped there, so what a
// bomb costs is the limit, whatever it would unpack to.
import { Duplex, pipeline, Readable, Transform } from 'node:stream'
import { createBrotliDecompress, createGunzip, createInflate, createInflateRaw, createZstdDecompress } from 'node:zlib'
import { OutboundProblem } from '../outbound-request.ts'

export interface ReadBody {
  body: Uint8Array
  truncated: boolean
}

/** Encodings one over the other; more is nobody's honest answer. */
const mostEncodings = 3
/** Unpacked to packed, from `suspectBytes` on; past it the answer is refused. Text packs to a tenth, seldom to a 50th. */
const mostRatio = 250
const suspectBytes = 1024 * 1024
/** Packed bytes that may come beyond the limit of unpacked ones: a packed body is hardly ever larger than what is in it. */
const packedSlack = 64 * 1024

export async function readBody(source: Readable, encodings: string, maxBytes: number): Promise<ReadBody> {
  const names = encodings
    .toLowerCase()
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '' && name !== 'identity')
  if (names.length === 0) return collect(source, maxBytes)
  if (names.length > mostEncodings) {
    source.destroy()
    throw new OutboundProblem('bad-answer', `The answer is packed ${names.length} times over.`)
  }
  let packed = 0
  const stages = names.reverse().flatMap((name): Duplex[] => [measure(() => packed), decoderOf(name)])
  const count = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      packed += chunk.byteLength
      if (packed > maxBytes * 1.1 + packedSlack) done(new OutboundProblem('bad-answer', 'The answer does not end.'))
      else done(null, chunk)
    },
  })
  const last = measure(() => packed)
  // Its end, early or not, ends all of the others; the error reaches whoever reads the last.
  pipeline([source, count, ...stages, last], () => {})
  try {
    return await collect(last, maxBytes)
  } finally {
    source.destroy()
  }
}

/** A link of the chain that refuses what has grown beyond reason; between two encodings too, where nothing else counts. */
function measure(packed: () => number): Transform {
  let unpacked = 0
  return new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      unpacked += chunk.byteLength
      const bomb = unpacked > suspectBytes && unpacked > packed() * mostRatio
      if (bomb)
        done(
          new OutboundProblem('bad-answer', `The answer is a bomb: ${packed()} bytes unpack to more than ${unpacked}.`),
        )
      else done(null, chunk)
    },
  })
}

function decoderOf(name: string): Duplex {
  switch (name) {
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'br':
      return createBrotliDecompress()
    case 'zstd':
      return createZstdDecompress()
    case 'deflate':
      return Duplex.from(inflateEither)
    default:
      throw new OutboundProblem('bad-answer', `The answer is packed as ${name.slice(0, 40)}, which cannot be read.`)
  }
}

/** `deflate` means zlib's wrapping, and many servers send it without: the first byte tells. */
async function* inflateEither(source: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  const chunks = source[Symbol.asyncIterator]()
  const first = await chunks.next()
  if (first.done) return
  const whole = async function* () {
    yield first.value
    yield* { [Symbol.asyncIterator]: () => chunks }
  }
  const inflate = ((first.value[0] ?? 0) & 0x0f) === 8 ? createInflate() : createInflateRaw()
  pipeline(Readable.from(whole()), inflate, () => {})
  yield* inflate
}

async function collect(source: Readable, maxBytes: number): Promise<ReadBody> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of source as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength
    chunks.push(chunk)
    // Leaving the loop destroys the source.
    if (size > maxBytes) break
  }
  const body = chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks)
  return size > maxBytes ? { body: body.subarray(0, maxBytes), truncated: true } : { body, truncated: false }
}
