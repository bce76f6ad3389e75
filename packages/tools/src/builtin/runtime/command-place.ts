// Where a command runs, and whether this machine may run it: the same for one that is waited for and one that is not.
import type { CompletionCaller } from '../../contract.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { problemOfSandbox } from './runtime-config.ts'
import type { WorkingDirectory } from './working-directory.ts'

export const cwdArgument = {
  type: 'string',
  minLength: 1,
  description: 'Working directory, inside the work folder; where the last command ended if not said',
} as const

export async function findCommandPlace(
  sandbox: Sandbox,
  directory: WorkingDirectory,
  asked: string | undefined,
  caller: CompletionCaller,
): Promise<{ ok: true; path: string } | { ok: false; problem: string }> {
  const problem = problemOfSandbox(sandbox, caller.config)
  return problem ? { ok: false, problem } : directory.resolve(asked, caller)
}
