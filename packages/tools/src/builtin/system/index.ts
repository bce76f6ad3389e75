// What this installation is, and the conversations that it has.
import type { AnyTool } from '../../contract.ts'
import type { Sessions } from '../../ports/sessions.ts'
import { createSessionsDeleteTool } from './sessions-delete.ts'
import { createSessionsListTool } from './sessions-list.ts'
import { systemInfoTool } from './system-info.ts'

export function createSystemTools(sessions: Sessions): AnyTool[] {
  return [createSessionsListTool(sessions), createSessionsDeleteTool(sessions), systemInfoTool]
}
