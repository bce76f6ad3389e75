import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { cwdArgument, findCommandPlace } from './command-place.ts'
import type { ProcessOptions } from './process-tools.ts'
import { confine, runtimeConfigSchema } from './runtime-config.ts'
import { WorkingDirectory } from './working-directory.ts'

/** Milliseconds; nothing runs for longer. */
const longestMs = 24 * 60 * 60 * 1000
/** How long a start is watched: what fails at once says so in the result. */
const watchMs = 300

export function createProcessStartTool({ sandbox, folders, notes, processes }: ProcessOptions) {
  const directory = new WorkingDirectory(folders, notes)
  return defineTool({
    name: 'process.start',
    title: 'Start a process',
    description:
      'Starts a program in the background and returns its number (pid) for process.status and process.kill. Without args, the command is run by a shell. It goes on after the call, until it ends, is killed, a day has passed or the bot is stopped. It runs shut in, as shell.exec does.',
    category: 'runtime',
    groups: ['runtime'],
    effect: 'execute',
    hook: 'confirm',
    configSchema: runtimeConfigSchema,
    inputSchema: {
      type: 'object',
      properties: {
        command: { type: 'string', minLength: 1, maxLength: 100_000, description: 'Command to execute' },
        args: {
          type: 'array',
          items: { type: 'string', maxLength: 100_000 },
          maxItems: 1_000,
          description: 'Command arguments; with them, the command is a program and no shell reads them',
        },
        cwd: cwdArgument,
      },
      required: ['command'],
      additionalProperties: false,
    },
    complete: async (args, caller) => {
      const folder = await findCommandPlace(sandbox, directory, args.cwd, caller)
      return folder.ok ? { ok: true, arguments: { ...args, cwd: folder.path } } : folder
    },
    summarize: ({ command, args, cwd }) => ({
      title: `Start ${shown([command, ...(args ?? [])].join(' '))} in the background`,
      facts: [
        { label: 'Command', value: args ? JSON.stringify([command, ...args]) : command },
        ...(cwd === undefined ? [] : [{ label: 'Directory', value: cwd }]),
      ],
    }),
    execute: async ({ command, args, cwd }, context) => {
      const folder = await findCommandPlace(sandbox, directory, cwd, context)
      if (!folder.ok) return failed(folder.problem)
      const root = await directory.root(context)
      const { workspaceId, agentId } = context
      const started = await processes.start(
        sandbox,
        { workspaceId, agentId },
        {
          ...confine(sandbox, context.config, root, longestMs),
          command: args ? [command, ...args] : ['/bin/sh', '-c', command],
          cwd: folder.path,
        },
      )
      if (!started.ok) return failed(started.problem)
      const { process } = started
      await new Promise((resolve) => setTimeout(resolve, watchMs))
      if (process.problem) return failed(process.problem)
      const data = { pid: process.pid, cwd: folder.path, running: process.end === null, sandbox: sandbox.kind }
      if (process.end && process.end.exitCode !== 0)
        return failed(`It ended at once, with exit code ${process.end.exitCode}.`, {
          output: processes.tail(process),
          data,
        })
      const state = process.end ? 'It has ended already, without an error' : 'It is running'
      return succeeded(`Started as process ${process.pid}. ${state}; process.status shows its output.`, { data })
    },
  })
}

const shown = (command: string) => {
  const line = command.trim().split(/\r?\n/)[0] ?? ''
  return line.length > 100 ? `${line.slice(0, 100).toWellFormed()}…` : line
}
