/** What an agent's settings may name instead of a model: a trade between speed, price and depth. */
export const tierNames = ['fast', 'balanced', 'deep'] as const
export type Tier = (typeof tierNames)[number]
export type Tiers = Readonly<Record<Tier, string>>

export const defaultTiers: Tiers = {
  fast: 'claude-haiku-5-5',
  balanced: 'claude-sonnet-5-5',
  deep: 'claude-opus-5-5',
}

/** The model that a tier stands for. Any other name is a model's own, and passes through. */
export function resolveModelName(name: string, tiers: Tiers = defaultTiers): string {
  return isTier(name) ? tiers[name] : name
}

const isTier = (name: string): name is Tier => (tierNames as readonly string[]).includes(name)

/** How much a model can read and write, in tokens. */
export interface ModelSize {
  contextTokens: number
  outputTokens: number
}

/** A model that nobody listed is taken to be small: asking for less than it can is safe, asking for more is refused. */
const unknownSize: ModelSize = { contextTokens: 200_000, outputTokens: 32_000 }
const largeSize: ModelSize = { contextTokens: 1_000_000, outputTokens: 128_000 }

export function resolveModelSize(model: string): ModelSize {
  return Object.values(defaultTiers).some((known) => isModelOrSnapshot(model, known)) ? largeSize : unknownSize
}

/** Whether a name is the model's own, or that of one of its dated snapshots (`claude-opus-5-5-20261001`). */
export function isModelOrSnapshot(name: string, model: string): boolean {
  return name === model || (name.startsWith(`${model}-`) && /^\d{8}$/.test(name.slice(model.length + 1)))
}
