/** Every limit of the Policies area, with its unit and what happens at it. */
export const policyLimits = {
  /** How long one replay goes on, in milliseconds; then it says how far it came, and can be gone on with. */
  replayMs: 20_000,
  /** How many calls are read and decided at once. Between two pages the server does other things. */
  replayPageRows: 500,
  /** How many changed calls of each kind (allowed before and asked now …) one replay lists; the others are counted. */
  replayListedOfEach: 100,
  /** How long calls are decided before others have their turn, in milliseconds. */
  replayTurnMs: 10,
  /** The largest rule that is checked while it is typed, in bytes. */
  checkedRuleBytes: 256 * 1024,
} as const
