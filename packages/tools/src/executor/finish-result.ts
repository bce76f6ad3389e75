// From what the tool returned to what the model, people and the record get:
// validate → redact → scan and wrap → truncate. The cut itself happened while the output streamed in (output-buffer.ts),
// which is why the notice about it can stand outside the boundary markers: it is ours, not the strangers'.
import type { AnyTool, Media, ToolResult } from '../contract.ts'
import type { Redactor } from '../guard/redact.ts'
import { scanInjection } from '../guard/scan-injection.ts'
import { wrapUntrusted } from '../guard/untrusted.ts'
import { limits } from '../limits.ts'
import { compileSchema } from '../validate.ts'
import { problemOfJson } from './measure-json.ts'
import type { Finding } from './outcome.ts'
import { cutBytes, truncationNotice } from './output-buffer.ts'
import { describeThrown, type Reading } from './read-result.ts'
import type { RunningCall } from './running-call.ts'

export interface FinishedResult {
  output: string
  error: string | null
  data: unknown
  media: readonly Media[]
  outputBytes: number
  warnings: readonly string[]
  findings: readonly Finding[]
  taint: readonly string[]
}

const none: readonly never[] = []

export function finishResult(
  reading: Reading & { kind: 'result' },
  call: RunningCall,
  redactor: Redactor | null,
): FinishedResult {
  const { result, warning } = reading
  const { tool, output: buffer } = call
  const warnings: string[] = warning === null ? [] : [warning]
  const untrusted = call.started && (tool.untrusted === true || call.taint.length > 0)
  const data = validateData(result, tool, untrusted, warnings)
  if (result.output !== '') buffer.append(result.output)
  const { text, hiddenBytes } = buffer.end()
  const finished: FinishedResult = {
    output: text,
    error:
      result.error === undefined
        ? null
        : cutError(redactor === null ? result.error : redactor.redactHead(result.error)),
    data: redactor === null ? data : redactor.redactAll(data),
    media: result.media?.length ? finishMedia(result.media, redactor, warnings) : none,
    outputBytes: buffer.produced,
    warnings:
      warnings.length === 0 ? none : redactor === null ? warnings : warnings.map((line) => redactor.redact(line)),
    findings: none,
    taint: none,
  }
  if (redactor !== null && redactor.found.size > 0) finished.findings = [...redactor.found].map(secretFinding)
  if (untrusted) wrap(finished, taintOf(call, redactor), reading.quotes)
  if (hiddenBytes > 0) finished.output += truncationNotice(hiddenBytes)
  return finished
}

function validateData({ success, data }: ToolResult, tool: AnyTool, untrusted: boolean, warnings: string[]): unknown {
  if (data !== undefined) {
    const problem = problemOfData(data)
    if (problem) {
      warnings.push(`The data of tool '${tool.name}' was left out: it is ${problem}.`)
      return undefined
    }
  }
  if (tool.outputSchema === undefined || !success) return data
  try {
    const validation = compileSchema(tool.outputSchema).validate(data)
    if (!validation.ok) {
      const what = `The data of tool '${tool.name}' do not match its output schema`
      // A violation names keys, and strangers' keys are strangers' text, which has no place outside its markers.
      if (untrusted) {
        warnings.push(`${what}: ${validation.violations.length} violations.`)
        return data
      }
      const violations = validation.violations
        .slice(0, limits.violationsListed)
        .map(({ path, message }) => `${path || 'data'} ${message}`)
      warnings.push(`${what}: ${violations.join('; ')}`)
    }
  } catch (error) {
    warnings.push(`The data of tool '${tool.name}' could not be checked: ${(error as Error).message}`)
  }
  return data
}

function problemOfData(data: unknown): string | null {
  try {
    return problemOfJson(data, limits.dataBytes)
  } catch (error) {
    return `not readable: ${describeThrown(error)}`
  }
}

/** Where a call's strangers' text came from; the tool itself where it does not say. */
export function taintOf({ tool, taint }: RunningCall, redactor: Redactor | null): readonly string[] {
  if (taint.length === 0) return tool.untrusted ? [tool.name] : none
  // Often an address, and addresses carry tokens.
  return [...new Set(redactor === null ? taint : taint.map((source) => redactor.redact(source)))]
}

function wrap(finished: FinishedResult, sources: readonly string[], quotes: boolean): void {
  const source = sources.join(', ')
  const scanned = scanInjection(finished.error === null ? finished.output : `${finished.output}\n${finished.error}`)
  finished.findings = [...finished.findings, ...scanned]
  if (finished.output !== '') finished.output = wrapUntrusted(finished.output, source)
  // "timed out" is ours and stays as it is; what the tool said may be what a stranger's server said.
  if (finished.error !== null && quotes) finished.error = wrapUntrusted(finished.error, source)
  finished.taint = sources
}

function finishMedia(media: readonly Media[], redactor: Redactor | null, warnings: string[]): readonly Media[] {
  let left: number = limits.mediaBytes
  const kept: Media[] = []
  for (const entry of media) {
    left -= entry.data.length
    if (left < 0 || kept.length === limits.mediaFiles) {
      warnings.push(`Media past ${limits.mediaFiles} files or ${limits.mediaBytes} bytes were left out.`)
      break
    }
    const safe = redactor === null ? entry : redactMedia(entry, redactor)
    if (safe) kept.push(safe)
    else warnings.push(`A file of type ${entry.mimeType} was left out: it holds the value of a secret.`)
  }
  return kept
}

/** A text is redacted like any other. In a picture or an archive nothing can be replaced: it is left out. */
function redactMedia({ mimeType, data, filename }: Media, redactor: Redactor): Media | null {
  const named = filename === undefined ? {} : { filename: redactor.redact(filename) }
  const bytes = Buffer.from(data, 'base64')
  const text = bytes.toString('latin1')
  if (redactor.ranges(text).length === 0 && redactor.ranges(bytes.toString('utf8')).length === 0)
    return { mimeType, data, ...named }
  if (!/^text\/|[/+](?:json|xml|yaml|javascript)\b/.test(mimeType)) return null
  return { mimeType, data: Buffer.from(redactor.redact(bytes.toString('utf8'))).toString('base64'), ...named }
}

const secretFinding = (name: string): Finding => ({
  kind: 'secret',
  what: `The result held the value of the secret ${name}. It was replaced.`,
  excerpt: '',
})

const cutError = (error: string): string =>
  error.length * 3 <= limits.errorBytes ? error : shorten(error, cutBytes(error, limits.errorBytes))
const shorten = (error: string, cut: string): string =>
  cut.length === error.length ? error : cut + truncationNotice(Buffer.byteLength(error) - Buffer.byteLength(cut))
