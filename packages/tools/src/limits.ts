// Every limit of this package, with its unit and what happens at it.
export const limits = {
  /** Characters of a tool's API name; the model's API refuses longer ones. */
  apiNameLength: 64,
  /** Bytes of arguments as JSON; a larger call is refused before it is parsed any further. */
  argumentBytes: 4 * 1024 * 1024,
  /** Violations listed for one call; the rest are counted. */
  violationsListed: 50,
  /** Bytes of output a model gets of one call where the tool does not say; the rest is cut. */
  outputBytes: 100 * 1024,
  /** Milliseconds a tool may run where it does not say; then it is aborted. */
  toolTimeoutMs: 120_000,
  /** Milliseconds an aborted tool has to end; then the call ends without it. */
  abortGraceMs: 1_000,
} as const
