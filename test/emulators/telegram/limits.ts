/** What the Bot API takes and no more. Sizes of texts are counted after the entities are parsed. */
export const limits = {
  textCharacters: 4096,
  captionCharacters: 1024,
  callbackAnswerCharacters: 200,
  callbackDataBytes: 64,
  copyTextCharacters: 256,
  keyboardButtons: 100,
  richCharacters: 32_768,
  richBlocks: 500,
  richDepth: 16,
  richMedia: 50,
  richColumns: 20,
  commands: 100,
  commandDescriptionCharacters: 256,
  topicNameCharacters: 128,
  downloadBytes: 20 * 1024 * 1024,
  uploadBytes: 50 * 1024 * 1024,
  photoBytes: 10 * 1024 * 1024,
  webhookPorts: [443, 80, 88, 8443],
  secretTokenCharacters: 256,
  updatesInOneAnswer: 100,
  /** Updates that nobody fetched are gone after a day. */
  updateMilliseconds: 24 * 60 * 60 * 1000,
  draftMilliseconds: 30_000,
  /** A person's client shows "typing…" for five seconds, unless a message comes first. */
  actionMilliseconds: 5000,
  callbackMilliseconds: 15 * 60 * 1000,
  ephemeralReplyMilliseconds: 15_000,
  /** A bot may delete a message only so long after it was sent. */
  deleteMilliseconds: 48 * 60 * 60 * 1000,
} as const

/** Telegram counts characters, not bytes and not UTF-16 units. */
export const countCharacters = (text: string) => [...text].length
