// What a file is, by its bytes: its name and what somebody says of it are only claims.
import { fileTypeFromBuffer } from 'file-type'

/** One word for one type: what the library says, without parameters, and under the names that the APIs take. */
const otherNames: Readonly<Record<string, string>> = {
  'application/ogg': 'audio/ogg',
  'audio/vnd.wave': 'audio/wav',
  'audio/wave': 'audio/wav',
  'audio/x-wav': 'audio/wav',
  'audio/x-m4a': 'audio/mp4',
}

/** The type, and the usual end of its name; text that no magic number marks is told from bytes by being UTF-8. */
export async function mediaTypeOf(
  bytes: Uint8Array,
  claimed?: string,
): Promise<{ mimeType: string; extension: string }> {
  const found = await fileTypeFromBuffer(bytes)
  if (found) {
    const plain = plainType(found.mime)
    // Both hold either sound alone or pictures as well; who says that it is sound is believed.
    if (claimed === 'audio/webm' && plain === 'video/webm') return { mimeType: 'audio/webm', extension: 'webm' }
    if (claimed === 'audio/ogg' && plain === 'video/ogg') return { mimeType: 'audio/ogg', extension: 'ogg' }
    return { mimeType: plain, extension: found.ext }
  }
  if (!isText(bytes)) return { mimeType: 'application/octet-stream', extension: 'bin' }
  const said = claimed === undefined ? '' : plainType(claimed)
  if (said === 'application/json') return { mimeType: said, extension: 'json' }
  if (said === 'text/csv' || said === 'text/markdown')
    return { mimeType: said, extension: said === 'text/csv' ? 'csv' : 'md' }
  // Also what claims to be HTML or SVG: it is shown as what it is, and never run.
  return { mimeType: 'text/plain', extension: 'txt' }
}

export function plainType(mimeType: string): string {
  const plain = (mimeType.split(';', 1)[0] ?? '').trim().toLowerCase()
  return otherNames[plain] ?? plain
}

function isText(bytes: Uint8Array): boolean {
  if (bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
    return true
  } catch {
    return false // That is the answer.
  }
}
