// The usual prices of models. The bot counts with them, the console shows them; a workspace's own (prices.ts) come first.

/** US dollars per million tokens; dollars per thousand uses for the searches. */
export interface Price {
  input: number
  output: number
  cacheWrite5m: number
  cacheWrite1h: number
  cacheRead: number
  thousandWebSearches: number
}

/** By model. */
export type Prices = Readonly<Record<string, Price>>

/** What the offline model calls itself in its answers. */
export const offlineModelName = 'quartermaster-offline'

export const defaultPrices: Prices = {
  'claude-haiku-5-5': listPrice(0.1, 0.5),
  'claude-sonnet-5-5': listPrice(2, 10),
  'claude-opus-5-5': listPrice(4, 20),
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

/** A price of which only some is said: the rest follows from the price of input. */
export function wholePrice(
  price: { input: number; output: number } & { [Key in keyof Price]?: number | undefined },
): Price {
  const said = Object.fromEntries(Object.entries(price).filter(([, amount]) => amount !== undefined))
  return { ...listPrice(price.input, price.output), ...said }
}
