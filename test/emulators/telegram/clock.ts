/** The emulator's time, in milliseconds. A test that must see a day pass gives a clock of its own. */
export interface Clock {
  now(): number
  /** Resolves when so much time has passed, or when the signal says that nobody waits any more. */
  wait(milliseconds: number, signal: AbortSignal): Promise<void>
}

export const systemClock: Clock = {
  now: () => Date.now(),
  wait: (milliseconds, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) return resolve()
      const timer = setTimeout(done, milliseconds)
      signal.addEventListener('abort', done, { once: true })
      function done() {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
    }),
}

/** A clock that stands still until it is told to go on. */
export class ManualClock implements Clock {
  #now: number
  readonly #sleepers = new Set<{ at: number; wake: () => void }>()

  constructor(start = Date.now()) {
    this.#now = start
  }

  now(): number {
    return this.#now
  }

  wait(milliseconds: number, signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal.aborted || milliseconds <= 0) return resolve()
      const sleeper = {
        at: this.#now + milliseconds,
        wake: () => {
          this.#sleepers.delete(sleeper)
          resolve()
        },
      }
      this.#sleepers.add(sleeper)
      signal.addEventListener('abort', sleeper.wake, { once: true })
    })
  }

  advance(milliseconds: number): void {
    this.#now += milliseconds
    for (const sleeper of [...this.#sleepers]) if (sleeper.at <= this.#now) sleeper.wake()
  }
}
