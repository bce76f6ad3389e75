import type { AnyTool } from '../../contract.ts'
import type { ConversationNotes } from '../../ports/conversation-notes.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import type { BackgroundProcesses } from './background-processes.ts'
import { createProcessKillTool } from './process-kill.ts'
import { createProcessStartTool } from './process-start.ts'
import { createProcessStatusTool } from './process-status.ts'

export interface ProcessOptions {
  sandbox: Sandbox
  folders: WorkFolders
  notes: ConversationNotes
  processes: BackgroundProcesses
}

export const createProcessTools = (options: ProcessOptions): AnyTool[] => [
  createProcessStartTool(options),
  createProcessStatusTool(options.processes),
  createProcessKillTool(options.processes),
]
