// What an owner sets for the tools that run programs, and the request that follows from it.
import { totalmem } from 'node:os'
import { programEnvironment } from '../../guard/environment.ts'
import type { ProgramLimits, ProgramRequest, Sandbox } from '../../sandbox/sandbox.ts'

const megabyte = 1024 * 1024

export const runtimeConfigSchema = {
  type: 'object',
  properties: {
    network: {
      enum: ['none', 'hosts', 'all'],
      default: 'none',
      description:
        'What programs reach: nothing, the hosts below, or all that this machine reaches (its own services too)',
    },
    hosts: {
      type: 'array',
      items: { type: 'string', minLength: 1 },
      maxItems: 200,
      default: [],
      description: 'With network "hosts": example.com, *.example.com or example.com:8443, by HTTP and HTTPS',
    },
    read_paths: {
      type: 'array',
      items: { type: 'string', pattern: '^/' },
      maxItems: 50,
      default: [],
      description: "Folders outside of the work folder that programs may read, besides the system's own",
    },
    memory_mb: { type: 'integer', minimum: 16, maximum: 1_048_576, default: 4_096, description: 'Of each program' },
    processes: { type: 'integer', minimum: 1, maximum: 10_000, default: 256, description: 'At once, for each call' },
    file_mb: { type: 'integer', minimum: 1, maximum: 1_048_576, default: 1_024, description: 'Of each file written' },
    disk_mb: {
      type: 'integer',
      minimum: 1,
      maximum: 1_048_576,
      default: 10_240,
      description: 'Of all files written in one call',
    },
    unconfined: {
      type: 'boolean',
      default: false,
      description: 'Run programs also where the machine has no sandbox: they read and reach what the bot does',
    },
  },
  additionalProperties: false,
} as const

interface RuntimeConfig {
  network?: 'none' | 'hosts' | 'all'
  hosts?: string[]
  read_paths?: string[]
  memory_mb?: number
  processes?: number
  file_mb?: number
  disk_mb?: number
  unconfined?: boolean
}

/** A sentence where the owner has not agreed to what this machine cannot keep shut in. */
export function problemOfSandbox(sandbox: Sandbox, config: RuntimeConfig): string | null {
  if (sandbox.kind !== 'none' || config.unconfined) return null
  return 'This machine has no sandbox, so commands are not run. Install bubblewrap (apt install bubblewrap) and restart the bot; "npm run doctor" says what is missing.'
}

/** Everything of a request that follows from the configuration, for a program in this folder. */
export function confine(
  sandbox: Sandbox,
  given: Readonly<Record<string, unknown>>,
  folder: string,
  wallClockMs: number,
): Pick<ProgramRequest, 'environment' | 'readPaths' | 'writePaths' | 'network' | 'limits'> {
  const config = given as RuntimeConfig
  return {
    // A home that goes away with the call: nothing that one command leaves there (.bashrc, .gitconfig) steers another.
    environment: programEnvironment({ home: sandbox.kind === 'none' ? folder : '/tmp' }),
    readPaths: config.read_paths ?? [],
    writePaths: [folder],
    network: config.network === 'hosts' ? { hosts: config.hosts ?? [] } : (config.network ?? 'none'),
    limits: limitsOf(config, wallClockMs),
  }
}

function limitsOf(config: RuntimeConfig, wallClockMs: number): ProgramLimits {
  return {
    wallClockMs,
    // A program with several threads has more processor time than time.
    cpuSeconds: Math.ceil(wallClockMs / 1000) * 8,
    memoryBytes: (config.memory_mb ?? 4_096) * megabyte,
    processes: config.processes ?? 256,
    fileBytes: (config.file_mb ?? 1_024) * megabyte,
    openFiles: 1_024,
    totalMemoryBytes: Math.min(2 * (config.memory_mb ?? 4_096) * megabyte, 0.75 * totalmem()),
    diskBytes: (config.disk_mb ?? 10_240) * megabyte,
  }
}
