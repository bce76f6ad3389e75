// The order of events of every tool call. Each stage is a file beside this one, and answers with a Refusal where the
// call may not go on:
//
//   find tool → alias, configuration, arguments → (record) → policy, hooks, autonomy, taint → (record) → question
//   → rate limit → secrets → (record) → run → validate output → redact → scan and wrap → truncate → (record)
//
// Nothing before this is trusted: a tool that the model was never shown is refused here all the same. Nothing comes out
// as an exception. No record, no execution: where a write before the run fails, the tool is not run.
//
// A call takes a few microseconds: nothing is awaited that is not a promise, nothing is hashed, wrapped or timed that
// nobody needs. Measured in test/bench/tool-call.bench.ts.
import { Redactor } from '../guard/redact.ts'
import type { Policy } from '../policy/policy.ts'
import type { ToolLookup } from '../tool-lookup.ts'
import { checkQuestion } from './check-question.ts'
import { Deadlines } from './deadlines.ts'
import { emit, type ToolEvent, type ToolEventListener } from './events.ts'
import { findTool } from './find-tool.ts'
import { finishResult, taintOf } from './finish-result.ts'
import type { Caller, CallRequest, Finished, Journal, Outcome, SecretSource } from './outcome.ts'
import { parseArguments } from './parse-arguments.ts'
import { PendingCall } from './pending-call.ts'
import { describeRateLimit, RateLimiter } from './rate-limiter.ts'
import { describeThrown, readResult } from './read-result.ts'
import { Refusal } from './refusal.ts'
import { noSecrets, resolveSecrets } from './resolve-secrets.ts'
import { RunningCall, type RunServices } from './running-call.ts'
import { StopSignals } from './stop-signals.ts'

export interface ExecutorOptions {
  registry: ToolLookup
  /** Asked anew for every call, so that a changed policy holds from the next call on. */
  policy: Policy | (() => Policy)
  journal?: Journal
  secrets?: SecretSource
  rateLimiter?: RateLimiter
  onEvent?: ToolEventListener
  /** Milliseconds, for durations; `performance.now` where none is given. */
  clock?: () => number
}

export type ExecuteToolCall = (request: CallRequest, caller: Caller) => Promise<Outcome>

