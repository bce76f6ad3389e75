// The API's own tools (web search, tool search) leave blocks of their own in an answer. They go back as they came, but
// only into a request that still offers the tool: another server never heard of them, and the API refuses a reference to
// a tool that is gone.
import type { Anthropic } from '@anthropic-ai/sdk'
import type { ModelMessage, ModelTool } from './model.ts'

type Block = Anthropic.Beta.BetaContentBlockParam

/** The conversation without what the request's tools cannot account for. The same one where there is nothing of it. */
export function withoutServerTools(
  messages: readonly ModelMessage[],
  tools: readonly ModelTool[],
): readonly ModelMessage[] {
  if (!messages.some(({ role, content }) => role === 'assistant' && Array.isArray(content) && content.some(isServers)))
    return messages
  const offered = new Set(tools.map((tool) => ('name' in tool ? tool.name : '')))
  return messages.flatMap((message, index): ModelMessage[] => {
    const { role, content } = message
    // A paused answer is gone on with as it is.
    const isPaused = index === messages.length - 1
    if (role !== 'assistant' || typeof content === 'string' || isPaused) return [message]
    const kept = keepOffered(content, offered)
    return kept.length ? [{ ...message, content: kept }] : []
  })
}

function keepOffered(content: readonly Block[], offered: ReadonlySet<string>): Block[] {
  const results = new Set(content.flatMap((block) => (isServerResult(block) ? [block.tool_use_id] : [])))
  const gone = new Set<unknown>()
  return content.flatMap((block): Block[] => {
    if (block.type === 'server_tool_use') {
      // One that was left without a result (people wrote while it was paused) is refused by the API as well.
      if (offered.has(block.name) && results.has(block.id)) return [block]
      gone.add(block.id)
      return []
    }
    if (isServerResult(block) && gone.has(block.tool_use_id)) return []
    if (block.type === 'tool_search_tool_result') return [withoutGone(block, offered)]
    if (block.type === 'text' && block.citations && !offered.has('web_search')) {
      // They point into results that are not there.
      const { citations: _, ...text } = block
      return [text]
    }
    return [block]
  })
}

function withoutGone<T extends Extract<Block, { type: 'tool_search_tool_result' }>>(
  block: T,
  offered: ReadonlySet<string>,
): T {
  if (!('tool_references' in block.content)) return block
  const references = block.content.tool_references.filter(({ tool_name }) => offered.has(tool_name))
  return { ...block, content: { ...block.content, tool_references: references } }
}

const isServerResult = (block: Block): block is Block & { tool_use_id: string } =>
  block.type !== 'tool_result' && block.type.endsWith('_tool_result')

const isServers = (block: Block): boolean => block.type === 'server_tool_use' || isServerResult(block)
