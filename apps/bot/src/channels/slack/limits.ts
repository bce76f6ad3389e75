import type { ChannelLimits } from '../channel.ts'

/** What the shared code splits and refuses by. */
export const slackLimits: ChannelLimits = {
  /** A markdown block takes 12,000; a whole message fails near 13,200, and footer and fallback text count as well. */
  messageLength: 11_800,
  buttons: 5,
  buttonText: 30,
  menuOptions: 100,
  canEdit: true,
  canStream: true,
  /** Slack takes more; a delivery is a row in the database. */
  fileBytes: 20 * 1024 * 1024,
}

/** Slack's own limits, and what we stay under because of them. Lengths are characters. */
export const limits = {
  sectionText: 3_000,
  /** What stands small under a card. */
  contextText: 2_900,
  blocks: 50,
  viewBlocks: 100,
  buttonText: 75,
  /** A phone shows about this much of a button; what is longer is written out above the buttons. */
  shownButtonText: 30,
  optionText: 75,
  optionGroups: 100,
  selectOptions: 100,
  checkboxOptions: 10,
  confirmText: 300,
  viewTitle: 24,
  plainTextInput: 3_000,
  inputLabel: 2_000,
  /** A field's hint and placeholder. */
  inputHint: 2_000,
  placeholder: 150,
  privateMetadata: 3_000,
  fileName: 200,
  /** All texts of a card: a message fails near 13,200 characters, a hundred or so counting for each block. */
  cardText: 10_500,
  /** Options of a menu in a message. */
  menuText: 4_000,
  /** The fallback text of a message with blocks, for notifications and screen readers. */
  fallbackText: 300,
  footer: 300,
  /** What tools did, in one line under an answer. */
  workLine: 300,
  /** Of a diff or a body on a card; all of it is behind "Show all". */
  cardDiff: 1_800,
  cardBody: 2_500,
  cardValue: 300,
  /** Views have 250 KB in all; the rest of larger arguments is in the console. */
  shownArguments: 120_000,

  /** How far the thread is searched for a delivery that may have been sent: pages of so many messages. */
  searchPages: 20,
  searchPageMessages: 200,
  /** How much older than the delivery what we look for may seem, for clocks that differ. */
  searchSlackMs: 60_000,
  /** What is read of a thread that a conversation begins in: the newest of so many messages. */
  threadPages: 10,
  threadMessages: 100,
  /** Of a file that somebody sent. */
  fetchBytes: 30 * 1024 * 1024,

  /** How long what is shown is gathered: appendStream takes 100 calls a minute of all streams of a team. */
  presentEveryMs: 1_000,
  /** The rates of Slack's tiers a minute and team, less what other processes and answers need of them. */
  startsAMinute: 16,
  appendsAMinute: 90,
  editsAMinute: 30,
  /** A streamed message takes as much text as a sent one; the rest comes with the answer itself. */
  streamText: 11_000,
  /** Slack ends a stream that was idle for about 5 minutes; after this long we end it and edit the message instead. */
  streamIdleMs: 3 * 60_000,
  /** An answer is written into the message that shows its tools while that is young; later people would not notice. */
  freshMs: 60_000,
  /** Slack clears the status after 2 minutes. */
  statusEveryMs: 80_000,
  /** How long the end of a run waits for what is still to be shown, and a delivery for a call that is under way. */
  presentEndMs: 3_000,
  /** Tools of one message; of more, the newest are shown. */
  tasks: 20,
  taskText: 150,
} as const
