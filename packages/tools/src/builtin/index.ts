// Every builtin tool, in the order of builtin-aliases.ts: where two have one alias and an agent has both, the first is meant.
import type { AnyTool } from '../contract.ts'
import type { VirtualFiles } from '../ports/virtual-files.ts'
import { createVfsListTool } from './files/vfs-list.ts'
import { createVfsReadTool } from './files/vfs-read.ts'
import { createVfsWriteTool } from './files/vfs-write.ts'
import { askUserTool } from './people/ask-user.ts'
import { systemInfoTool } from './system/system-info.ts'

/** What the builtin tools need from outside; bound once, where an app is composed. */
export interface BuiltinPorts {
  files: VirtualFiles
}

export function createBuiltinTools({ files }: BuiltinPorts): AnyTool[] {
  return [createVfsReadTool(files), createVfsWriteTool(files), createVfsListTool(files), askUserTool, systemInfoTool]
}
