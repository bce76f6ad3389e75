// The model port, as the rest of the bot and the tests use it.
export { type AnthropicModelOptions, createAnthropicModel } from './anthropic.ts'
export * from './model.ts'
export { ModelError } from './model-error.ts'
export { resolveCost } from './prices.ts'
export { resolveModelName } from './tiers.ts'
export { addUsage, type ModelUsage, noUsage } from './usage.ts'
