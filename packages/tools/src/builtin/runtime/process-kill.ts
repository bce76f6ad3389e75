import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { BackgroundProcesses } from './background-processes.ts'
import { describeState, describeUnknown } from './process-status.ts'

export function createProcessKillTool(processes: BackgroundProcesses) {
  return defineTool({
    name: 'process.kill',
    title: 'End a process',
    description: 'Ends a process that process.start has started, and everything it started itself.',
    category: 'runtime',
    groups: ['runtime'],
    effect: 'execute',
    hook: 'confirm',
    inputSchema: {
      type: 'object',
      properties: {
        pid: { type: 'integer', minimum: 1, description: 'The number that process.start returned' },
        signal: {
          enum: ['SIGTERM', 'SIGKILL'],
          default: 'SIGTERM',
          description: 'SIGTERM asks it to end, SIGKILL ends it',
        },
      },
      required: ['pid'],
      additionalProperties: false,
    },
    summarize: ({ pid, signal }) => ({ title: `End process ${pid}${signal === 'SIGKILL' ? ' by force' : ''}` }),
    execute: async ({ pid, signal }, { workspaceId, agentId, signal: stop }) => {
      const owner = { workspaceId, agentId }
      const process = processes.find(pid, owner)
      if (!process) return failed(describeUnknown(processes, pid, owner))
      if (process.endedAt !== null) return succeeded(`Process ${pid} ${describeState(process)}, before this call.`)
      const gone = await processes.kill(process, signal, stop)
      if (gone) return succeeded(`Process ${pid} ${describeState(process)}.`, { data: { pid, running: false } })
      return failed(`Process ${pid} was asked to end and is still running. Use SIGKILL.`)
    },
  })
}
