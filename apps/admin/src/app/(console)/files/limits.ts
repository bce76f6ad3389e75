/** What the pages of Files read and show at most. */
export const fileLimits = {
  /** Bytes of a text that is shown and edited; of a longer one its beginning is shown, and it is downloaded whole. */
  textBytes: 256 * 1024,
  /** Bytes of a file that is downloaded from here; a larger one is fetched from the machine itself. */
  downloadBytes: 64 * 1024 * 1024,
  pageEntries: 200,
} as const
