import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { aliasesOf } from '../../builtin-aliases.ts'
import { type AnyTool, failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import type { ConversationNotes } from '../../ports/conversation-notes.ts'
import type { WorkFolders } from '../../ports/work-folders.ts'
import { type Sandbox, SandboxProblem } from '../../sandbox/sandbox.ts'
import { CapturedOutput, cutMiddle, joinStreams } from './captured-output.ts'
import { cwdArgument, findCommandPlace } from './command-place.ts'
import { describeEnd } from './describe-end.ts'
import { confine, runtimeConfigSchema } from './runtime-config.ts'
import { WorkingDirectory } from './working-directory.ts'

const defaultMs = 120_000
const longestMs = 600_000
/** Bytes of output; a command that writes more is ended. */
const bufferBytes = 10 * 1024 * 1024
/** Characters of it that the model gets; the middle is left out. */
const shownCharacters = 60_000
const commandCharacters = 100_000

export interface ShellOptions {
  sandbox: Sandbox
  folders: WorkFolders
  notes: ConversationNotes
}

export const createShellTools = (options: ShellOptions): AnyTool[] => [createShellExecTool(options)]

export function createShellExecTool({ sandbox, folders, notes }: ShellOptions) {
  const directory = new WorkingDirectory(folders, notes)
  return defineTool({
    name: 'shell.exec',
    title: 'Run a command',
    description:
      'Runs a shell command in the work folder and returns what it writes, with its exit code. The directory is kept for the next command of the conversation. Everything it starts ends with it; for what is to go on, use process.start. It runs shut in: it can write to the work folder and /tmp, and reaches no network unless that was allowed.',
    category: 'runtime',
    groups: ['runtime'],
    effect: 'execute',
    hook: 'confirm',
    eagerInputStreaming: true,
    aliases: aliasesOf('shell.exec'),
    configSchema: runtimeConfigSchema,
    // Its own clock is the one that counts.
    timeoutMs: longestMs + 10_000,
    inputSchema: {
      type: 'object',
      properties: {
        command: {
          type: 'string',
          minLength: 1,
          maxLength: commandCharacters,
          description: 'The shell command to execute',
        },
        cwd: cwdArgument,
        timeout: {
          type: 'integer',
          minimum: 1,
          maximum: longestMs,
          default: defaultMs,
          description: 'Timeout in milliseconds; then the command and all it started are ended',
        },
        max_lines: {
          type: 'integer',
          minimum: 2,
          maximum: 100_000,
          description: 'Lines of output to return at most; the middle is left out',
        },
      },
      required: ['command'],
      additionalProperties: false,
    },
    complete: async (args, caller) => {
      const folder = await findCommandPlace(sandbox, directory, args.cwd, caller)
      return folder.ok ? { ok: true, arguments: { ...args, cwd: folder.path } } : folder
    },
    summarize: ({ command, cwd, timeout }) => ({
      title: `Run ${firstLine(command)}`,
      facts: [
        { label: 'Command', value: command },
        ...(cwd === undefined ? [] : [{ label: 'Directory', value: cwd }]),
        ...(timeout === defaultMs ? [] : [{ label: 'Time', value: `${timeout / 1000} s` }]),
      ],
    }),
    execute: async ({ command, cwd, timeout, max_lines }, context) => {
      const folder = await findCommandPlace(sandbox, directory, cwd, context)
      if (!folder.ok) return failed(folder.problem)
      const root = await directory.root(context)
      const output = new CapturedOutput(bufferBytes)
      const marker = randomBytes(16).toString('hex')
      try {
        const end = await sandbox.run({
          ...confine(sandbox, context.config, root, timeout),
          command: [findShell(), '-c', script(marker), 'shell', command],
          cwd: folder.path,
          signal: context.signal,
          onOutput: (stream, chunk) => output.add(stream, chunk),
        })
        const { stdout, endedIn } = takeOffMarker(output.text('stdout'), marker)
        await directory.keep(endedIn ?? folder.path, context)
        const { text, hiddenLines } = cutMiddle(
          joinStreams(stdout, output.text('stderr')),
          max_lines ?? Number.POSITIVE_INFINITY,
          shownCharacters,
        )
        const error = describeEnd(end, { wallClockMs: timeout, outputBytes: bufferBytes })
        const data = {
          exitCode: end.exitCode,
          endedBy: end.endedBy,
          durationMs: Math.round(end.durationMs),
          cwd: endedIn ?? folder.path,
          hiddenLines,
          sandbox: sandbox.kind,
        }
        if (error) return failed(error, { output: text, data })
        return succeeded(text.trim() === '' ? '(no output)' : text, { data })
      } catch (error) {
        if (error instanceof SandboxProblem) return failed(error.message)
        throw error
      }
    },
  })
}

/** bash where there is one: it is what models write. */
const findShell = () => (existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh')

/** Says at its end where it is. A command that prevents that (`exec`, a signal) leaves the directory as it was. */
const script = (marker: string) =>
  `trap 'status=$?; printf "\\n%s%s\\n" ${marker} "$PWD"; exit $status' EXIT; eval "$1"`

function takeOffMarker(stdout: string, marker: string): { stdout: string; endedIn: string | null } {
  const at = stdout.lastIndexOf(`\n${marker}`)
  if (at < 0) return { stdout, endedIn: null }
  const endedIn = stdout.slice(at + 1 + marker.length).replace(/\n$/, '')
  return { stdout: stdout.slice(0, at), endedIn: endedIn.startsWith('/') ? endedIn : null }
}

function firstLine(command: string): string {
  const [line = '', ...rest] = command.trim().split(/\r?\n/)
  const short = line.length > 100 ? `${line.slice(0, 100).toWellFormed()}…` : line
  return rest.length > 0 ? `${short} (and ${rest.length} more lines)` : short
}
