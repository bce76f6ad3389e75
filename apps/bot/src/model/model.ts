import type { Anthropic } from '@anthropic-ai/sdk'
import type { ModelUsage } from './usage.ts'

/** Content as the API gives and takes it. A transcript stores these as they are, and sends them back as they are. */
export type ContentBlock = Anthropic.Beta.BetaContentBlock
export type ModelMessage = Anthropic.Beta.BetaMessageParam
export type ModelTool = Anthropic.Beta.BetaToolUnion
export type StopReason = Anthropic.Beta.BetaStopReason

/** The way to a model. Implementations keep nothing between two turns: everything a turn needs is in its request. */
export interface Model {
  /** Whether the server has the API's own tools (web search, tool search): only then may a request offer them. */
  readonly serverTools: boolean
  /**
   * One turn: sends the conversation, tells what comes while it comes, and resolves with the whole answer. Failures
   * that pass are tried again inside, so a rejection is final for this turn; it is always a `ModelError`, except for
   * what a listener throws.
   */
  stream(request: ModelRequest, options: StreamOptions): Promise<ModelTurn>
}

export interface ModelRequest {
  /** A tier (`fast`, `balanced`, `deep`) or a model's own name. */
  model: string
  system?: string
  /** The conversation from its beginning. Marks for the prompt cache are set by the implementation, not here. */
  messages: readonly ModelMessage[]
  /** Tools of ours, and the API's own where policy allows them. Their order should not change between turns. */
  tools?: readonly ModelTool[]
  /** Adds the API's own web search. */
  webSearch?: WebSearch
  toolChoice?: Anthropic.Beta.BetaToolChoice
  maxTokens?: number
  thinking?: Anthropic.Beta.BetaThinkingConfigParam
  effort?: NonNullable<Anthropic.Beta.BetaOutputConfig['effort']>
  /** An opaque id of the person, for the provider's abuse detection; never a name or an address. */
  personId?: string
  /**
   * How much of the conversation is left out from the first attempt on, as `ModelTurn.contextStep` told it. After a
   * turn that stopped with `model_context_window_exceeded`, one more than that turn's.
   */
  contextStep?: number
}

export interface WebSearch {
  maxUses?: number
  /** At most one of the two. */
  allowedDomains?: string[]
  blockedDomains?: string[]
}

export interface StreamOptions {
  /** Ends the turn at once, with its connection. */
  signal: AbortSignal
  /** Text to add to what is shown of this turn. */
  onText?(text: string): void
  /** The model has begun to ask for a tool; its arguments are still on their way, and may never arrive. */
  onToolStart?(tool: ToolStart): void
  /**
   * The stream broke, and the new answer is not the old one: of the text shown, only the first `keep` characters still
   * hold, and none of the tools told so far. Without this call nothing that was shown has to be taken back.
   */
  onRestart?(restart: { keep: number }): void
  /** An attempt failed, and the next one begins after `waitMs`. */
  onRetry?(retry: { attempt: number; kind: ModelErrorKind; waitMs: number }): void
}

export interface ToolStart {
  id: string
  name: string
  /** The API runs it itself (web search); nothing is to be executed. */
  server: boolean
}

export interface ModelTurn {
  /** As the API gave it. */
  content: ContentBlock[]
  /**
   * Why the answer ends. `pause_turn`: send the conversation again with this content to go on. `max_tokens` and
   * `model_context_window_exceeded`: it is cut. `refusal`: `refusal` may say more.
   */
  stopReason: StopReason
  refusal: { category: string | null; explanation: string | null } | null
  /** Tool calls that must not run: the answer was cut inside their arguments, or these are no JSON object. */
  brokenToolUses: BrokenToolUse[]
  usage: ModelUsage
  costMicros: number
  /** False where the price table lacks the model, and the cost is therefore counted at the dearest price. */
  priceKnown: boolean
  /** The model that answered, in its own words. */
  model: string
  /** How large the prompt was, for showing how full the conversation is. */
  promptTokens: number
  /** How much of the conversation was left out to make it fit; 0 is nothing. */
  contextStep: number
  attempts: number
  /** The provider's id of the request, for its support. */
  requestId: string | null
}

export interface BrokenToolUse {
  id: string
  name: string
  reason: 'cut' | 'not_json' | 'not_an_object'
  /** What arrived of the arguments, shortened. In the content they are `{}`, which the API takes back. */
  received: string
}

export const modelErrorKinds = [
  'overloaded',
  'rate_limited',
  'invalid_request',
  'authentication',
  'context_exceeded',
  'unreachable',
  'aborted',
] as const
export type ModelErrorKind = (typeof modelErrorKinds)[number]
