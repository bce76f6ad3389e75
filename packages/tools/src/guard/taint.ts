// What strangers wrote and a run has read, in the order in which it was read. Once there is any, the policy asks before
// everything that leaves the building: what those sinks are is policy/taint.ts, and the card draws source → sink from
// this list.
import type { Outcome } from '../executor/outcome.ts'
import { limits } from '../limits.ts'

export class TaintTracker {
  readonly #sources: string[]

  /** From the record, where a run goes on after a pause. */
  constructor(sources: Iterable<string> = []) {
    this.#sources = [...new Set(sources)].slice(0, limits.taintSources)
  }

  /** For the policy context of the calls that follow. */
  get sources(): readonly string[] {
    return this.#sources
  }

  get tainted(): boolean {
    return this.#sources.length > 0
  }

  /** Content that came another way than through a tool: a forwarded message, a file somebody dropped in the thread. */
  add(source: string): void {
    // Past the limit the run stays tainted, which is all that decides; only the drawing lacks a line.
    if (this.#sources.length >= limits.taintSources || this.#sources.includes(source)) return
    this.#sources.push(source)
  }

  /** To be called with every outcome before the next call is decided. Failed calls count: errors are text, too. */
  record(outcome: Outcome): void {
    if (outcome.kind === 'ask') return
    for (const source of outcome.taint) this.add(source)
  }
}
