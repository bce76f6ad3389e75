import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { BackgroundProcess, BackgroundProcesses, ProcessOwner } from './background-processes.ts'

export function createProcessStatusTool(processes: BackgroundProcesses) {
  return defineTool({
    name: 'process.status',
    title: 'Look at a process',
    description: 'Tells whether a process of process.start is running or how it ended, and the end of its output.',
    category: 'runtime',
    groups: ['runtime'],
    effect: 'read',
    hook: 'silent',
    idempotent: true,
    inputSchema: {
      type: 'object',
      properties: {
        pid: { type: 'integer', minimum: 1, description: 'The number that process.start returned' },
        lines: {
          type: 'integer',
          minimum: 0,
          maximum: 2_000,
          default: 50,
          description: 'Lines of output to return, from its end',
        },
      },
      required: ['pid'],
      additionalProperties: false,
    },
    execute: async ({ pid, lines }, { workspaceId, agentId }) => {
      const owner = { workspaceId, agentId }
      const process = processes.find(pid, owner)
      if (!process) return failed(describeUnknown(processes, pid, owner))
      const tail = lines === 0 ? '' : processes.tail(process).trimEnd().split('\n').slice(-lines).join('\n')
      const output = tail === '' ? '' : `\n\n${tail}`
      return succeeded(`Process ${pid} (${process.command}) ${describeState(process)}.${output}`, {
        data: {
          pid,
          running: process.endedAt === null,
          exitCode: process.end?.exitCode ?? null,
          startedAt: new Date(process.startedAt).toISOString(),
          endedAt: process.endedAt === null ? null : new Date(process.endedAt).toISOString(),
          output: tail,
        },
      })
    },
  })
}

export function describeState({ end, endedAt, startedAt, problem }: BackgroundProcess): string {
  const seconds = Math.round(((endedAt ?? Date.now()) - startedAt) / 1000)
  if (endedAt === null) return `has been running for ${seconds} s`
  if (problem) return `was lost after ${seconds} s: ${problem}`
  if (end?.endedBy === 'stop') return `was killed after ${seconds} s`
  if (end?.endedBy === 'timeout') return `was ended after its longest time, ${seconds} s`
  return `ended after ${seconds} s with exit code ${end?.exitCode}`
}

export function describeUnknown(processes: BackgroundProcesses, pid: number, owner: ProcessOwner): string {
  const others = processes.list(owner).filter(({ endedAt }) => endedAt === null)
  const known = others.length > 0 ? ` Running are: ${others.map((other) => other.pid).join(', ')}.` : ''
  return `There is no process ${pid} that process.start has started here.${known} Processes end when the bot is restarted.`
}
