import type { ChannelLimits } from '../channel.ts'

/** The page is ours and scrolls; these keep one row of it, and one notice to it, from becoming absurd. */
export const webLimits: ChannelLimits = {
  messageLength: 500_000,
  buttons: 25,
  buttonText: 75,
  menuOptions: 100,
  canEdit: true,
  canStream: true,
  fileBytes: 10 * 1024 * 1024,
}
