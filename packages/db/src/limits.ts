/** Every limit of this package, with its unit and what happens at it. */
export const limits = {
  /** How long the embedded server may take to answer; recovery after a crash is part of it. Then the start fails. */
  postgresStartMs: 60_000,
  /** How long the embedded server may take to end in order; then it is told to end at once (and recovers next time). */
  postgresStopMs: 15_000,
  /** How long the embedded server's log may be at a start, in bytes; a longer one becomes postgres.log.old. */
  postgresLogBytes: 10 * 1024 * 1024,
  /** How long to wait for a connection, a new one or one of a busy pool; then the call fails. */
  connectionMs: 10_000,
  /** How long a statement may take, waiting for locks included; then it fails and its transaction is undone. */
  statementMs: 60_000,
  /** How long a transaction may do nothing: a frozen process must not hold a run or a workspace's audit chain for ever. */
  idleTransactionMs: 30_000,
  /**
   * Transitions that wait at the same moment go out together (combine.ts): on so many connections, so many in one
   * statement. One whose rows are held for longer than this goes on by itself.
   */
  combineLanes: 2,
  combineItems: 32,
  combineLockMs: 200,
  /** How long a claim on a run lasts without a heartbeat; then another process takes the run over. */
  runClaimMs: 8_000,
  /** How many processes may be lost while they hold one run; then it has failed, before it kills the next one. */
  lostClaims: 5,
  /** How many children one run may start, and how many generations of runs there may be; then no more are started. */
  childRuns: 50,
  runGenerations: 5,
  /** How many messages of a conversation a run reads at most, the newest ones. */
  transcriptMessages: 2_000,
  /** How long a claim on a delivery lasts; then another process looks whether it was sent. */
  deliveryClaimMs: 30_000,
  /** How long claims and confirmations of deliveries gather while others just went out: less than anybody notices. */
  deliveryRestMs: 10,
  /** How often a delivery is tried before it is given up as failed. */
  deliveryAttempts: 12,
  /** How often a platform may put a delivery off ("come back in 3 s") before it is given up as failed. */
  deliveryWaits: 300,
  /** How long the name of a requested tool is kept, in characters: a model may make up any, and the name is indexed. */
  toolNameLength: 200,
  /**
   * How long an inbound event is remembered to drop what the platform sends again. Platforms give up after a day at the
   * latest. It must not be a week: Telegram's ids start anew after a quiet one and would meet old ones.
   */
  inboundEventMs: 3 * 24 * 60 * 60 * 1000,
  /** How many rows maintenance deletes in one statement. */
  maintenanceRows: 5_000,
  /** How long a question stays open if its policy does not say. */
  questionExpiryMs: 24 * 60 * 60 * 1000,
  /** How long the people to whom a question escalates have at least, however short its first time was. */
  questionEscalationMs: 60_000,
  /** The longest written answer, in characters; a longer one is refused, and the question stays open. */
  answerCharacters: 10_000,
  /** The longest reason of a denial, in characters; the rest is cut, for it is repeated to the model. */
  reasonCharacters: 2_000,
  /** The largest arguments that the audit keeps of an edit, in bytes of JSON; of larger ones it has the digest. */
  auditArgumentsBytes: 16 * 1024,
  /** How old `seen_at` may be before a process counts as gone. */
  processGoneMs: 15_000,
  /** How many rows a list returns at most; a longer list is read page by page. */
  pageRows: 200,
  /**
   * How many tool calls are looked at for one page of a search that no index serves, and for how long; then the page
   * says how far it got. One statement looks at no more than `walkedCallsAtOnce`, so that the time is kept.
   */
  walkedCalls: 20_000,
  walkedCallsAtOnce: 2_000,
  walkedCallsMs: 40,
  /** How many entries of an index are passed to see how far back it gets, where several could lead a search. */
  probedCalls: 500,
  /** What a list shows of a call's arguments: characters, and the largest arguments (bytes as stored) it reads for that. */
  listedArgumentCharacters: 240,
  listedArgumentBytes: 64 * 1024,
  /** How many names of called tools are offered as a filter: a model may make up any. */
  calledTools: 200,
  /** The longest instructions of an agent, in characters; longer ones are refused. */
  instructionsCharacters: 100_000,
  /** How many agents or versions one page of a list has. */
  agentsOfPage: 50,
  /** The largest configuration of an attachment, in bytes of JSON; larger ones are refused. */
  attachmentConfigBytes: 64 * 1024,
  /** The largest virtual file, in bytes; a larger one is not written. */
  virtualFileBytes: 1024 * 1024,
  /** The most files, and bytes of all of them, of one conversation or agent; what goes beyond is not written. */
  virtualTreeFiles: 1_000,
  virtualTreeBytes: 32 * 1024 * 1024,
  /** The longest path of a virtual file, in bytes. Check virtual_files_path says the same. */
  virtualPathBytes: 1_024,
  /** The most notes of one memory (an agent's, or a workspace's); more are refused until some are forgotten. */
  memories: 10_000,
  /** How much one reading of a namespace brings, in characters: the newest notes; older ones are found by search. */
  memoryReadCharacters: 40_000,
  /** What a tool may keep between its calls in a conversation: bytes of a note as JSON, characters of its name, notes. */
  noteBytes: 16 * 1024,
  noteNameLength: 200,
  notes: 100,
  /** How many messages that name a file are searched for it, the newest first. */
  chatFileMessages: 5,
  /** The largest secret, in bytes; larger ones are refused. */
  secretBytes: 64 * 1024,
  /** How fresh a secret's "last used" is kept; a secret in constant use is not written at every call. */
  secretUseMs: 60_000,
  /** How long a link code holds; then a new one is needed. Check link_codes_short allows an hour. */
  linkCodeMs: 10 * 60 * 1000,
  /** Link codes that one person of a platform may try in a window; then they are refused until it ends. */
  linkWindowMs: 15 * 60 * 1000,
  linkTries: 5,
  /** How long an invitation's link holds; then a new one is needed. */
  invitationMs: 7 * 24 * 60 * 60 * 1000,
  /** The most invitations of a workspace that are open at once; then one has to be revoked first. */
  openInvitations: 200,
  /** The most entries of a channel's allow-list; a longer one is refused. */
  allowListEntries: 500,
  /** How long the console waits to tell what became of a test message; then it says that it is still on its way. */
  testMessageMs: 6_000,
  /** How many direct copies of a question go to people who are not in its conversation; the others see the console. */
  questionCopies: 10,
  /** Among how many pages of a workspace's newest open questions those that wait for one member are counted. */
  countedQuestionPages: 5,
  /** How many models have a price of a workspace's own; one more is refused. */
  ownPrices: 200,
  /** The largest draft of an answer, in bytes of JSON; a larger one is not kept. */
  answerDraftBytes: 64 * 1024,
  /** How many rows a list of runs looks at for filters that no index serves together, and how often in one page. */
  listedWindow: 5_000,
  listedWindows: 4,
  /** Among how many of a workspace's newest runs a member's own are looked for. */
  runsOfMember: 5_000,
  /** How many sources of strangers' content are named of a recorded call; that there are any is what decides. */
  replayTaintSources: 5,
  /** How many audit events are verified in one read. */
  auditPageRows: 5_000,
  /** How many events one page of the log is searched for a text in; the next page goes on from there. */
  auditTextRows: 20_000,
  /** How much later than the event after it one may have been numbered: as long as a transaction may last. */
  auditOutOfOrderMs: 10 * 60 * 1000,
  /** The most actions, or people, of a log that are offered to be filtered by. */
  auditActions: 500,
  /** How many events an export reads at once. */
  auditExportRows: 1_000,
  /** How long a browser stays signed in without being used, and at most. */
  sessionIdleMs: 7 * 24 * 60 * 60 * 1000,
  sessionMs: 30 * 24 * 60 * 60 * 1000,
  /** Sign-in attempts in a window: per e-mail and per address. Then it is refused until the window ends. */
  signInWindowMs: 15 * 60 * 1000,
  signInPerEmail: 10,
  signInPerAddress: 30,
} as const
