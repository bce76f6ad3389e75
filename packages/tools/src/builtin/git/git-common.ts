// What the `git.*` tools share.
import { failed, type ToolContext, type ToolResult } from '../../contract.ts'
import { PathProblem, WorkFolder } from '../../guard/paths/index.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { type Sandbox, SandboxProblem } from '../../sandbox/sandbox.ts'
import { GitProblem, openRepository, type Repository } from './repository.ts'

export interface GitToolPorts {
  folders: WorkFolders
  /** Where git runs. */
  sandbox: Sandbox
}

export const gitCommon = { category: 'git', groups: ['git'] } as const

export const pathSchema = {
  type: 'string',
  minLength: 1,
  default: '.',
  description: 'The folder of the repository (default: the work folder)',
} as const

/** Calls `use` with the repository; what is wrong with the path, the repository or the sandbox becomes the result. */
export async function inRepository(
  ports: GitToolPorts,
  path: string,
  context: ToolContext,
  use: (repository: Repository, work: WorkFolder) => Promise<ToolResult>,
): Promise<ToolResult> {
  const used = await tryRepository(ports, path, context, context.signal, use)
  return used.ok ? used.result : failed(used.problem)
}

/** The same for what is no result yet. */
export async function tryRepository<Result>(
  { folders, sandbox }: GitToolPorts,
  path: string,
  caller: { workspaceId: string; agentId: string },
  signal: AbortSignal,
  use: (repository: Repository, work: WorkFolder) => Promise<Result>,
): Promise<{ ok: true; result: Result } | { ok: false; problem: string }> {
  try {
    const result = await WorkFolder.use(await folders.folderOf(caller), async (work) =>
      use(await openRepository(sandbox, work, path, signal), work),
    )
    return { ok: true, result }
  } catch (error) {
    if (error instanceof PathProblem || error instanceof GitProblem || error instanceof SandboxProblem)
      return { ok: false, problem: error.message }
    throw error
  }
}
