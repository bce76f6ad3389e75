/** How long a new key may hold. */
export const lifetimes = [
  { value: '30', label: '30 days', days: 30 },
  { value: '90', label: '90 days', days: 90 },
  { value: '365', label: 'A year', days: 365 },
  { value: 'never', label: 'Until it is revoked', days: null },
] as const
