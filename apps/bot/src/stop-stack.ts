import type { Log } from './log.ts'

/** Ends things in the opposite order of their start; one that fails or takes too long does not keep the others up. */
export class StopStack {
  readonly #parts: { name: string; stop: () => Promise<void>; withinMs: number }[] = []
  readonly #log: Log

  constructor(log: Log) {
    this.#log = log
  }

  add(name: string, stop: () => Promise<void>, withinMs: number): void {
    this.#parts.push({ name, stop, withinMs })
  }

  async stop(): Promise<void> {
    for (let part = this.#parts.pop(); part; part = this.#parts.pop()) {
      const { name, withinMs } = part
      const { promise: late, resolve } = Promise.withResolvers<'late'>()
      const timer = setTimeout(() => resolve('late'), withinMs)
      try {
        const end = await Promise.race([part.stop(), late])
        if (end === 'late') this.#log.warn({ part: name, withinMs }, 'a part did not stop in time')
        else this.#log.debug({ part: name }, 'stopped')
      } catch (error) {
        this.#log.warn({ part: name, error }, 'a part did not stop in order')
      } finally {
        clearTimeout(timer)
      }
    }
  }
}
