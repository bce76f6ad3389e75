import { defaultPrices, listPrice, type Price, type Prices } from '@quartermaster/db'
import { isModelOrSnapshot } from './tiers.ts'
import type { ModelUsage } from './usage.ts'

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
