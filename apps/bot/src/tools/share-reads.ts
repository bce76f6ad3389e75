/**
 * Reads that are asked for while one of the same key is under way share the next one. Every answer is of a read that
 * began after it was asked for, so nothing is older than without this; under load many askers cost one statement.
 */
export function shareReads<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const running = new Map<string, Promise<unknown>>()
  const next = new Map<string, Promise<T>>()

  function begin(key: string): Promise<T> {
    const reading = read(key).finally(() => {
      if (running.get(key) === reading) running.delete(key)
    })
    reading.catch(() => {}) // Whoever asked hears of it; the one who waits for its end only waits.
    running.set(key, reading)
    return reading
  }

  return (key) => {
    const current = running.get(key)
    if (!current) return begin(key)
    const known = next.get(key)
    if (known) return known
    const after = () => {
      next.delete(key)
      return begin(key)
    }
    const waiting = current.then(after, after)
    next.set(key, waiting)
    return waiting
  }
}
