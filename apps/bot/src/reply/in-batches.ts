import { isConnectionLost } from '../run/patience.ts'

/**
 * Does for many what is asked for one at a time: what comes while a batch is under way is done together by the next. So
 * nobody waits for others to come, and under load many cost one statement. A batch that fails while the database is there
 * is done one by one, so that what is wrong with one of them is nobody else's trouble.
 */
export function inBatches<Item, Result>(
  work: (items: readonly Item[]) => Promise<readonly Result[]>,
  most: number,
): (item: Item) => Promise<Result> {
  interface Waiting {
    item: Item
    resolve(result: Result): void
    reject(error: unknown): void
  }
  let waiting: Waiting[] = []
  let busy = false

  async function doBatch(batch: readonly Waiting[]): Promise<void> {
    try {
      const results = await work(batch.map(({ item }) => item))
      batch.forEach(({ resolve }, index) => {
        resolve(results[index] as Result)
      })
    } catch (error) {
      if (batch.length === 1 || isConnectionLost(error)) for (const { reject } of batch) reject(error)
      else await Promise.all(batch.map((each) => doBatch([each])))
    }
  }

  async function doAll(): Promise<void> {
    busy = true
    while (waiting.length) {
      const batch = waiting.slice(0, most)
      waiting = waiting.slice(most)
      await doBatch(batch)
    }
    busy = false
  }

  return (item) => {
    const { promise, resolve, reject } = Promise.withResolvers<Result>()
    waiting.push({ item, resolve, reject })
    if (!busy) void doAll()
    return promise
  }
}
