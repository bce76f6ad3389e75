// The tiers themselves stand in packages/db: the console names them too.
import { defaultTiers, type Tier, type Tiers, tierNames } from '@quartermaster/db'

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
