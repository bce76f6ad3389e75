/** What a recording is, by its first bytes; null for anything else. Under the names that `audio.transcribe` takes. */
export function recordingTypeOf(bytes: Uint8Array): string | null {
  const text = (from: number, to: number) => String.fromCharCode(...bytes.slice(from, to))
  if (text(0, 4) === 'OggS') return 'audio/ogg'
  if (text(0, 4) === 'RIFF' && text(8, 12) === 'WAVE') return 'audio/wav'
  if (text(0, 4) === 'fLaC') return 'audio/flac'
  if (text(4, 11) === 'ftypM4A') return 'audio/mp4'
  if (text(0, 3) === 'ID3') return 'audio/mpeg'
  // A frame of MPEG audio: eleven bits that are set, and a layer that there is.
  if (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0 && ((bytes[1] ?? 0) & 0x06) !== 0) return 'audio/mpeg'
  // What a browser records; whether there are pictures in it as well, whoever listens will find out.
  if (bytes[0] === 0x1a && bytes[1] === 0x45 && bytes[2] === 0xdf && bytes[3] === 0xa3) return 'audio/webm'
  return null
}
