/** Every limit of the bot, with its unit and what happens at it. */
export const limits = {
  /** How long a stop may take in all; then the process ends with code 1, whatever is still open. */
  stopMs: 9_500,
  /** How long open requests and jobs get to end by themselves when the bot stops; then they are cut. */
  drainMs: 2_500,
  /** How long the last words to the database may take; a process that is cut off counts as gone soon enough. */
  farewellMs: 1_500,
  /** How often the bot says that it is alive; it counts as gone after three missed ones (packages/db limits). */
  heartbeatMs: 5_000,
  /** How often platforms, model and sandbox are looked at again. */
  probeEveryMs: 3 * 60 * 1000,
  /** How long one look may take; then it is reported as a problem. */
  probeMs: 5_000,
  /** How long the database may take to answer the question whether the bot is ready; then it is not. */
  readyMs: 2_000,
  /** How long an answer about readiness serves everyone who asks, so that asking often costs nothing. */
  readyCacheMs: 500,
  /** How long "nothing is left to migrate" is believed. */
  migratedCacheMs: 30_000,
  /** How long figures from the database serve `/metrics`. */
  metricsCacheMs: 5_000,
  /** How long the figures may take; then `/metrics` answers without them. */
  metricsMs: 2_000,
  /** How many runs one process works on at once; the others wait. A run mostly waits for its model and its tools. */
  runConcurrency: 64,
  /** How many runs are taken by one statement, which reads their transcripts as well. */
  runsAtOnce: 16,
  /** How often a process looks for queued runs that no notice told it of. */
  queuedRunsMs: 1_000,
  /** How many maintenance jobs one process works on at once. */
  jobConcurrency: 4,
  /** How often the claims of the runs in hand are renewed; a claim lasts packages/db's runClaimMs. */
  claimRenewMs: 2_000,
  /** How often every worker looks for runs whose process was lost. */
  lostRunsMs: 1_000,
  /** How long tools may go on when the process stops; then their runs are given back and they are aborted. */
  toolDrainMs: 1_500,
  /** How long processes that tools left running get to end when the bot stops; then they are killed. */
  processDrainMs: 3_500,
  /** How long the browser of the tools gets to end when the bot stops; then it ends with the process. */
  browserStopMs: 2_500,
  /** How long a write waits for a database that restarts; then the run is let go. */
  databasePatienceMs: 20_000,
  /** The steps of a run where neither its agent nor POLICY_MAX_STEPS says. At them the run ends and says so. */
  maxSteps: 40,
  /** With more tools than this a request has only some of them whole; the model searches for the others by itself. */
  loadedTools: 64,
  /** How often the model's provider may search the web while it gives one answer; then it answers without. */
  serverSearches: 5,
  /** How long the start waits for chat platforms to be connected; then they are connected while the bot works already. */
  channelStartMs: 5_000,
  /** How long what people are just saying gets to be stored when the bot stops; then their platform sends it again. */
  channelStopMs: 1_500,
  /** How long one reference in a message (a file, a thread) may take to be fetched; then the model is told that it was not. */
  referenceMs: 30_000,
  /** The largest file that is read for the model or kept for a tool, in bytes; of a larger one only its name is told. */
  referenceBytes: 20 * 1024 * 1024,
  /** How much text of one file, or of the thread before, the model is given, in characters; the rest is left out. */
  referenceCharacters: 100_000,
  /** How long writing down what is said in a recording may take; then the model is told that it is not known. */
  listenMs: 120_000,
  /** How many references of one message are fetched; of the others the model is told. */
  referencesOfMessage: 20,
  /** How long a worker that ended by itself is left alone before it is started again. */
  workerRestartMs: 2_000,
  /** How long a kept policy is believed without a look at its revision, in case a notice was missed. */
  policyCheckMs: 10_000,
  /** How many workspaces' policies are kept compiled; the one that was read first makes room. */
  policiesKept: 500,
  /** How long the prices that a workspace has set are believed. */
  pricesMs: 30_000,
  /** How long a member's name is believed where the model is told who speaks, and how many are kept. */
  memberNamesMs: 10 * 60_000,
  memberNames: 2_000,
  /** Connections to the database. A job holds one only while it asks something. */
  databaseConnections: 20,
  /** How many conversations one process sends to at once; the others wait for their turn. */
  deliveryConcurrency: 32,
  /** How long the sending of one message may take, less than the claim on it; then it is tried again, after a look. */
  deliverySendMs: 20_000,
  /** How long messages that are being sent get to end when the process stops; then they are given back. */
  deliveryDrainMs: 1_000,
  /** How long a sender tries to write down what became of a delivery; then somebody takes it over and looks. */
  deliveryReportMs: 8_000,
  /** How often a sender looks for what no notice told it of: what a lost sender left, what is due again. */
  deliveryPollMs: 5_000,
  /** The first wait after a failed delivery; each next one may be twice as long. */
  deliveryBackoffMs: 1_000,
  /** The longest wait between two attempts of a delivery that we choose ourselves. */
  deliveryBackoffMaxMs: 5 * 60 * 1000,
  /** How many conversations may wait for their turn by name; further ones are found by looking for any. */
  deliveryQueue: 10_000,
  /** How long shown text is gathered before it is announced, so that a notice is worth its price. */
  presentEveryMs: 50,
  /** How long after an announcement of what runs show the next one goes out: what comes meanwhile goes together. */
  presentRestMs: 25,
  /** How much of what is shown may wait for a slow database, in characters and in events; then text is dropped. */
  presentCharacters: 64 * 1024,
  presentEvents: 256,
  /** How long the end of a run waits until what was shown has been announced; then the rest is dropped. */
  presentEndMs: 1_000,
  /** How long the model's server may take to begin its answer; then the attempt counts as failed. */
  modelBeginMs: 120_000,
  /** How long a model's answer may be silent (it sends a ping every some seconds); then the attempt counts as failed. */
  modelIdleMs: 90_000,
  /** How long a server may leave the connection open after the last word of its answer; then we close it. */
  modelLingerMs: 500,
  /** How often one turn is tried in all; then its last failure is the turn's. */
  modelAttempts: 6,
  /** The first wait between two attempts; each next one may be twice as long. */
  modelBackoffMs: 500,
  /** The longest wait between two attempts that we choose ourselves. */
  modelBackoffMaxMs: 20_000,
  /** The longest wait that a server may ask for; at a longer one the turn fails and tells how long. */
  modelRetryAfterMaxMs: 60_000,
  /** How many bytes an answer of the model may have; then it is cut and the turn fails. */
  modelResponseBytes: 32 * 1024 * 1024,
  /** How many bytes a request to the model may have (the API's own limit is 32 MB); above it, old content is left out. */
  modelRequestBytes: 30 * 1024 * 1024,
  /** How many tokens an answer may have where the request does not say; it stops there with `max_tokens`. */
  modelMaxTokens: 32_000,
  /** From how many tokens on the API is asked to clear old tool results (or from 60 % of a smaller window). */
  modelClearToolUsesTokens: 150_000,
  /** From how many tokens on the API is asked to summarize the conversation (or from 80 % of a smaller window). */
  modelCompactTokens: 400_000,
} as const
