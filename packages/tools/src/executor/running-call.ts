// One start of a tool, from `execute` to its end or to the moment we stop waiting for it.
//
//   running → (timeout | stop | too much output) → aborted: the signal is set, the tool has limits.abortGraceMs
//   running | aborted → ended: the tool returned or threw
//   aborted → ended without the tool: it ignored its signal. Whatever it does from now on reaches nobody.
import type { Answer, AnyTool, ModelUse, ToolContext } from '../contract.ts'
import type { Redactor } from '../guard/redact.ts'
import { limits } from '../limits.ts'
import type { Deadlines, Due } from './deadlines.ts'
import type { Caller, SecretValues } from './outcome.ts'
import { OutputBuffer } from './output-buffer.ts'
import type { Recorder } from './record.ts'
import type { Stoppable, StopSignals } from './stop-signals.ts'

export type AbortReason = 'timed_out' | 'stopped' | 'output_limit'

export interface Ended {
  /** `abandoned`: the tool was aborted and did not end; `value` says nothing. */
  how: 'returned' | 'threw' | 'abandoned'
  value: unknown
  abortedFor: AbortReason | null
}

/** What the executor lends to each of its calls. */
export interface RunServices {
  deadlines: Deadlines
  stopSignals: StopSignals
  record: Recorder
}

export class RunningCall implements Due, Stoppable {
  readonly tool: AnyTool
  readonly toolCallId: string
  readonly caller: Caller
  readonly context: ToolContext
  readonly output: OutputBuffer
  /** What the tool itself named as strangers' content. */
  readonly taint: string[] = []
  /** What models cost that the tool asked; null where it asked none. */
  use: ModelUse | null = null
  readonly timeoutMs: number
  /** Whether the tool's own code was reached. */
  started = false
  readonly #redactor: Redactor | null
  readonly #services: RunServices
  readonly #controller = new AbortController()
  #abortedFor: AbortReason | null = null
  #ended = false
  #resolve: ((ended: Ended) => void) | null = null
  deadline = 0

  constructor(
    tool: AnyTool,
    toolCallId: string,
    caller: Caller,
    config: Readonly<Record<string, unknown>>,
    secrets: SecretValues,
    redactor: Redactor | null,
    services: RunServices,
  ) {
    this.tool = tool
    this.toolCallId = toolCallId
    this.caller = caller
    this.timeoutMs = tool.timeoutMs ?? limits.toolTimeoutMs
    this.output = new OutputBuffer(tool.maxOutputBytes ?? limits.outputBytes, redactor)
    this.#redactor = redactor
    this.#services = services
    // A plain object with functions of its own: tools take it apart and pass parts of it on.
    this.context = {
      signal: this.#controller.signal,
      workspaceId: caller.workspaceId,
      conversationId: caller.conversationId,
      runId: caller.runId,
      toolCallId,
      agentId: caller.agentId,
      requesterId: caller.requesterId,
      interactive: caller.interactive,
      config,
      secrets,
      write: (chunk) => this.#write(chunk),
      progress: (line) => this.#progress(line),
      taint: (source) => this.#addTaint(source),
      spend: (use) => this.#spend(use),
    }
  }

  /** Once. Never rejects. */
  run(args: unknown, answer: Answer | undefined): Promise<Ended> {
    return new Promise((resolve) => {
      this.#resolve = resolve
      const { signal } = this.caller
      if (signal !== undefined) {
        this.#services.stopSignals.add(signal, this)
        if (signal.aborted) this.#abort('stopped')
      }
      // Stopped before it began: it does not begin.
      if (this.#abortedFor !== null) return this.#end('abandoned', undefined)
      this.deadline = performance.now() + this.timeoutMs
      this.#services.deadlines.add(this)
      this.started = true
      try {
        const returned =
          answer === undefined ? this.tool.execute(args, this.context) : this.tool.resume?.(args, answer, this.context)
        Promise.resolve(returned).then(
          (value) => this.#end('returned', value),
          (error) => this.#end('threw', error),
        )
      } catch (error) {
        this.#end('threw', error)
      }
    })
  }

  onDeadline(): void {
    if (this.#abortedFor === null) this.#abort('timed_out')
    else this.#end('abandoned', undefined)
  }

  onStop(): void {
    this.#abort('stopped')
  }

  #abort(reason: AbortReason): void {
    if (this.#ended || this.#abortedFor !== null) return
    this.#abortedFor = reason
    this.#services.deadlines.remove(this)
    this.deadline = performance.now() + limits.abortGraceMs
    this.#services.deadlines.add(this)
    this.#services.record.aborted(this, reason)
    const name = reason === 'timed_out' ? 'TimeoutError' : 'AbortError'
    this.#controller.abort(new DOMException(describeAbort(reason, this), name))
  }

  #end(how: Ended['how'], value: unknown): void {
    if (this.#ended) return
    this.#ended = true
    this.#services.deadlines.remove(this)
    if (this.caller.signal !== undefined) this.#services.stopSignals.remove(this.caller.signal, this)
    this.#resolve?.({ how, value, abortedFor: this.#abortedFor })
    this.#resolve = null
  }

  #write(chunk: string | Uint8Array): boolean {
    if (this.#ended) return false
    if (typeof chunk !== 'string' && !(chunk instanceof Uint8Array))
      throw new TypeError('write takes a string or bytes')
    if (this.output.append(chunk)) return this.#abortedFor === null
    this.#abort('output_limit')
    return false
  }

  #progress(line: string): void {
    if (this.#ended) return
    const text = String(line)
    const safe = this.#redactor === null ? text : this.#redactor.redactHead(text)
    this.#services.record.progressed(this, safe.slice(0, limits.progressCharacters))
  }

  #spend({ inputTokens, outputTokens, costMicros }: ModelUse): void {
    const before = this.use ?? { inputTokens: 0, outputTokens: 0, costMicros: 0 }
    this.use = {
      inputTokens: before.inputTokens + inputTokens,
      outputTokens: before.outputTokens + outputTokens,
      costMicros: before.costMicros + costMicros,
    }
  }

  #addTaint(source: string): void {
    if (!this.#ended && this.taint.length < limits.taintSources) this.taint.push(String(source).slice(0, 500))
  }
}

export function describeAbort(reason: AbortReason, { tool, timeoutMs }: { tool: AnyTool; timeoutMs: number }): string {
  switch (reason) {
    case 'timed_out':
      return `Tool '${tool.name}' timed out after ${timeoutMs}ms`
    case 'stopped':
      return `Tool '${tool.name}' was stopped`
    case 'output_limit':
      return `Tool '${tool.name}' was stopped because it wrote more than ${tool.maxOutputBytes ?? limits.outputBytes} bytes`
  }
}
