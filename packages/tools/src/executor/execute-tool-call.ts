// The order of events of every tool call. Each stage is a file beside this one, and answers with a Refusal where the
// call may not go on:
//
//   find tool → alias, configuration, arguments → completion → (record) → policy, hooks, autonomy, taint → (record) → question
//   → rate limit → secrets → (record) → run → validate output → redact → scan and wrap → truncate → (record)
//
// Nothing before this is trusted: a tool that the model was never shown is refused here all the same. Nothing comes out
// as an exception. No record, no execution: where a write before the run fails, the tool is not run.
//
// A call takes a microsecond or two: nothing is hashed, wrapped, timed or awaited that nobody needs. Measured in test/bench/tool-call.bench.ts.
import type { AnyTool, DelegatedTask, ToolQuestion } from '../contract.ts'
import { Redactor } from '../guard/redact.ts'
import type { Policy } from '../policy/policy.ts'
import type { ToolLookup } from '../tool-lookup.ts'
import { checkQuestion } from './check-question.ts'
import { completeArguments } from './complete-arguments.ts'
import { Deadlines } from './deadlines.ts'
import type { ToolEventListener } from './events.ts'
import { findTool } from './find-tool.ts'
import { finishResult, taintOf } from './finish-result.ts'
import type { Caller, CallRequest, Finished, Journal, Outcome, SecretSource, Suspended } from './outcome.ts'
import { parseArguments } from './parse-arguments.ts'
import { PendingCall } from './pending-call.ts'
import { checkRateLimit, RateLimiter } from './rate-limiter.ts'
import { describeThrown, readResult } from './read-result.ts'
import { Recorder } from './record.ts'
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
  const { registry, policy, secrets } = options
  const clock = options.clock ?? (() => performance.now())
  const rateLimiter = options.rateLimiter ?? new RateLimiter()
  const record = new Recorder(options.journal, options.onEvent)
  const services: RunServices = { deadlines: new Deadlines(), stopSignals: new StopSignals(), record }

  return async function executeToolCall(request, caller) {
    const call = new PendingCall(request, caller)
    let outcome: Outcome
    try {
      outcome = await passStages(request, call)
    } catch (error) {
      outcome = refuse(call, new Refusal('internal_error', describeInternal(error, call)))
    }
    return record.finished(call, outcome)
  }

  async function passStages(request: CallRequest, call: PendingCall): Promise<Outcome> {
    const { caller } = call

    // Find the tool, under whatever name it was asked for, and bring the arguments into its own form.
    const found = findTool(registry, request.name, caller)
    if (!(found instanceof Refusal)) call.isOf(found.tool)
    let parsed = found instanceof Refusal ? found : parseArguments(found, request.arguments, caller)
    if (!(found instanceof Refusal) && found.tool.complete && !(parsed instanceof Refusal))
      parsed = await completeArguments(found.tool, parsed, caller)
    if (parsed instanceof Refusal) call.wasAskedFor(request.arguments)
    else call.takes(parsed.arguments)
    const requesting = record.requested(call)
    const unrequested = requesting && (await requesting)
    if (unrequested) return refuse(call, unrequested)
    if (found instanceof Refusal) return refuse(call, found)
    if (parsed instanceof Refusal) return refuse(call, parsed)
    const { tool } = found

    // Decide: layers, rules, hooks, autonomy and taint, in this order, inside the policy.
    const decision = (typeof policy === 'function' ? policy() : policy).decide(tool, parsed.arguments, caller.policy)
    call.decision = decision
    const deciding = record.decided(call, decision)
    const undecided = deciding && (await deciding)
    if (undecided) return refuse(call, undecided)

    // A person decides where the policy says so, about exactly this call.
    record.answered(call, request)
    const question = checkQuestion(request, call, tool, decision)
    if (question instanceof Refusal) return refuse(call, question)
    if (question) {
      record.asked(call, question, null)
      return question
    }

    const limited = checkRateLimit(rateLimiter, tool, caller)
    if (limited) return refuse(call, limited)

    const values = tool.requiredSecretScopes?.length ? await resolveSecrets(tool, caller, secrets) : noSecrets
    if (values instanceof Refusal) return refuse(call, values)
    if (values.size > 0) call.redactor = new Redactor(values)

    // Run, if it still may, and only once that is on record.
    const late = checkStart(request, tool, caller)
    if (late) return refuse(call, late)
    const starting = record.started(call)
    const unstarted = starting && (await starting)
    if (unstarted) return refuse(call, unstarted)
    const running = new RunningCall(tool, call.toolCallId, caller, parsed.config, values, call.redactor, services)
    if (request.taint) running.taint.push(...request.taint)
    const start = clock()
    const ended = await running.run(parsed.arguments, request.answer)
    const durationMs = clock() - start

    // Read what came back, and make of it what the model, people and the record may see.
    const reading = readResult(ended, running)
    if (reading.kind === 'suspension') {
      const suspended = suspend(reading.question, running, call)
      record.asked(call, null, suspended.question)
      return { ...suspended, decision }
    }
    if (reading.kind === 'delegation') {
      const tasks = call.redactor ? (call.redactor.redactAll(reading.tasks) as DelegatedTask[]) : reading.tasks
      const taint = taintOf(running, call.redactor)
      return { kind: 'delegated', tool: tool.name, effect: call.effect, tasks, decision, taint }
    }
    const result = finishResult(reading, running, call.redactor)
    const { name } = tool
    const { effect } = call
    const { success } = reading.result
    const finished = { tool: name, effect, success, code: reading.code, durationMs, decision, ...result }
    return { kind: 'finished', ...finished, ...(running.use && { use: running.use }) }
  }
}

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

/** Stopped meanwhile, or an answer for a tool that cannot take one. */
function checkStart({ answer }: CallRequest, tool: AnyTool, { signal }: Caller): Refusal | null {
  if (signal?.aborted) return new Refusal('stopped', `Tool '${tool.name}' was stopped before it began.`)
  if (answer === undefined || tool.resume) return null
  return new Refusal('tool_failed', `Tool '${tool.name}' cannot go on with an answer. Call it again without one.`)
}

function suspend(
  asked: ToolQuestion,
  running: RunningCall,
  { redactor, effect }: PendingCall,
): Omit<Suspended, 'decision'> {
  const question = redactor ? (redactor.redactAll(asked) as ToolQuestion) : asked
  return { kind: 'suspended', tool: running.tool.name, effect, question, taint: taintOf(running, redactor) }
}

function describeInternal(error: unknown, call: PendingCall): string {
  const reason = describeThrown(error)
  return `Something inside Quartermaster failed while handling tool '${call.tool}': ${call.redactor?.redact(reason) ?? reason}`
}
