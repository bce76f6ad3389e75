// For tests of the executor: a registry with the given tools, a policy that allows everything unless the test says
// otherwise, and a caller.
import type { AnyTool, ToolContext, ToolResult } from '../contract.ts'
import { succeeded } from '../contract.ts'
import { Policy } from '../policy/policy.ts'
import type { PolicyConfig } from '../policy/policy-config.ts'
import { ToolRegistry } from '../registry.ts'
import type { ToolEvent } from './events.ts'
import { createExecutor, type ExecutorOptions } from './execute-tool-call.ts'
import type { Caller, CallRequest, Finished, Outcome } from './outcome.ts'

export interface TestExecutor {
  call(name: string, args?: unknown, more?: Partial<CallRequest>, caller?: Partial<Caller>): Promise<Outcome>
  /** The same, where only a finished call is expected. */
  finish(name: string, args?: unknown, more?: Partial<CallRequest>, caller?: Partial<Caller>): Promise<Finished>
  events: ToolEvent[]
  registry: ToolRegistry
}

export function testExecutor(
  tools: readonly AnyTool[],
  { config, ...options }: Partial<ExecutorOptions> & { config?: PolicyConfig } = {},
): TestExecutor {
  const registry = new ToolRegistry()
  registry.registerMany(tools)
  const events: ToolEvent[] = []
  const execute = createExecutor({
    registry,
    policy: new Policy(config ?? { profile: 'full' }),
    onEvent: (event) => events.push(event),
    ...options,
  })
  let calls = 0
  const call: TestExecutor['call'] = (name, args = {}, more = {}, caller = {}) =>
    execute({ toolCallId: `call ${++calls}`, name, arguments: args, ...more }, { ...testCaller, ...caller })
  return {
    call,
    async finish(...request) {
      const outcome = await call(...request)
      if (outcome.kind !== 'finished') throw new Error(`the call did not finish: ${outcome.kind}`)
      return outcome
    },
    events,
    registry,
  }
}

export const testCaller: Caller = {
  workspaceId: 'workspace',
  conversationId: 'conversation',
  runId: 'run',
  agentId: 'agent',
  requesterId: 'member',
  interactive: true,
  policy: {},
}

/** A tool that takes any object and does what the test says. */
export function testTool(
  // biome-ignore lint/suspicious/noExplicitAny: tools of tests return what no tool should.
  execute: (args: any, context: ToolContext) => any = async () => succeeded('done'),
  more: Partial<AnyTool> = {},
): AnyTool {
  return {
    name: 'test.tool',
    title: 'Test',
    description: 'A tool for tests.',
    category: 'test',
    inputSchema: { type: 'object' },
    effect: 'read',
    execute: execute as (args: unknown, context: ToolContext) => Promise<ToolResult>,
    ...more,
  }
}
