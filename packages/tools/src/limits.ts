// Every limit of this package, with its unit and what happens at it.
export const limits = {
  /** Characters of a tool's API name; the model's API refuses longer ones. */
  apiNameLength: 64,
  /** Characters of a tool's canonical name; a longer one is not registered. */
  toolNameLength: 200,
  /** Bytes of arguments as JSON; a larger call is refused before it is parsed any further. */
  argumentBytes: 4 * 1024 * 1024,
  /** Violations listed for one call; the rest are counted. */
  violationsListed: 50,
  /** Characters of a schema as JSON; a tool with a larger one is not registered. */
  schemaCharacters: 512 * 1024,
  /** Levels of a schema as JSON; a tool with a deeper one is not registered. */
  schemaDepth: 100,
  /** Subschemas of a schema; a tool with more is not registered. */
  schemaNodes: 2_000,
  /** The same where `unevaluatedProperties` or `unevaluatedItems` is used, whose code grows with the square. */
  schemaNodesUnevaluated: 500,
  /** Values of one enum; a tool with more is not registered. */
  enumValues: 10_000,
  /** Characters of a pattern; a tool with a longer one is not registered. */
  patternLength: 2_000,
  /** Instructions of a pattern once compiled; a tool with a larger one is not registered. */
  patternInstructions: 5_000,
  /** Characters of a string that has a format; a longer one does not have it. */
  formatLength: 8_192,
  /** Steps of checking one value against a schema; past them the value counts as refused. */
  validationSteps: 5_000_000,
  /** Violations collected before checking stops; more than are listed, so that the first ones are the right ones. */
  violationsCollected: 1_000,
  /** Compiled schemas kept for equal schemas that come as new objects; the longest unused goes first. */
  compiledSchemas: 500,
  /** Bytes of output a model gets of one call where the tool does not say; the rest is cut. */
  outputBytes: 100 * 1024,
  /** Milliseconds a tool may run where it does not say; then it is aborted. */
  toolTimeoutMs: 120_000,
  /** Milliseconds an aborted tool has to end; then the call ends without it. */
  abortGraceMs: 1_000,
  /** Levels of nesting in arguments and data; deeper ones are refused, before anything recurses into them. */
  jsonDepth: 64,
  /** Bytes of a result's `data` as JSON; larger data are left out, with a warning. */
  dataBytes: 1024 * 1024,
  /** Bytes of all media of a result as base64; those past it are left out, with a warning. */
  mediaBytes: 32 * 1024 * 1024,
  /** Media of one result; those past it are left out, with a warning. */
  mediaFiles: 20,
  /** Bytes of a result's error; the rest is cut. */
  errorBytes: 16 * 1024,
  /** Characters of one progress line; the rest is cut. */
  progressCharacters: 500,
  /** Characters of an untrusted text that are scanned for injections; what follows is only wrapped. */
  scanCharacters: 256 * 1024,
  /** Sources of taint remembered of one run; it stays tainted, later ones are not named. */
  taintSources: 100,
  /** Rate-limited pairs of tool and agent that are remembered; the one idle for longest is forgotten. */
  rateLimitKeys: 10_000,
  /** Characters of one argument on an approval card without a summary of its own; the rest is counted. */
  cardValueCharacters: 300,
  /** Arguments on such a card; the rest is counted. */
  cardFacts: 30,
  /** Characters of arguments that are searched for look-alike letters. */
  cardSearchCharacters: 64 * 1024,
} as const
