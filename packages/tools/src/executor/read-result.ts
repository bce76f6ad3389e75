// What a tool came back with, whatever it was: a result, a suspension, nothing, an error, a string somebody threw.
import type { AnyTool, DelegatedTask, Delegation, Media, Suspension, ToolQuestion, ToolResult } from '../contract.ts'
import type { FailureCode } from './outcome.ts'
import { describeAbort, type Ended, type RunningCall } from './running-call.ts'

export type Reading =
  | {
      kind: 'result'
      result: ToolResult
      code: FailureCode | null
      warning: string | null
      /** Whether the error has words of the tool's in it, or only ours. */
      quotes: boolean
    }
  | { kind: 'suspension'; question: ToolQuestion }
  | { kind: 'delegation'; tasks: readonly DelegatedTask[] }

export function readResult(ended: Ended, call: RunningCall): Reading {
  if (ended.abortedFor !== null) return readAborted(ended, call)
  if (ended.how === 'threw') {
    return { ...broken(`Tool '${call.tool.name}' failed: ${describeThrown(ended.value)}`), quotes: true }
  }
  return readReturned(ended.value, call.tool)
}

/** It was told to stop. What it says itself still counts: it knows best whether it was done. */
function readAborted(ended: Ended, call: RunningCall): Reading {
  const code = ended.abortedFor as NonNullable<Ended['abortedFor']>
  const what = describeAbort(code, call)
  if (ended.how === 'abandoned') {
    const error = call.started
      ? `${what}. It did not end when it was told to and may still be running; nobody knows what it did.`
      : `${what} before it began.`
    return failure(code, error)
  }
  if (ended.how === 'threw') return failure(code, `${what}.`)
  const reading = readReturned(ended.value, call.tool)
  if (reading.kind !== 'result' || reading.code === 'tool_crashed') return failure(code, `${what}.`)
  if (reading.result.success) return { ...reading, warning: `${what}, and reported success all the same.` }
  const said = reading.result.error ? ` It says: ${reading.result.error}` : ''
  return { ...reading, code, result: { ...reading.result, error: `${what}.${said}` }, quotes: said !== '' }
}

function readReturned(value: unknown, tool: AnyTool): Reading {
  if (value === undefined || value === null) return broken(`Tool '${tool.name}' returned nothing.`)
  if (typeof value !== 'object') return broken(`Tool '${tool.name}' returned a ${typeof value} instead of a result.`)
  try {
    if ('suspend' in value) return readSuspension(value as Suspension, tool)
    return readToolResult(value as ToolResult, tool)
  } catch (error) {
    return broken(`Tool '${tool.name}' returned a result that cannot be read: ${describeThrown(error)}`)
  }
}

function readToolResult(value: ToolResult, tool: AnyTool): Reading {
  const { success, output, error, data, media } = value
  if (typeof success !== 'boolean')
    return broken(`Tool '${tool.name}' returned something that is not a result: it has no success.`)
  if (typeof output !== 'string')
    return broken(`Tool '${tool.name}' returned something that is not a result: its output is not a string.`)
  if (success)
    return {
      kind: 'result',
      result: { success, output, data, media: readMedia(media) },
      code: null,
      warning: null,
      quotes: false,
    }
  const reason = typeof error === 'string' && error !== '' ? error : `Tool '${tool.name}' failed without saying why.`
  return {
    kind: 'result',
    result: { success, output, error: reason, data, media: readMedia(media) },
    code: 'tool_failed',
    warning: null,
    quotes: true,
  }
}

const none: readonly Media[] = []

function readMedia(media: unknown): readonly Media[] {
  if (!Array.isArray(media)) return none
  return media.flatMap((entry: Partial<Media> | null) => {
    if (typeof entry?.mimeType !== 'string' || typeof entry.data !== 'string') return []
    const named = typeof entry.filename === 'string' ? { filename: entry.filename } : {}
    return [{ mimeType: entry.mimeType, data: entry.data, ...named }]
  })
}

function readSuspension({ suspend }: Suspension, tool: AnyTool): Reading {
  if (suspend?.kind === 'runs') return readDelegation(suspend, tool)
  const wrong = problemOfQuestion(suspend)
  if (wrong) return broken(`Tool '${tool.name}' asked a question that cannot be shown: ${wrong}.`)
  // Otherwise the answer would be asked for and go nowhere.
  if (!tool.resume) return broken(`Tool '${tool.name}' asked a question, but cannot go on with the answer.`)
  return { kind: 'suspension', question: suspend }
}

function readDelegation({ tasks }: Delegation, tool: AnyTool): Reading {
  const isTask = ({ title, task, agentId }: Partial<Record<string, unknown>>) =>
    [title, task].every((text) => typeof text === 'string' && text.trim() !== '') &&
    (agentId === undefined || typeof agentId === 'string')
  if (!isListOf(tasks, (task) => isTask(Object(task))))
    return broken(
      `Tool '${tool.name}' has work for others that cannot be read: it needs tasks with a title and a text.`,
    )
  if (!tool.resume) return broken(`Tool '${tool.name}' has work for others, but cannot go on with what they did.`)
  return { kind: 'delegation', tasks }
}

const kinds = ['confirmation', 'choice', 'multi_choice', 'text', 'form', 'plan']

function problemOfQuestion(question: unknown): string | null {
  if (typeof question !== 'object' || question === null) return 'it is not an object'
  const { kind, title, options, tabs } = question as Record<string, unknown>
  if (typeof kind !== 'string' || !kinds.includes(kind)) return `its kind is none of ${kinds.join(', ')}`
  if (typeof title !== 'string' || title === '') return 'it has no title'
  if (kind.endsWith('choice') && !isListOf(options, (option) => typeof option === 'string')) return 'it has no options'
  if (kind === 'form' && !isListOf(tabs, (tab) => typeof (tab as { question?: unknown } | null)?.question === 'string'))
    return 'it has no tabs'
  return null
}

const isListOf = (value: unknown, holds: (entry: unknown) => boolean): boolean =>
  Array.isArray(value) && value.length > 0 && value.every(holds)

/** "TypeError: x is not a function". Whatever was thrown, even what throws again when it is looked at. */
export function describeThrown(thrown: unknown): string {
  try {
    if (thrown instanceof Error) return thrown.message ? `${thrown.name}: ${thrown.message}` : thrown.name
    if (typeof thrown === 'string') return thrown
    if (thrown === undefined || thrown === null) return `it threw ${thrown}`
    const text = typeof thrown === 'object' ? JSON.stringify(thrown) : String(thrown)
    return `it threw ${text}`
  } catch {
    return 'it threw something that cannot be shown'
  }
}

const failure = (code: FailureCode, error: string): Reading & { kind: 'result' } => ({
  kind: 'result',
  result: { success: false, output: '', error, media: none },
  code,
  warning: null,
  quotes: false,
})
const broken = (error: string) => failure('tool_crashed', error)
