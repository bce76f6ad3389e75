import { type Database, defaultPrices, type Prices, readPrices, wholePrice } from '@quartermaster/db'
import { limits } from '../limits.ts'

/** The prices of a workspace over the usual ones, read again from time to time. Null where it has none of its own. */
export function createWorkspacePrices(db: Database): (workspaceId: string) => Promise<Prices | null> {
  const read = new Map<string, { at: number; prices: Prices | null }>()
  return async (workspaceId) => {
    const known = read.get(workspaceId)
    if (known && Date.now() - known.at < limits.pricesMs) return known.prices
    const own = Object.entries(await readPrices(db, workspaceId))
    const prices: Prices | null = own.length
      ? {
          ...defaultPrices,
          ...Object.fromEntries(own.map(([model, price]) => [model, wholePrice(price)])),
        }
      : null
    read.delete(workspaceId)
    const oldest = read.size >= limits.policiesKept ? read.keys().next().value : undefined
    if (oldest !== undefined) read.delete(oldest)
    read.set(workspaceId, { at: Date.now(), prices })
    return prices
  }
}
