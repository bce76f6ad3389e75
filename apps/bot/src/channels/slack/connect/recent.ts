/**
 * Answers that stay true for a while, a bounded number of them. Who asks for one that is being looked up waits for the
 * same look; a look that fails is not kept.
 */
export class Recent<Value> {
  readonly #kept = new Map<string, { at: number; value: Promise<Value> }>()
  readonly #forMs: number
  readonly #count: number

  constructor({ forMs, count }: { forMs: number; count: number }) {
    this.#forMs = forMs
    this.#count = count
  }

  get(key: string, look: () => Promise<Value>): Promise<Value> {
    const kept = this.#kept.get(key)
    if (kept && Date.now() - kept.at < this.#forMs) return kept.value
    const value = look()
    const entry = { at: Date.now(), value }
    this.#kept.delete(key)
    this.#kept.set(key, entry)
    for (const [oldest] of this.#kept) {
      if (this.#kept.size <= this.#count) break
      this.#kept.delete(oldest)
    }
    value.catch(() => {
      if (this.#kept.get(key) === entry) this.#kept.delete(key)
    })
    return value
  }

  forget(key?: string): void {
    if (key === undefined) this.#kept.clear()
    else this.#kept.delete(key)
  }
}
