// Every builtin tool, in the order of builtin-aliases.ts: where two have one alias and an agent has both, the first is meant.
import type { BrowserManager } from '../browser/browser-manager.ts'
import type { AnyTool } from '../contract.ts'
import type { Outbound } from '../guard/outbound-request.ts'
import type { ChatFiles } from '../ports/chat-files.ts'
import type { ConversationNotes } from '../ports/conversation-notes.ts'
import type { Memories } from '../ports/memories.ts'
import type { Senses } from '../ports/senses.ts'
import type { Sessions } from '../ports/sessions.ts'
import type { VirtualFiles } from '../ports/virtual-files.ts'
import type { WorkFolders } from '../ports/work-folders.ts'
import type { Sandbox } from '../sandbox/sandbox.ts'
import { createBrowserTools } from './browser/index.ts'
import { createFileTools } from './files/file-tools.ts'
import { createVfsListTool } from './files/vfs-list.ts'
import { createVfsReadTool } from './files/vfs-read.ts'
import { createVfsWriteTool } from './files/vfs-write.ts'
import { createGitTools } from './git/git-tools.ts'
import { createMediaTools } from './media/index.ts'
import { createMemoryTools } from './memory/index.ts'
import { askUserTool } from './people/ask-user.ts'
import type { BackgroundProcesses } from './runtime/background-processes.ts'
import { createProcessTools } from './runtime/process-tools.ts'
import { createPythonTool } from './runtime/python-exec.ts'
import { createShellTools } from './runtime/shell-exec.ts'
import { createSystemTools } from './system/index.ts'
import { createWebTools, type SearchSettings } from './web/index.ts'

/** What the builtin tools need from outside; bound once, where an app is composed. */
export interface BuiltinPorts {
  files: VirtualFiles
  folders: WorkFolders
  notes: ConversationNotes
  chatFiles: ChatFiles
  memories: Memories
  senses: Senses
  sessions: Sessions
  sandbox: Sandbox
  processes: BackgroundProcesses
  outbound: Outbound
  browser: BrowserManager
  /** Without it the search says that it is not set up. */
  search: SearchSettings | null
}

export function createBuiltinTools(ports: BuiltinPorts): AnyTool[] {
  const { files } = ports
  return [
    ...createFileTools(ports),
    createVfsReadTool(files),
    createVfsWriteTool(files),
    createVfsListTool(files),
    ...createShellTools(ports),
    ...createProcessTools(ports),
    createPythonTool(ports),
    ...createGitTools(ports),
    ...createWebTools(ports),
    ...createBrowserTools(ports.browser),
    ...createMemoryTools(ports.memories),
    ...createMediaTools(ports),
    askUserTool,
    ...createSystemTools(ports.sessions),
  ]
}
