import { constants } from 'node:os'
import type { ProgramEnd } from '../../sandbox/sandbox.ts'

/** Why a program did not end well, with what would help; null where it did. */
export function describeEnd(end: ProgramEnd, limits: { wallClockMs: number; outputBytes: number }): string | null {
  switch (end.endedBy) {
    case 'timeout':
      return `It was ended after ${seconds(limits.wallClockMs)}, with everything it had started. Give it more time (timeout), or start it in the background.`
    case 'output':
      return `It was ended, because it had written ${Math.round(limits.outputBytes / 1024)} KB. Let it write less.`
    case 'memory':
      return 'It was ended, because all that it had started took more memory together than it may. Run less of it at once.'
    case 'disk':
      return 'It was ended, because it had written more to the disk than it may. Remove what is not needed, and write less.'
    case 'stop':
      return 'It was stopped.'
    case null:
      if (end.exitCode === 0) return null
      return end.exitCode === null
        ? `It was ended by ${end.signal}.`
        : `Exit code ${end.exitCode}${hintFor(end.exitCode)}`
  }
}

const names = new Map(Object.entries(constants.signals).map(([name, number]) => [number, name]))

function hintFor(exitCode: number): string {
  if (exitCode === 127) return ' (command not found)'
  if (exitCode === 126) return ' (it is not a program, or may not be run)'
  const signal = exitCode > 128 ? names.get(exitCode - 128) : undefined
  if (!signal) return ''
  return signal === 'SIGKILL' || signal === 'SIGXCPU' || signal === 'SIGXFSZ'
    ? ` (${signal}: it went past a limit of time, memory or file size)`
    : ` (${signal})`
}

const seconds = (ms: number) => `${Number((ms / 1000).toPrecision(3))} s`
