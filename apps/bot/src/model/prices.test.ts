import { defaultPrices, defaultTiers, listPrice, offlineModelName } from '@quartermaster/db'
import { expect, test } from 'vitest'
import { resolveCost } from './prices.ts'
import { addUsage, noUsage, parseUsage, promptTokens } from './usage.ts'

const million = { ...noUsage, inputTokens: 1_000_000, outputTokens: 1_000_000 }

test('a million tokens in and out cost what the table says', () => {
  expect(resolveCost(million, ['claude-opus-5-5']).costMicros).toBe(24_000_000)
  expect(resolveCost(million, ['claude-sonnet-5-5']).costMicros).toBe(12_000_000)
  expect(resolveCost(million, ['claude-haiku-5-5']).costMicros).toBe(600_000)
})

test('cache writes, cache reads and searches have prices of their own', () => {
  const usage = { ...noUsage, cacheWrite5mTokens: 1000, cacheWrite1hTokens: 1000, cacheReadTokens: 1000 }
  expect(resolveCost(usage, ['claude-opus-5-5']).costMicros).toBe(5000 + 8000 + 400)
  expect(resolveCost({ ...noUsage, webSearches: 3 }, ['claude-opus-5-5']).costMicros).toBe(30_000)
})

test('a fraction of a millionth is rounded up, and a whole number stays one', () => {
  expect(resolveCost({ ...noUsage, inputTokens: 1 }, ['claude-haiku-5-5']).costMicros).toBe(1)
  expect(resolveCost({ ...noUsage, inputTokens: 30 }, ['claude-haiku-5-5']).costMicros).toBe(3)
})

test('a dated snapshot costs what its model costs', () => {
  expect(resolveCost(million, ['claude-opus-5-5-20261001'])).toEqual({ costMicros: 24_000_000, priceKnown: true })
})

test('a model without a price counts as the dearest one, and says so', () => {
  expect(resolveCost(million, ['unheard-of'])).toEqual({ costMicros: 24_000_000, priceKnown: false })
  expect(resolveCost(million, ['constructor']).priceKnown).toBe(false)
  expect(resolveCost(million, ['unheard-of', 'claude-haiku-5-5'])).toEqual({ costMicros: 600_000, priceKnown: true })
})

test("a workspace's own table replaces the default one", () => {
  expect(resolveCost(million, ['local'], { local: listPrice(0, 0) })).toEqual({ costMicros: 0, priceKnown: true })
})

test('the offline model costs nothing', () => {
  expect(resolveCost(million, [offlineModelName], defaultPrices)).toEqual({ costMicros: 0, priceKnown: true })
})

test('usage adds up, and a summary that the API made on the way is counted', () => {
  const usage = parseUsage({
    input_tokens: 10,
    output_tokens: 5,
    cache_creation_input_tokens: 7,
    cache_creation: { ephemeral_1h_input_tokens: 3, ephemeral_5m_input_tokens: 4 },
    cache_read_input_tokens: 2,
    server_tool_use: { web_search_requests: 1, web_fetch_requests: 0 },
    iterations: [
      {
        type: 'compaction',
        input_tokens: 100,
        output_tokens: 50,
        cache_creation: null,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    ],
  })
  expect(usage).toMatchObject({ inputTokens: 110, outputTokens: 55, cacheWrite5mTokens: 4, cacheWrite1hTokens: 3 })
  expect(promptTokens(addUsage(usage, noUsage))).toBe(119)
})

test('counts that are no counts are nothing', () => {
  expect(parseUsage({ input_tokens: -5, output_tokens: '12' as never, cache_read_input_tokens: null })).toEqual(noUsage)
})

test('every model that a tier stands for has a usual price', () => {
  expect(Object.keys(defaultPrices)).toEqual(expect.arrayContaining(Object.values(defaultTiers)))
})
