import { defaultTiers } from '@quartermaster/db'
import { isModelOrSnapshot } from './tiers.ts'
import type { ModelUsage } from './usage.ts'

/** US dollars per million tokens; dollars per thousand uses for the searches. */
export interface Price {
  input: number
  output: number
  cacheWrite5m: number
  cacheWrite1h: number
  cacheRead: number
  thousandWebSearches: number
}

/** By model. A workspace's own table replaces this one. */
export type Prices = Readonly<Record<string, Price>>

/** What the offline model calls itself in its answers. */
export const offlineModelName = 'quartermaster-offline'

export const defaultPrices: Prices = {
  [defaultTiers.fast]: listPrice(0.1, 0.5),
  [defaultTiers.balanced]: listPrice(2, 10),
  [defaultTiers.deep]: listPrice(4, 20),
  [offlineModelName]: { ...listPrice(0, 0), thousandWebSearches: 0 },
}

/** The usual ratios: writing to the cache costs a quarter more (twice as much for an hour), reading from it a tenth. */
export function listPrice(input: number, output: number): Price {
  return {
    input,
    output,
    cacheWrite5m: input * 1.25,
    cacheWrite1h: input * 2,
    cacheRead: input * 0.1,
    thousandWebSearches: 10,
  }
}

export interface Cost {
  /** Millionths of a US dollar, rounded up: a budget is never passed by rounding. */
  costMicros: number
  /** Whether the model stands in the table. Where it does not, the dearest price counts. */
  priceKnown: boolean
}

/**
 * What the usage cost. `models` are the names it may be priced under, best first: the one that answered, then the one
 * that was asked for.
 */
export function resolveCost(usage: ModelUsage, models: readonly string[], prices: Prices = defaultPrices): Cost {
  const price = models.map((model) => findPrice(model, prices)).find((found) => found !== null)
  // A budget that an unknown model could pass unseen would be none.
  const dearest = () => Object.values(prices).reduce(dearer, listPrice(0, 0))
  return { costMicros: costMicros(usage, price ?? dearest()), priceKnown: price !== undefined }
}

function findPrice(model: string, prices: Prices): Price | null {
  if (Object.hasOwn(prices, model)) return prices[model] as Price
  const known = Object.keys(prices).find((name) => isModelOrSnapshot(model, name))
  return known === undefined ? null : (prices[known] as Price)
}

const dearer = (a: Price, b: Price): Price => (b.input + b.output > a.input + a.output ? b : a)

function costMicros(usage: ModelUsage, price: Price): number {
  // A dollar per million tokens is a millionth of a dollar per token.
  const exact =
    usage.inputTokens * price.input +
    usage.outputTokens * price.output +
    usage.cacheWrite5mTokens * price.cacheWrite5m +
    usage.cacheWrite1hTokens * price.cacheWrite1h +
    usage.cacheReadTokens * price.cacheRead +
    usage.webSearches * price.thousandWebSearches * 1000
  // Binary fractions: 0.1 × 3 is a little more than 0.3, and must not become the next whole number.
  return Math.ceil(Number(exact.toFixed(6)))
}
