// When running calls must end. One timer for all of them, set to the earliest: a call that ends in a microsecond costs
// two operations on a set, and no timer of its own.

export interface Due {
  /** By the clock of `performance.now()`. */
  deadline: number
  /** The deadline has passed. It has been removed; it may be added again with another deadline. */
  onDeadline(): void
}

export class Deadlines {
  readonly #due = new Set<Due>()
  #timer: NodeJS.Timeout | null = null
  #timerAt = Number.POSITIVE_INFINITY

  get size(): number {
    return this.#due.size
  }

  add(due: Due): void {
    this.#due.add(due)
    if (due.deadline < this.#timerAt) this.#setTimer(due.deadline)
    else if (this.#due.size === 1) this.#timer?.ref()
  }

  remove(due: Due): void {
    // The timer stays for the next call, but does not keep the process alive when nothing runs.
    if (this.#due.delete(due) && this.#due.size === 0) this.#timer?.unref()
  }

  #setTimer(at: number): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timerAt = at
    // Node fires up to a millisecond early, and takes anything past 2^31 for 1.
    const delay = Math.min(Math.max(Math.ceil(at - performance.now()), 1), 2 ** 31 - 1)
    this.#timer = setTimeout(() => this.#expire(), delay)
  }

  #expire(): void {
    this.#timer = null
    this.#timerAt = Number.POSITIVE_INFINITY
    const now = performance.now()
    for (const due of [...this.#due]) {
      if (due.deadline > now) continue
      this.#due.delete(due)
      due.onDeadline()
    }
    let next = Number.POSITIVE_INFINITY
    for (const { deadline } of this.#due) if (deadline < next) next = deadline
    if (next < this.#timerAt) this.#setTimer(next)
  }
}
