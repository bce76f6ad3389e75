import { aliasesOf } from '../../builtin-aliases.ts'
import { failed, succeeded } from '../../contract.ts'
import { defineTool } from '../../define-tool.ts'
import { type ProgramLimits, type Sandbox, SandboxProblem } from '../../sandbox/sandbox.ts'
import { CapturedOutput, cutMiddle, joinStreams } from './captured-output.ts'
import { describeEnd } from './describe-end.ts'
import { findPython, type Python } from './find-python.ts'
import { importable, pythonRunner } from './python-runner.ts'

export const pythonLimits: ProgramLimits = {
  wallClockMs: 5_000,
  cpuSeconds: 5,
  memoryBytes: 50 * 1024 * 1024,
  // Itself; a second one cannot be started.
  processes: 1,
  fileBytes: 1,
  // To load itself; the runner takes them away before the code runs.
  openFiles: 32,
}
const outputBytes = 1024 * 1024
const shownCharacters = 60_000
const codeCharacters = 1_000_000

export interface PythonOptions {
  sandbox: Sandbox
  /** Looked for on the machine where not given. */
  findPython?: () => Promise<Python | null>
}

export function createPythonTool({ sandbox, findPython: find = () => findPython() }: PythonOptions) {
  let found: Promise<Python | null> | null = null
  return defineTool({
    name: 'python.exec',
    title: 'Execute Python',
    description: `Executes Python code and returns what it prints. For computing: of modules there are ${importable.join(', ')}; no files, no network, no subprocesses; ${pythonLimits.wallClockMs / 1000} seconds and ${pythonLimits.memoryBytes / 1024 / 1024} MB. Nothing is kept between calls.`,
    category: 'code',
    groups: ['runtime'],
    effect: 'execute',
    hook: 'silent',
    // A second start does the same once more, and nothing to the world.
    idempotent: true,
    eagerInputStreaming: true,
    aliases: aliasesOf('python.exec'),
    timeoutMs: pythonLimits.wallClockMs + 5_000,
    inputSchema: {
      type: 'object',
      properties: {
        code: {
          type: 'string',
          minLength: 1,
          maxLength: codeCharacters,
          description: 'The Python code to execute; print what you want to see',
        },
      },
      required: ['code'],
      additionalProperties: false,
    },
    summarize: ({ code }) => ({
      title: `Execute ${code.split('\n').length} line${code.includes('\n') ? 's' : ''} of Python`,
      facts: [{ label: 'Code', value: code }],
    }),
    execute: async ({ code }, context) => {
      if (sandbox.kind === 'none')
        return failed(
          'Python is not run here: this machine has no sandbox to keep it in. Install bubblewrap (apt install bubblewrap) and restart the bot.',
        )
      found ??= find()
      const python = await found
      if (!python) {
        found = null
        return failed('There is no Python 3 on this machine. Install it (apt install python3).')
      }
      const output = new CapturedOutput(outputBytes)
      try {
        const end = await sandbox.run({
          command: [python.program, '-I', '-S', '-B', '-X', 'utf8', '-c', pythonRunner],
          cwd: '/tmp',
          environment: {},
          readPaths: python.readPaths,
          network: 'none',
          limits: pythonLimits,
          input: code.toWellFormed(),
          signal: context.signal,
          onOutput: (stream, chunk) => output.add(stream, chunk),
        })
        const printed = joinStreams(output.text('stdout'), output.text('stderr'))
        const { text } = cutMiddle(printed, Number.POSITIVE_INFINITY, shownCharacters)
        const { exitCode, endedBy } = end
        const data = { exitCode, endedBy, durationMs: Math.round(end.durationMs), sandbox: sandbox.kind }
        const error = describeEnd(end, { wallClockMs: pythonLimits.wallClockMs, outputBytes })
        if (error === null) return succeeded(text === '' ? '(no output: print what you want to see)' : text, { data })
        if (endedBy === 'timeout')
          return failed(`It took longer than ${pythonLimits.wallClockMs / 1000} seconds.`, { output: text, data })
        // What Python says about an exception is the error.
        return failed(endedBy === null ? lastLine(output.text('stderr')) || error : error, { output: text, data })
      } catch (error) {
        if (error instanceof SandboxProblem) return failed(error.message)
        throw error
      }
    },
  })
}

const lastLine = (text: string) => text.trimEnd().split('\n').at(-1)?.slice(0, 1_000).trim() ?? ''
