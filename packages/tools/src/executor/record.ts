// Tells every transition of a call: to the journal, which may stop it, and to whoever listens, who may not.
import type { ToolQuestion } from '../contract.ts'
import type { Decision } from '../policy/decision.ts'
import { emit, type ToolEvent, type ToolEventListener } from './events.ts'
import type { Asking, Caller, CallRequest, Journal, Outcome } from './outcome.ts'
import type { PendingCall } from './pending-call.ts'
import { describeThrown } from './read-result.ts'
import { Refusal } from './refusal.ts'
import type { AbortReason, RunningCall } from './running-call.ts'

/** Null where it was recorded. A promise only where the journal answers with one. */
type Recorded = Refusal | null | Promise<Refusal | null>

export class Recorder {
  readonly #journal: Journal
  readonly #listener: ToolEventListener | null

  constructor(journal: Journal | undefined, listener: ToolEventListener | undefined) {
    this.#journal = journal ?? {}
    this.#listener = listener ?? null
  }

  requested(call: PendingCall): Recorded {
    const { effect, arguments: args } = call
    if (this.#listener) this.#tell(call, call.tool, { type: 'tool-call-request', effect, arguments: args })
    return this.#journal.requested ? recorded(call, () => this.#journal.requested?.(call)) : null
  }

  decided(call: PendingCall, decision: Decision): Recorded {
    if (this.#listener) this.#tell(call, call.tool, { type: 'decision', decision })
    return this.#journal.decided ? recorded(call, () => this.#journal.decided?.(call, decision)) : null
  }

  answered(call: PendingCall, { approval, denial, answer }: CallRequest): void {
    if (denial) this.#tell(call, call.tool, { type: 'question-answer', verdict: 'deny', by: denial.by })
    else if (answer)
      this.#tell(call, call.tool, { type: 'question-answer', verdict: answer.verdict, by: answer.memberId })
    else if (approval) this.#tell(call, call.tool, { type: 'question-answer', verdict: 'approve', by: approval.by })
  }

  asked(call: PendingCall, ask: Asking | null, question: ToolQuestion | null): void {
    if (this.#listener) this.#tell(call, call.tool, { type: 'question-ask', ask, question })
  }

  started(call: PendingCall): Recorded {
    const { started, finished } = this.#journal
    // While the arguments are what was decided on: a tool may change the object it is given.
    if (started || finished) void call.digest
    const written = started ? recorded(call, () => this.#journal.started?.(call)) : null
    if (this.#listener && written === null) this.#tellOfStart(call)
    return written instanceof Promise ? written.then((lost) => this.#startedAt(call, lost)) : written
  }

  progressed(call: RunningCall, line: string): void {
    if (this.#listener) this.#tell(call, call.tool.name, { type: 'tool-call-progress', line })
  }

  aborted(call: RunningCall, reason: AbortReason): void {
    if (this.#listener) this.#tell(call, call.tool.name, { type: 'tool-call-abort', reason })
  }

  /** The outcome as it is returned. What happened has happened: where its end is not recorded, it says so. */
  finished(call: PendingCall, outcome: Outcome): Outcome | Promise<Outcome> {
    if (this.#listener && outcome.kind === 'finished') this.#tell(call, call.tool, { type: 'tool-call-end', outcome })
    if (!this.#journal.finished) return outcome
    const reason = failureOf(() => this.#journal.finished?.(call, outcome))
    if (reason instanceof Promise) return reason.then((why) => withLostEnd(outcome, why))
    return withLostEnd(outcome, reason)
  }

  #startedAt(call: PendingCall, lost: Refusal | null): Refusal | null {
    if (lost === null && this.#listener) this.#tellOfStart(call)
    return lost
  }

  #tellOfStart(call: PendingCall): void {
    this.#tell(call, call.tool, { type: 'tool-call-start', effect: call.effect })
  }

  #tell({ toolCallId, caller }: { toolCallId: string; caller: Caller }, tool: string, event: Told): void {
    if (this.#listener) emit(this.#listener, { toolCallId, tool, caller, ...event })
  }
}

type Told = ToolEvent extends infer Event
  ? Event extends ToolEvent
    ? Omit<Event, 'toolCallId' | 'tool' | 'caller'>
    : never
  : never

/** No record, no execution. */
function recorded(call: PendingCall, write: () => unknown): Recorded {
  const reason = failureOf(write)
  if (reason === null) return null
  return reason instanceof Promise
    ? reason.then((why) => (why === null ? null : notRecorded(call, why)))
    : notRecorded(call, reason)
}

const notRecorded = (call: PendingCall, reason: string): Refusal =>
  new Refusal('not_recorded', `Tool '${call.tool}' was not run, because the call could not be recorded: ${reason}`)

/** Why a write failed; null where it did not. */
function failureOf(write: () => unknown): string | null | Promise<string | null> {
  try {
    const answer = write()
    if (typeof answer !== 'object' || answer === null) return failureOfAnswer(answer)
    return Promise.resolve(answer).then(failureOfAnswer, describeThrown)
  } catch (error) {
    return describeThrown(error)
  }
}

const failureOfAnswer = (answer: unknown): string | null =>
  answer === false ? 'it was started elsewhere, or is not what was recorded' : null

function withLostEnd(outcome: Outcome, reason: string | null): Outcome {
  if (reason === null || outcome.kind !== 'finished') return outcome
  return { ...outcome, warnings: [...outcome.warnings, `The end of this call could not be recorded: ${reason}`] }
}
