/** Every limit of the playground, with its unit and what happens at it. The page says them before the server does. */
export const playgroundLimits = {
  /** Characters of a message; longer ones are refused. */
  messageLength: 100_000,
  /** Files of a message; more are refused. */
  files: 4,
  /** Bytes of one image, before it is encoded: what the model's API takes. */
  imageBytes: 5 * 1024 * 1024,
  /** Bytes of one recording; some twenty minutes of speech. */
  recordingBytes: 10 * 1024 * 1024,
  /** Bytes of one text file; a longer one would fill the model's context by itself. */
  textBytes: 256 * 1024,
  /** Bytes of all files of a message; next.config.ts lets a request be a third larger, for their encoding. */
  allBytes: 12 * 1024 * 1024,
  /** Sessions in one page of the list. */
  sessions: 30,
  /** Messages and deliveries in one page of a conversation. */
  entries: 100,
  /** How often a stream says that it is alive, and asks whether its reader still may read. */
  beatMs: 10_000,
  /** Bytes that wait for a slow reader; then decoration is left out, and the reader is told to read anew. */
  streamBytes: 256 * 1024,
  /** How long a REST answer may take; then it ends with the run still unfinished. */
  chatMs: 10 * 60_000,
} as const

export const imageTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp']

/** What browsers call recordings; what a file is, its bytes say (recording-type.ts). */
export const isRecording = (type: string): boolean => type.startsWith('audio/') || type === 'video/webm'
