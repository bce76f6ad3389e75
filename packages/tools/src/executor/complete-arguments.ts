// What the arguments leave to the moment, filled in by the tool before anybody decides. From here on there is one form of
// the arguments: the card, the record, the digest and the run have the same.
import type { AnyTool, CompletionCaller } from '../contract.ts'
import { compileSchema, describeViolations } from '../validate.ts'
import type { Caller } from './outcome.ts'
import type { ParsedArguments } from './parse-arguments.ts'
import { describeThrown } from './read-result.ts'
import { Refusal } from './refusal.ts'

/** Milliseconds; then the call is refused. It reads a note or a folder, no more. */
const completionMs = 10_000

/** Only for tools that have something to complete: a call of any other does not wait here. */
export async function completeArguments(
  tool: AnyTool,
  parsed: ParsedArguments,
  caller: Caller,
): Promise<ParsedArguments | Refusal> {
  if (!tool.complete) return parsed
  const { workspaceId, conversationId, agentId } = caller
  const who: CompletionCaller = { workspaceId, conversationId, agentId, config: parsed.config }
  try {
    const completed = await withinTime(tool.complete(parsed.arguments, who))
    if (!completed.ok) return new Refusal('invalid_arguments', `Tool '${tool.name}' was not run. ${completed.problem}`)
    // What it filled in is held to the same schema as what it was given.
    const validation = compileSchema(tool.inputSchema).validate(completed.arguments)
    if (validation.ok) return { arguments: validation.value, config: parsed.config }
    return unavailable(
      tool,
      `it made arguments of its own that are not valid: ${describeViolations(validation.violations)}`,
    )
  } catch (error) {
    return unavailable(tool, describeThrown(error))
  }
}

const unavailable = (tool: AnyTool, why: string): Refusal =>
  new Refusal(
    'tool_unavailable',
    `Tool '${tool.name}' was not run, because its arguments could not be completed: ${why}`,
  )

function withinTime<Result>(work: Promise<Result>): Promise<Result> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`it took longer than ${completionMs / 1000} s`)), completionMs)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
