// What the executor tells while it works: one event for every transition, for live pages, metrics and logs. Events are
// news, the journal is the record; a listener that throws changes nothing.
import type { Effect, ToolQuestion } from '../contract.ts'
import type { Decision } from '../policy/decision.ts'
import type { Asking, Caller, Finished } from './outcome.ts'

export type ToolEvent = { toolCallId: string; tool: string; caller: Caller } & (
  | { type: 'tool-call-request'; effect: Effect; arguments: unknown }
  | { type: 'decision'; decision: Decision }
  /** The policy asks (`ask`), or the tool does (`question`). */
  | { type: 'question-ask'; ask: Asking | null; question: ToolQuestion | null }
  | { type: 'question-answer'; verdict: 'approve' | 'deny'; by: string | null }
  | { type: 'tool-call-start'; effect: Effect }
  | { type: 'tool-call-progress'; line: string }
  /** The signal was aborted; the tool has its grace to end. */
  | { type: 'tool-call-abort'; reason: 'timed_out' | 'stopped' | 'output_limit' }
  | { type: 'tool-call-end'; outcome: Finished }
)

export type ToolEventListener = (event: ToolEvent) => void

export function emit(listener: ToolEventListener, event: ToolEvent): void {
  try {
    const result: unknown = listener(event)
    // An async listener is accepted by the type; its rejection is as little our business.
    if (result instanceof Promise) result.catch(() => {})
  } catch {
    // The call goes on: whoever listens has its own log for its own failures.
  }
}
