import type { FailureCode } from './outcome.ts'

/** Why a call does not run, in words that the model can act on. What a stage returns instead of its result. */
export class Refusal {
  readonly code: FailureCode
  readonly error: string

  constructor(code: FailureCode, error: string) {
    this.code = code
    this.error = error
  }
}
