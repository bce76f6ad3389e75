import type { ChannelLimits } from '../channel.ts'

/** What Telegram takes, and what we ask of it. */
export const telegramLimits = {
  /** Characters of an ordinary message after its markup is taken off; above it Telegram refuses. */
  text: 4_096,
  caption: 1_024,
  /** Characters of a notice on a pressed button; longer ones are cut by us. */
  callbackNotice: 200,
  /** Characters of a rich message; above it Telegram refuses. */
  richText: 32_768,
  /** Bytes of what a button carries. */
  callbackData: 64,
  /** Bytes that a bot may download of a file; Telegram does not hand out larger ones. */
  downloadBytes: 20 * 1024 * 1024,
  uploadBytes: 50 * 1024 * 1024,
  /** Bytes of a picture that is shown as one; larger ones go as documents. */
  photoBytes: 10 * 1024 * 1024,
  /** Characters of a topic's name. */
  topicName: 128,
  /** How long a request for updates may wait at Telegram, in seconds. */
  pollSeconds: 30,
  /** How often a process that does not poll looks whether it may. A dead poller is followed within about this time. */
  standbyMs: 1_000,
  /** How often the poller makes sure that it still holds the lock; one that got no answer in this time stops polling. */
  lockCheckMs: 2_000,
  /** How long an album's other pictures are waited for, after each that came. */
  albumQuietMs: 600,
  /** How long they are waited for in all. */
  albumMs: 5_000,
  /** How often an update whose handling fails is tried before it is left out, while the database answers. */
  updateTries: 5,
  /** How many chats' updates are handled side by side. */
  chatsAtOnce: 8,
  /** Connections over which Telegram may call the webhook at once. */
  webhookConnections: 10,
  /** How long a call may take that is not a delivery: a reply to a command, a notice. */
  callMs: 10_000,
  /** How often what is being written is shown in a private chat. */
  draftEveryMs: 1_000,
  /** A draft is gone after 30 s, so that one that has not changed is shown again before. */
  draftLastsMs: 20_000,
  /** How often a progress message in a group is edited: at first, and after `editsFast` edits, for 20 a minute are all. */
  editEveryMs: 1_000,
  editSlowlyEveryMs: 3_500,
  editsFast: 8,
  /** "Typing…" is shown for 5 s. */
  typingEveryMs: 4_500,
  /** Characters of what is being written that are shown in a draft or a progress message; the rest comes at the end. */
  shownCharacters: 3_500,
  /** How many lines about tool calls are shown while the agent works; older ones make room. */
  shownActivities: 8,
} as const

/** As the shared code sees it. One message of half of what Telegram takes has room for a footer, and can be read. */
export const channelLimits: ChannelLimits = {
  messageLength: 16_000,
  buttons: 8,
  buttonText: 40,
  menuOptions: 90,
  canEdit: true,
  canStream: true,
  fileBytes: telegramLimits.uploadBytes,
}
