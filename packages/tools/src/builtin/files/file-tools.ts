// Every tool on the files of the work folder, in the order of builtin-aliases.ts.
import type { AnyTool } from '../../contract.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import type { Sandbox } from '../../sandbox/sandbox.ts'
import { createFileBatchTool } from './file-batch.ts'
import { createFileEditTool } from './file-edit.ts'
import { createFileGlobTool } from './file-glob.ts'
import { createFileGrepTool } from './file-grep.ts'
import { createFileListTool } from './file-list.ts'
import { createFileReadTool } from './file-read.ts'
import { createFileWriteTool } from './file-write.ts'

export interface FileToolPorts {
  folders: WorkFolders
  /** Where ripgrep runs. */
  sandbox: Sandbox
}

export const createFileTools = ({ folders, sandbox }: FileToolPorts): AnyTool[] => [
  createFileReadTool(folders),
  createFileWriteTool(folders),
  createFileEditTool(folders),
  createFileListTool(folders),
  createFileGlobTool(folders),
  createFileGrepTool(folders, sandbox),
  createFileBatchTool(folders),
]
