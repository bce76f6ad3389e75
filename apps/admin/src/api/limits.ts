/** Every limit of the REST API, with its unit and what happens at it; how often one may call is a setting (env.ts). */
export const apiLimits = {
  /** Bytes of a request's body; a larger one is refused with 413. An endpoint may say otherwise. */
  bodyBytes: 256 * 1024,
  /** How deep objects and lists of a body may lie in each other; deeper ones are refused. */
  bodyDepth: 64,
  /** Rows of a page where the request does not say, and at most. */
  pageRows: 50,
  mostPageRows: 100,
  /** How often whoever takes a long file is looked at again; who lost their access gets no more of it. */
  exportCheckMs: 10_000,
  /** When whoever met an unreachable database is told to come back. */
  unavailableSeconds: 5,
  /** The window in which calls are counted. */
  rateWindowMs: 60_000,
  /** Into how many writes a window's calls are put together at most; more make the count finer and the database busier. */
  rateWrites: 20,
  /** How many callers a process keeps a count of; then those whose window is over are forgotten. */
  rateCallers: 10_000,
} as const
