/** What a price is made of, in the order of the table. Without `optional` it has to be said. */
export const amounts = [
  { name: 'input', label: 'Input', optional: false },
  { name: 'output', label: 'Output', optional: false },
  { name: 'cacheRead', label: 'Cache read', optional: true },
  { name: 'cacheWrite5m', label: 'Cache write', optional: true },
  { name: 'cacheWrite1h', label: 'Cache write, 1 h', optional: true },
  { name: 'thousandWebSearches', label: '1,000 searches', optional: true },
] as const
