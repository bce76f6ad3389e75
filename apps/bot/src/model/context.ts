// How a long conversation is kept affordable and within the model's window, in three ways, each for what the one before
// leaves: the prompt cache (what was sent before costs a tenth), the API's own edits (old tool results cleared, then a
// summary), and leaving out old content ourselves when the API says that it is too much (shrink-messages.ts).
import type { Anthropic } from '@anthropic-ai/sdk'
import { limits } from '../limits.ts'
import type { ModelMessage, ModelTool } from './model.ts'
import { resolveModelSize } from './tiers.ts'

type Block = Anthropic.Beta.BetaContentBlockParam
type SystemBlock = Anthropic.Beta.BetaTextBlockParam

const cacheControl = { type: 'ephemeral' } as const

/**
 * Marks what the API shall keep in its prompt cache: the tools, the instructions, the conversation up to the last
 * message, and up to the user's message before it, where the last turn's mark stood. Four marks are allowed. Marks that
 * are there already are taken away.
 */
export function markForCache(
  system: string | undefined,
  tools: readonly ModelTool[],
  messages: readonly ModelMessage[],
) {
  const lastTool = tools.findLastIndex((tool) => !('defer_loading' in tool && tool.defer_loading))
  const last = messages.length - 1
  const earlier = messages.findLastIndex(({ role }, index) => role === 'user' && index < last)
  return {
    tools: tools.map((tool, index) => mark(tool, index === lastTool)),
    system: system ? [mark<SystemBlock>({ type: 'text', text: system }, true)] : undefined,
    messages: messages.map((message, index) => markMessage(message, index === last || index === earlier)),
  }
}

function mark<T extends object>(value: T, marked: boolean): T {
  const { cache_control: _, ...rest } = value as T & { cache_control?: unknown }
  return (marked ? { ...rest, cache_control: cacheControl } : rest) as T
}

function markMessage(message: ModelMessage, marked: boolean): ModelMessage {
  if (message.role === 'system') return message
  const { content } = message
  if (typeof content === 'string')
    return marked && content ? { ...message, content: [mark<Block>({ type: 'text', text: content }, true)] } : message
  const last = marked ? content.findLastIndex(isCacheable) : -1
  return { ...message, content: content.map((block, index) => mark(block, index === last)) }
}

/** The API refuses a mark on thinking and on empty text. */
const isCacheable = (block: Block): boolean =>
  block.type !== 'thinking' && block.type !== 'redacted_thinking' && !(block.type === 'text' && !block.text)

export interface ContextEdits {
  betas: string[]
  config: Anthropic.Beta.BetaContextManagementConfig
}

/**
 * What the API is asked to edit by itself, or null for a conversation that is nowhere near the limits: then the request
 * is a plain one, which any server that speaks the API understands.
 */
export function resolveContextEdits(model: string, bytes: number, hasCompaction: boolean): ContextEdits | null {
  const { contextTokens } = resolveModelSize(model)
  const clearAt = Math.min(limits.modelClearToolUsesTokens, Math.floor(contextTokens * 0.6))
  const compactAt = Math.min(limits.modelCompactTokens, Math.floor(contextTokens * 0.8))
  // A token is seldom less than two bytes of JSON, so this asks early rather than late.
  if (bytes / 2 < clearAt && !hasCompaction) return null
  return {
    betas: ['context-management-2025-06-27', 'compact-2026-01-12'],
    config: {
      edits: [
        {
          type: 'clear_tool_uses_20250919',
          trigger: { type: 'input_tokens', value: clearAt },
          keep: { type: 'tool_uses', value: 8 },
          // Each clearing makes the cache worthless from there on, so it has to be worth it.
          clear_at_least: { type: 'input_tokens', value: Math.floor(clearAt / 5) },
        },
        { type: 'compact_20260112', trigger: { type: 'input_tokens', value: compactAt } },
      ],
    },
  }
}

export const hasCompaction = (messages: readonly ModelMessage[]): boolean =>
  messages.some(({ content }) => Array.isArray(content) && content.some(({ type }) => type === 'compaction'))

/** A conversation for a server that makes no summaries: what they stand for is still there. */
export function withoutCompaction(messages: readonly ModelMessage[]): ModelMessage[] {
  return messages.flatMap((message): ModelMessage[] => {
    if (message.role === 'system' || typeof message.content === 'string') return [message]
    const content = message.content.filter(({ type }) => type !== 'compaction')
    return content.length ? [{ ...message, content }] : []
  })
}
