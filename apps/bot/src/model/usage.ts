import type { Anthropic } from '@anthropic-ai/sdk'

/** What a turn used, over all its attempts: also an attempt that broke off is paid for. */
export interface ModelUsage {
  /** Tokens read at full price. */
  inputTokens: number
  outputTokens: number
  /** The part of `outputTokens` that was thinking. */
  thinkingTokens: number
  cacheReadTokens: number
  /** Tokens written to the prompt cache, by how long they stay there. */
  cacheWrite5mTokens: number
  cacheWrite1hTokens: number
  webSearches: number
  webFetches: number
}

export const noUsage: ModelUsage = Object.freeze({
  inputTokens: 0,
  outputTokens: 0,
  thinkingTokens: 0,
  cacheReadTokens: 0,
  cacheWrite5mTokens: 0,
  cacheWrite1hTokens: 0,
  webSearches: 0,
  webFetches: 0,
})

/** The counts as the API gives them, at the start and, cumulative, at the end of a message. */
export type ApiUsage = Partial<Anthropic.Beta.BetaUsage> | Partial<Anthropic.Beta.BetaMessageDeltaUsage>

/** Untrusted counts become numbers: a missing or odd one counts nothing. */
export function parseUsage(usage: ApiUsage): ModelUsage {
  const writes = count(usage.cache_creation_input_tokens)
  const split = 'cache_creation' in usage ? usage.cache_creation : null
  const hour = Math.min(count(split?.ephemeral_1h_input_tokens), writes)
  const own: ModelUsage = {
    inputTokens: count(usage.input_tokens),
    outputTokens: count(usage.output_tokens),
    thinkingTokens: count(usage.output_tokens_details?.thinking_tokens),
    cacheReadTokens: count(usage.cache_read_input_tokens),
    cacheWrite5mTokens: writes - hour,
    cacheWrite1hTokens: hour,
    webSearches: count(usage.server_tool_use?.web_search_requests),
    webFetches: count(usage.server_tool_use?.web_fetch_requests),
  }
  // The API counts a summary it made on the way apart from the message's own tokens; both are paid for.
  const summaries = Array.isArray(usage.iterations) ? usage.iterations : []
  return summaries
    .filter(({ type }) => type === 'compaction')
    .map(parseUsage)
    .reduce(addUsage, own)
}

export function addUsage(a: ModelUsage, b: ModelUsage): ModelUsage {
  const names = Object.keys(noUsage) as (keyof ModelUsage)[]
  return Object.fromEntries(names.map((name) => [name, a[name] + b[name]])) as unknown as ModelUsage
}

/** How much of the context window the prompt took. */
export const promptTokens = (usage: ModelUsage): number =>
  usage.inputTokens + usage.cacheReadTokens + usage.cacheWrite5mTokens + usage.cacheWrite1hTokens

const count = (value: unknown): number => (Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : 0)
