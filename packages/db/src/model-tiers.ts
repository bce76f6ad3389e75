/** What an agent's settings may name instead of a model: a trade between speed, price and depth. */
export const tierNames = ['fast', 'balanced', 'deep'] as const
export type Tier = (typeof tierNames)[number]
export type Tiers = Readonly<Record<Tier, string>>

export const defaultTiers: Tiers = {
  fast: 'claude-haiku-5-5',
  balanced: 'claude-sonnet-5-5',
  deep: 'claude-opus-5-5',
}
