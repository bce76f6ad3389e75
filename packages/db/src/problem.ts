/**
 * Something that a person has to set right: one sentence that names the thing and what was expected, and the fix.
 * Programs print it and end with a non-zero code; a stack trace would only hide it.
 */
export class Problem extends Error {
  readonly fix: string

  constructor(sentence: string, fix: string, options?: { cause?: unknown }) {
    super(sentence, options)
    this.name = 'Problem'
    this.fix = fix
  }
}

/** What a program says when it cannot go on: the sentence and the fix of a Problem, or the bare message of a surprise. */
export function describeFailure(error: unknown): string {
  if (error instanceof Problem) return `${error.message}\n  → ${error.fix}`
  if (isNoSpace(error))
    return 'The disk is full: a file could not be written.\n  → Free some space where the data folder lies (QM_DATA_DIR, .data by default), then start again.'
  return error instanceof Error ? error.message : String(error)
}

export function isNoSpace(error: unknown): boolean {
  const code = (error as { code?: unknown } | null)?.code
  // 53100 is Postgres's disk_full.
  return code === 'ENOSPC' || code === '53100'
}