export function createExecutor(options: ExecutorOptions): ExecuteToolCall {
  const { registry, policy, journal, secrets, onEvent } = options
  const clock = options.clock ?? (() => performance.now())
  const rateLimiter = options.rateLimiter ?? new RateLimiter()
  const services: RunServices = {
    deadlines: new Deadlines(),
    stopSignals: new StopSignals(),
    onProgress: onEvent ? (call, line) => tell(call, { type: 'tool-call-progress', line }) : null,
    onAbort: onEvent ? (call, reason) => tell(call, { type: 'tool-call-abort', reason }) : null,
  }

  return executeToolCall

  async function executeToolCall(request: CallRequest, caller: Caller): Promise<Outcome> {
    const call = new PendingCall(request, caller)
    let outcome: Outcome
    try {
      outcome = await passStages(request, call)
    } catch (error) {
      outcome = refuse(call, new Refusal('internal_error', describeInternal(error, call)))
    }
    if (onEvent && outcome.kind === 'finished') tellOf(call, { type: 'tool-call-end', outcome })
    if (journal?.finished) {
      const lost = failureOf(() => journal.finished?.(call, outcome))
      const reason = isPromise(lost) ? await lost : lost
      // What happened has happened: the result is returned, with the truth about its record.
      if (reason !== null && outcome.kind === 'finished') {
        outcome = {
          ...outcome,
          warnings: [...outcome.warnings, `The end of this call could not be recorded: ${reason}`],
        }
      }
    }
    return outcome
  }

  async function passStages(request: CallRequest, call: PendingCall): Promise<Outcome> {
    const { caller } = call

    // Find the tool, under whatever name it was asked for, and bring the arguments into its own form.
    const found = findTool(registry, request.name, caller)
    if (!(found instanceof Refusal)) call.isOf(found.tool)
    const parsed = found instanceof Refusal ? found : parseArguments(found, request.arguments, caller)
    if (parsed instanceof Refusal) call.wasAskedFor(request.arguments)
    else call.takes(parsed.arguments)
    if (onEvent) tellOf(call, { type: 'tool-call-request', effect: call.effect, arguments: call.arguments })
    if (journal?.requested) {
      const failure = failureOf(() => journal.requested?.(call))
      const reason = isPromise(failure) ? await failure : failure
      if (reason !== null) return refuse(call, notRecorded(call, reason))
    }
    if (found instanceof Refusal) return refuse(call, found)
    if (parsed instanceof Refusal) return refuse(call, parsed)
    const { tool } = found

    // Decide: layers, rules, hooks, autonomy and taint, in this order, inside the policy.
    const rules = typeof policy === 'function' ? policy() : policy
    const decision = rules.decide(tool, parsed.arguments as never, caller.policy)
    call.decision = decision
    if (onEvent) tellOf(call, { type: 'decision', decision })
    if (journal?.decided) {
      const failure = failureOf(() => journal.decided?.(call, decision))
      const reason = isPromise(failure) ? await failure : failure
      if (reason !== null) return refuse(call, notRecorded(call, reason))
    }

    // A person decides where the policy says so, about exactly this call.
    const question = checkQuestion(request, call, tool, decision)
    if (onEvent) tellOfAnswer(request, call)
    if (question instanceof Refusal) return refuse(call, question)
    if (question !== null) {
      if (onEvent) tellOf(call, { type: 'question-ask', ask: question, question: null })
      return question
    }

    if (tool.rateLimit) {
      const waitMs = rateLimiter.take(`${caller.workspaceId}\0${caller.agentId}\0${tool.name}`, tool.rateLimit)
      if (waitMs !== null) {
        return refuse(call, new Refusal('rate_limited', describeRateLimit(tool.name, tool.rateLimit, waitMs)))
      }
    }

    const values = tool.requiredSecretScopes?.length ? await resolveSecrets(tool, caller, secrets) : noSecrets
    if (values instanceof Refusal) return refuse(call, values)
    if (values.size > 0) call.redactor = new Redactor(values)

    if (request.answer !== undefined && !tool.resume) {
      return refuse(
        call,
        new Refusal('tool_failed', `Tool '${tool.name}' cannot go on with an answer. Call it again without one.`),
      )
    }
    if (caller.signal?.aborted)
      return refuse(call, new Refusal('stopped', `Tool '${tool.name}' was stopped before it began.`))
    if (journal) {
      // While the arguments are what was decided on: a tool may change the object it is given.
      void call.digest
      const failure = journal.started ? failureOf(() => journal.started?.(call)) : null
      const reason = isPromise(failure) ? await failure : failure
      if (reason !== null) return refuse(call, notRecorded(call, reason))
    }

    if (onEvent) tellOf(call, { type: 'tool-call-start', effect: call.effect })
    const running = new RunningCall(tool, call.toolCallId, caller, parsed.config, values, call.redactor, services)
    const start = clock()
    const ended = await running.run(parsed.arguments, request.answer)
    const durationMs = clock() - start

    const reading = readResult(ended, running)
    if (reading.kind === 'suspension') {
      const question = call.redactor
        ? (call.redactor.redactAll(reading.question) as typeof reading.question)
        : reading.question
      if (onEvent) tellOf(call, { type: 'question-ask', ask: null, question })
      const taint = taintOf(running, call.redactor)
      return { kind: 'suspended', tool: tool.name, effect: call.effect, question, decision, taint }
    }
    const { output, error, data, media, outputBytes, warnings, findings, taint } = finishResult(
      reading,
      running,
      call.redactor,
    )
    const { success } = reading.result
    return {
      kind: 'finished',
      tool: tool.name,
      effect: call.effect,
      success,
      code: reading.code,
      output,
      error,
      data,
      media,
      outputBytes,
      durationMs,
      decision,
      warnings,
      findings,
      taint,
    }
  }

  function tellOf(call: PendingCall, event: Told): void {
    if (onEvent) emit(onEvent, { toolCallId: call.toolCallId, tool: call.tool, caller: call.caller, ...event })
  }

  function tell({ toolCallId, tool, caller }: RunningCall, event: Told): void {
    if (onEvent) emit(onEvent, { toolCallId, tool: tool.name, caller, ...event })
  }

  function tellOfAnswer({ approval, denial, answer }: CallRequest, call: PendingCall): void {
    if (denial) tellOf(call, { type: 'question-answer', verdict: 'deny', by: denial.by })
    else if (answer) tellOf(call, { type: 'question-answer', verdict: answer.verdict, by: answer.memberId })
    else if (approval) tellOf(call, { type: 'question-answer', verdict: 'approve', by: approval.by })
  }
}

type Told = ToolEvent extends infer Event
  ? Event extends ToolEvent
    ? Omit<Event, 'toolCallId' | 'tool' | 'caller'>
    : never
  : never

const none: readonly never[] = []

function refuse(call: PendingCall, { code, error }: Refusal): Finished {
  return {
    kind: 'finished',
    tool: call.tool,
    effect: call.effect,
    success: false,
    code,
    output: '',
    error,
    data: undefined,
    media: none,
    outputBytes: 0,
    durationMs: 0,
    decision: call.decision,
    warnings: none,
    findings: none,
    taint: none,
  }
}

/** Why a write failed; null where it did not. A promise only where the journal answers with one. */
function failureOf(write: () => unknown): string | null | Promise<string | null> {
  try {
    const written = write()
    if (isPromise(written)) return written.then(failureOfAnswer, describeThrown)
    return failureOfAnswer(written)
  } catch (error) {
    return describeThrown(error)
  }
}

const failureOfAnswer = (answer: unknown): string | null =>
  answer === false ? 'it was started elsewhere, or is not what was recorded' : null

const isPromise = <T>(value: T): value is T & Promise<Awaited<T>> =>
  typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'

const notRecorded = (call: PendingCall, reason: string): Refusal =>
  new Refusal('not_recorded', `Tool '${call.tool}' was not run, because the call could not be recorded: ${reason}`)

function describeInternal(error: unknown, call: PendingCall): string {
  const reason = describeThrown(error)
  return `Something inside Quartermaster failed while handling tool '${call.tool}': ${call.redactor?.redact(reason) ?? reason}`
}
