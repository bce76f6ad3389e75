// Bytes of an answer as text, if they are text at all.

const textTypes =
  /^(?:text\/|application\/(?:.*\+)?(?:json|xml|yaml|x-yaml|toml|javascript|ecmascript|x-ndjson|graphql|sql|x-sh|x-www-form-urlencoded|xhtml\+xml)\b|image\/svg)/

export type DecodedText = { text: string; type: string } | { binary: string }

/** By what the server says, and where it says nothing, or says "bytes", by how they look. */
export function decodeText(bytes: Uint8Array, contentType: string | undefined): DecodedText {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
  const known = textTypes.test(type)
  const unsaid = type === '' || type === 'application/octet-stream' || type === 'binary/octet-stream'
  if (!known && (!unsaid || looksBinary(bytes))) return { binary: type || 'unknown bytes' }
  const named = /charset\s*=\s*"?([\w.:-]{1,40})/i.exec(contentType ?? '')?.[1] ?? charsetOfPage(bytes, type)
  return { text: decoderOf(named).decode(bytes), type: type || 'text/plain' }
}

function decoderOf(charset: string | undefined): InstanceType<typeof TextDecoder> {
  try {
    return new TextDecoder(charset ?? 'utf-8')
  } catch {
    return new TextDecoder() // A name that nobody knows: nearly everything is UTF-8.
  }
}

/** Pages say it in their first kilobyte. */
function charsetOfPage(bytes: Uint8Array, type: string): string | undefined {
  if (!type.includes('html')) return undefined
  const head = Buffer.from(bytes.subarray(0, 1024)).toString('latin1')
  return /<meta[^>]{0,200}charset\s*=\s*["']?([\w.:-]{1,40})/i.exec(head)?.[1]
}

function looksBinary(bytes: Uint8Array): boolean {
  const head = bytes.subarray(0, 4096)
  if (head.includes(0)) return true
  const text = new TextDecoder().decode(head)
  // The last character may be cut in half; more than that is no text.
  return text.split('\ufffd').length - 1 > 2
}
