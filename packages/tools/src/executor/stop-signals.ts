// Listens once to each signal from outside, however many calls run under it: adding and removing a listener for every
// call would cost more than the rest of the call, and a long-lived signal would gather them.

export interface Stoppable {
  onStop(): void
}

export class StopSignals {
  readonly #running = new WeakMap<AbortSignal, Set<Stoppable>>()

  add(signal: AbortSignal, call: Stoppable): void {
    let calls = this.#running.get(signal)
    if (!calls) {
      const listening = new Set<Stoppable>()
      calls = listening
      this.#running.set(signal, calls)
      signal.addEventListener(
        'abort',
        () => {
          for (const stopped of [...listening]) stopped.onStop()
        },
        { once: true },
      )
    }
    calls.add(call)
  }

  remove(signal: AbortSignal, call: Stoppable): void {
    this.#running.get(signal)?.delete(call)
  }
}
