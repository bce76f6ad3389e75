import { type Logger, pino } from 'pino'
import type { LogLevel } from './env.ts'
import { createSecretMask, masked } from './secret-mask.ts'

export type Log = Logger

export interface LogOptions {
  level: LogLevel
  /** Values that must not appear, in whatever string they stand. */
  secrets: readonly string[]
  write?: (line: string) => void
  /** Lines for people instead of JSON. */
  plain?: boolean
}

/** Names under which secrets travel; what stands there is not written, even a value that nobody declared. */
const secretNames = ['token', 'password', 'secret', 'apiKey', 'authorization', 'cookie', 'masterKey', 'signingSecret']
const secretPaths = [...new Set([...secretNames, ...secretNames.map((name) => name.toLowerCase())])].flatMap((name) => [
  name,
  `*.${name}`,
  `*.*.${name}`,
  `*.*.*.${name}`,
])

/** Structured lines on standard output. Secrets are kept out twice: by the name of their place, and by their value. */
export function createLog(options: LogOptions): Log {
  const mask = createSecretMask(options.secrets)
  const write = options.write ?? writeToStandardOutput
  return pino(
    {
      level: options.level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      redact: { paths: secretPaths, censor: masked },
      serializers: { error: pino.stdSerializers.errWithCause },
      hooks: { streamWrite: mask.json },
    },
    { write: options.plain ? (line: string) => write(renderPlain(line)) : write },
  )
}

function writeToStandardOutput(line: string): void {
  process.stdout.write(line)
}

/** `12:31:07 warn  Slack does not answer  attempt=3` */
function renderPlain(line: string): string {
  const { time, level, msg, error, ...rest } = JSON.parse(line) as Record<string, unknown>
  const fields = Object.entries(rest).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  )
  const failure = error && typeof error === 'object' && 'message' in error ? [`(${String(error.message)})`] : []
  const parts = [String(time).slice(11, 19), String(level).padEnd(5), String(msg ?? ''), ...failure, ...fields]
  return `${parts.join(' ').trimEnd()}\n`
}
