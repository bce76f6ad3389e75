// One call on its way through the stages, as the journal sees it.
import type { AnyTool, Effect } from '../contract.ts'
import type { Redactor } from '../guard/redact.ts'
import { limits } from '../limits.ts'
import { effectOfCall } from '../policy/autonomy.ts'
import type { Decision } from '../policy/decision.ts'
import { toolVersion } from '../tool-version.ts'
import { digestOf } from './digest.ts'
import { problemOfJson } from './measure-json.ts'
import type { Caller, CallRequest, RequestedCall } from './outcome.ts'

export class PendingCall implements RequestedCall {
  readonly toolCallId: string
  readonly caller: Caller
  tool: string
  effect: Effect = 'read'
  idempotent = false
  arguments: unknown = null
  decision: Decision | null = null
  redactor: Redactor | null = null
  #tool: AnyTool | null = null
  #digest: string | null = null

  constructor(request: CallRequest, caller: Caller) {
    this.toolCallId = request.toolCallId
    this.caller = caller
    this.tool = typeof request.name === 'string' ? request.name : ''
    if (this.tool.length > limits.toolNameLength) this.tool = this.tool.slice(0, limits.toolNameLength)
  }

  isOf(tool: AnyTool): void {
    this.#tool = tool
    this.tool = tool.name
    this.idempotent = tool.idempotent === true
    this.effect = tool.effect
  }

  /** What would run. The effect may depend on it. */
  takes(args: unknown): void {
    this.arguments = args
    if (this.#tool?.effectOf) this.effect = effectOfCall(this.#tool, args)
  }

  /** What was asked for, where that could not be parsed. Recorded, unless it is no JSON or too much of it. */
  wasAskedFor(args: unknown): void {
    this.arguments = problemOfJson(args, limits.argumentBytes) === null ? args : null
  }

  get toolVersion(): string {
    return this.#tool === null ? '' : toolVersion(this.#tool)
  }

  /** Computed where somebody asks for it: most calls are neither asked about nor recorded with one. */
  get digest(): string {
    this.#digest ??= digestOf(this.toolVersion, this.arguments, this.caller.workingDirectory)
    return this.#digest
  }
}
