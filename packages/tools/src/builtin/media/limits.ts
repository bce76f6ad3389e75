/** Every limit of the media tools, with its unit and what happens at it. */
export const mediaLimits = {
  /** Bytes of a file to send; a larger one is refused here, and a platform may take less. */
  sendBytes: 25 * 1024 * 1024,
  /** Bytes of a picture to look at: what models take. */
  pictureBytes: 3_750_000,
  /** Bytes of a recording: what transcription endpoints take. */
  recordingBytes: 25 * 1024 * 1024,
  /** Characters of a file's name; of a longer one the end stays, which says what it is. */
  filenameLength: 120,
} as const
