import { setImmediate } from 'node:timers/promises'

/**
 * One after the other, and what waits in this process in between: deciding a page of long commands takes a second, and
 * nobody else should wait for it. Ends where its reader is gone.
 */
export async function* takeTurns<Item>(
  items: readonly Item[],
  { turnMs, signal }: { turnMs: number; signal: AbortSignal },
): AsyncGenerator<Item> {
  let since = performance.now()
  for (const item of items) {
    if (performance.now() - since >= turnMs) {
      await setImmediate()
      since = performance.now()
    }
    if (signal.aborted) return
    yield item
  }
}
