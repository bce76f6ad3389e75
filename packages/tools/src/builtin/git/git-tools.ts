// Every tool on git repositories of the work folder, in the order of builtin-aliases.ts.
import type { AnyTool } from '../../contract.ts'
import { createGitCommitTool } from './git-commit.ts'
import type { GitToolPorts } from './git-common.ts'
import { createGitDiffTool } from './git-diff.ts'
import { createGitStatusTool } from './git-status.ts'

export const createGitTools = (ports: GitToolPorts): AnyTool[] => [
  createGitStatusTool(ports),
  createGitDiffTool(ports),
  createGitCommitTool(ports),
]
