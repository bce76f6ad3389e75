/** Something that is to happen at a time of the emulator's clock. */
interface Planned {
  at: number
  run: () => void
  timer: NodeJS.Timeout
}

/**
 * Slack's clock: real time plus what a test has added to it. A test that wants to see a trigger expire or the third
 * retry of an event moves the clock instead of waiting; whatever has become due happens at once, in order.
 */
export class Clock {
  #ahead = 0
  #lastMicros = 0
  readonly #planned = new Set<Planned>()

  now(): number {
    return Date.now() + this.#ahead
  }

  advance(ms: number): void {
    this.#ahead += ms
    const due = [...this.#planned].filter(({ at }) => at <= this.now()).sort((a, b) => a.at - b.at)
    for (const planned of due) this.#run(planned)
    for (const planned of this.#planned) this.#arm(planned)
  }

  /** Runs something in so many milliseconds of this clock; the answer takes it back. */
  after(ms: number, run: () => void): () => void {
    const planned: Planned = { at: this.now() + ms, run, timer: setTimeout(() => {}, 0) }
    this.#planned.add(planned)
    this.#arm(planned)
    return () => this.#forget(planned)
  }

  /** A `ts`: unique and rising, as Slack's are within a channel. */
  ts(): string {
    this.#lastMicros = Math.max(this.now() * 1000, this.#lastMicros + 1)
    return `${Math.floor(this.#lastMicros / 1e6)}.${String(this.#lastMicros % 1e6).padStart(6, '0')}`
  }

  close(): void {
    for (const planned of this.#planned) this.#forget(planned)
  }

  #arm(planned: Planned): void {
    clearTimeout(planned.timer)
    planned.timer = setTimeout(() => this.#run(planned), Math.max(0, planned.at - this.now()))
  }

  #run(planned: Planned): void {
    this.#forget(planned)
    planned.run()
  }

  #forget(planned: Planned): void {
    clearTimeout(planned.timer)
    this.#planned.delete(planned)
  }
}
