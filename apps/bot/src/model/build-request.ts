import type { Anthropic } from '@anthropic-ai/sdk'
import type { Tiers } from '@quartermaster/db'
import { limits } from '../limits.ts'
import { hasCompaction, markForCache, resolveContextEdits, withoutCompaction } from './context.ts'
import type { ModelRequest, ModelTool, WebSearch } from './model.ts'
import { withoutServerTools } from './server-tools.ts'
import { lastContextStep, leavesOutMedia, shrinkMessages } from './shrink-messages.ts'
import { resolveModelName, resolveModelSize } from './tiers.ts'

export interface BuiltRequest {
  params: Anthropic.Beta.MessageCreateParamsStreaming
  /** Names for the `anthropic-beta` header; where there is none, the request is a plain one. */
  betas: string[]
  contextStep: number
  /** About how large it is. */
  bytes: number
}

export interface BuildOptions {
  tiers: Tiers
  /** Whether the server understands `context_management`. */
  contextEdits: boolean
}

/** What is sent for a request at a step of leaving out; a later step when this one is still too large to be sent. */
export function buildRequest(request: ModelRequest, step: number, options: BuildOptions): BuiltRequest {
  for (let contextStep = step; ; contextStep++) {
    const built = buildAtStep(request, contextStep, options)
    if (built.bytes <= limits.modelRequestBytes || contextStep >= lastContextStep) return built
  }
}

function buildAtStep(request: ModelRequest, contextStep: number, options: BuildOptions): BuiltRequest {
  const model = resolveModelName(request.model, options.tiers)
  const messages = options.contextEdits ? request.messages : withoutCompaction(request.messages)
  const tools = [...(request.tools ?? []), ...webSearchTools(request.webSearch)]
  // What the API's own tools found is long, sealed, and cannot be shortened: it goes with the pictures.
  const known = withoutServerTools(messages, leavesOutMedia(contextStep) ? [] : tools)
  const marked = markForCache(request.system, tools, shrinkMessages(known, contextStep))
  const plain: Anthropic.Beta.MessageCreateParamsStreaming = {
    model,
    max_tokens: Math.min(request.maxTokens ?? limits.modelMaxTokens, resolveModelSize(model).outputTokens),
    stream: true,
    ...(marked.system && { system: marked.system }),
    messages: marked.messages,
    ...(marked.tools.length && { tools: marked.tools }),
    ...(request.toolChoice && marked.tools.length && { tool_choice: request.toolChoice }),
    ...(request.thinking && { thinking: request.thinking }),
    ...(request.effort && { output_config: { effort: request.effort } }),
    ...(request.personId && { metadata: { user_id: request.personId } }),
  }
  const bytes = roughBytes(plain)
  const edits = options.contextEdits ? resolveContextEdits(model, bytes, hasCompaction(request.messages)) : null
  return {
    params: edits ? { ...plain, context_management: edits.config } : plain,
    betas: edits?.betas ?? [],
    contextStep,
    bytes,
  }
}

/**
 * About how large a value is as JSON. The SDK writes the real one; writing it twice would cost a long conversation more
 * than everything else here. Where it is too low, the API says so and the next step follows.
 */
function roughBytes(value: unknown): number {
  if (typeof value === 'string') return value.length + 2
  if (typeof value !== 'object' || value === null) return 5
  if (Array.isArray(value)) return value.reduce<number>((sum, part) => sum + roughBytes(part) + 1, 2)
  let sum = 2
  for (const [name, part] of Object.entries(value)) sum += name.length + 4 + roughBytes(part)
  return sum
}

function webSearchTools(search: WebSearch | undefined): ModelTool[] {
  if (!search) return []
  return [
    {
      type: 'web_search_20260318',
      name: 'web_search',
      // The model searches by itself, not from code it writes: each search is then a step that people can see.
      allowed_callers: ['direct'],
      ...(search.maxUses && { max_uses: search.maxUses }),
      ...(search.allowedDomains?.length && { allowed_domains: search.allowedDomains }),
      ...(search.blockedDomains?.length && { blocked_domains: search.blockedDomains }),
    },
  ]
}
