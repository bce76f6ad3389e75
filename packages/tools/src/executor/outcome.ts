// What goes into the executor, what comes out, and what it tells on the way.
import type { Answer, Effect, Media, Summary, ToolQuestion } from '../contract.ts'
import type { Decision } from '../policy/decision.ts'
import type { PolicyContext } from '../policy/policy-config.ts'

export interface CallRequest {
  toolCallId: string
  /** As the model wrote it: canonical, API name or alias. */
  name: string
  arguments: unknown
  /** A person approved this very digest (see digest.ts). Anything else does not run. */
  approval?: { digest: string; by: string | null; via: 'answer' | 'lease' }
  /** The answer to the question of the tool's own suspension. */
  answer?: Answer
}

/** Whose call it is. */
export interface Caller {
  workspaceId: string
  conversationId: string
  runId: string
  agentId: string
  requesterId: string | null
  interactive: boolean
  /** Part of the digest: what was approved in one folder does not run in another. */
  workingDirectory?: string
  policy: PolicyContext
  /** Configuration of the agent's attachments, by canonical name. */
  configs?: ReadonlyMap<string, Readonly<Record<string, unknown>>>
  /** Stops the call from outside. */
  signal?: AbortSignal
}

export type FailureCode =
  | 'unknown_tool'
  | 'tool_unavailable'
  | 'invalid_arguments'
  | 'refused_by_policy'
  | 'denied'
  | 'changed_after_approval'
  | 'rate_limited'
  | 'missing_secret'
  | 'not_recorded'
  | 'timed_out'
  | 'stopped'
  | 'tool_failed'
  | 'tool_crashed'

/** Never an exception: every way a call can end is one of these. */
export type Outcome =
  | {
      kind: 'finished'
      tool: string
      effect: Effect
      success: boolean
      code: FailureCode | null
      /** For the model: redacted, wrapped where untrusted, cut to the limit. */
      output: string
      error: string | null
      data?: unknown
      media: readonly Media[]
      /** Bytes the tool wrote before it was cut. */
      outputBytes: number
      durationMs: number
      decision: Decision | null
      warnings: readonly string[]
      findings: readonly Finding[]
      /** Where the output came from, if it taints the run. */
      taint: readonly string[]
    }
  /** A person must decide. Call again with `approval` when they did. */
  | {
      kind: 'ask'
      tool: string
      effect: Effect
      arguments: unknown
      digest: string
      summary: Summary
      decision: Decision
    }
  /** The tool itself asks. Call again with `answer`. */
  | { kind: 'suspended'; tool: string; effect: Effect; question: ToolQuestion; decision: Decision }

/** Something in a result that a person should notice. Never what a protection rests on. */
export interface Finding {
  kind: 'injection' | 'secret' | 'hidden-text' | 'exfiltration'
  /** A sentence for people. */
  what: string
  excerpt: string
}

/**
 * The record of a call. Written before what it describes: where a write throws or answers false, the next thing does
 * not happen. May be synchronous.
 */
export interface Journal {
  requested?(call: RequestedCall): void | Promise<void>
  decided?(call: RequestedCall, decision: Decision): void | Promise<void>
  /** False: somebody else started it, or what would run is not what was recorded. */
  started?(call: RequestedCall): boolean | Promise<boolean>
  finished?(call: RequestedCall, outcome: Outcome): void | Promise<void>
}

export interface RequestedCall {
  toolCallId: string
  /** Canonical, or what was asked for where there is no such tool. */
  tool: string
  toolVersion: string
  effect: Effect
  idempotent: boolean
  arguments: unknown
  digest: string
  caller: Caller
}
