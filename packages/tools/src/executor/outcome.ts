// What goes into the executor, what comes out, and what it tells on the way.
import type { Answer, DelegatedTask, Effect, LeaseScope, Media, ModelUse, Summary, ToolQuestion } from '../contract.ts'
import type { Decision } from '../policy/decision.ts'
import type { PolicyContext } from '../policy/policy-config.ts'

export interface CallRequest {
  toolCallId: string
  /** As the model wrote it: canonical, API name or alias. */
  name: string
  arguments: unknown
  /** A person approved this very digest (see digest.ts). Anything else does not run. */
  approval?: { digest: string; by: string | null; via: 'answer' | 'lease' }
  /** A person said no, or nobody answered in time: the call is refused and recorded as refused. */
  denial?: { by: string | null; reason?: string }
  /** The answer to the question of the tool's own suspension. */
  answer?: Answer
  /** Where strangers' content in that answer came from: what others read for this call, it has read. */
  taint?: readonly string[]
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
  | 'output_limit'
  | 'tool_failed'
  | 'tool_crashed'
  /** A stage of ours broke. The call did not run, or its result was lost; the error says which. */
  | 'internal_error'

/** Never an exception: every way a call can end is one of these. */
export type Outcome = Finished | Asking | Suspended | Delegated

export interface Finished {
  kind: 'finished'
  /** Canonical, or what was asked for where there is no such tool. */
  tool: string
  effect: Effect
  success: boolean
  code: FailureCode | null
  /** For the model: redacted, wrapped where untrusted, cut to the limit. */
  output: string
  /** For the model and people, wrapped as well where an untrusted tool wrote it. */
  error: string | null
  /** For programs: redacted, but not wrapped. A model that is to read it gets it wrapped first where `taint` is set. */
  data?: unknown
  media: readonly Media[]
  /** Bytes the tool produced before they were cut. */
  outputBytes: number
  /** From the start of the tool to its end; 0 where it was not started. */
  durationMs: number
  decision: Decision | null
  warnings: readonly string[]
  findings: readonly Finding[]
  /** Where the output came from, if it taints the run. */
  taint: readonly string[]
  /** What models cost that the tool asked; absent where it asked none. */
  use?: ModelUse
}

/** A person must decide. Call again with `approval` or `denial` when they did. */
export interface Asking {
  kind: 'ask'
  tool: string
  effect: Effect
  /** What would run: the caller's arguments under our names, with configuration and defaults applied. */
  arguments: unknown
  digest: string
  /** Escaped for display. */
  summary: Summary
  decision: Decision
  /** Which calls a lease for this one speaks for; null where there is none to be had, nor one to be used. */
  leaseScope: LeaseScope | null
}

/** The tool itself asks. Call again with `answer`, and with `approval` again where there was one. */
export interface Suspended {
  kind: 'suspended'
  tool: string
  effect: Effect
  /** Redacted, not escaped: an option comes back as it is. Whoever renders it escapes it (guard/display.ts). */
  question: ToolQuestion
  decision: Decision
  taint: readonly string[]
}

/** The tool has work for others. Call again with `answer`, and with `taint`, when all of them have ended. */
export interface Delegated {
  kind: 'delegated'
  tool: string
  effect: Effect
  /** Redacted. */
  tasks: readonly DelegatedTask[]
  decision: Decision
  taint: readonly string[]
}

/** Something in a result that a person should notice. Never what a protection rests on. */
export interface Finding {
  kind: 'injection' | 'secret' | 'hidden-text' | 'exfiltration'
  /** A sentence for people. */
  what: string
  excerpt: string
}

/**
 * The record of a call. Written before what it describes: where a write throws or answers false, the next thing does
 * not happen. May be synchronous. A call that waits for a person comes by again from `requested` on, under the same id.
 */
export interface Journal {
  requested?(call: RequestedCall): void | Promise<void>
  decided?(call: RequestedCall, decision: Decision): void | Promise<void>
  /** False: somebody else started it, or what would run is not what was recorded. */
  started?(call: RequestedCall): boolean | Promise<boolean>
  /** However it went: refused, asking and suspended calls come here, too. */
  finished?(call: RequestedCall, outcome: Outcome): void | Promise<void>
}

export interface RequestedCall {
  readonly toolCallId: string
  /** Canonical, or what was asked for where there is no such tool. */
  readonly tool: string
  readonly toolVersion: string
  readonly effect: Effect
  readonly idempotent: boolean
  /** What would run; what was asked for where that could not be parsed, and null where it was too large to keep. */
  readonly arguments: unknown
  readonly digest: string
  readonly caller: Caller
}

/** Where the values of secrets come from. */
export interface SecretSource {
  /**
   * The values that a scope unlocks, by secret name. Null where the agent was not granted the scope, or where nothing
   * is stored for it: the call is refused either way. `toolName`: what they are for, to be remembered.
   */
  read(scope: string, caller: Caller, toolName: string): SecretValues | null | Promise<SecretValues | null>
}

export type SecretValues = ReadonlyMap<string, string>
