// How tools start programs. There is one way in, so that nothing of ours runs a program without saying what it may reach.

export interface ProgramRequest {
  /** The program and its arguments; never a shell line, unless the program is a shell. */
  command: readonly [string, ...string[]]
  /** An absolute path outside of the sandbox; it is the same inside. */
  cwd: string
  /** Exactly these and no others. */
  environment: Readonly<Record<string, string>>
  /** Absolute folders or files that may be read besides the system's programs; and those that may be written. */
  readPaths?: readonly string[]
  writePaths?: readonly string[]
  /** Nothing, some hosts (`example.com`, `*.example.com`), or everything that the machine reaches. */
  network: 'none' | 'all' | { hosts: readonly string[] }
  limits: ProgramLimits
  input?: string | Uint8Array
  /** Aborted: everything that was started ends, at once. */
  signal: AbortSignal
  /** Output as it comes; false means that it was enough, and everything ends. */
  onOutput(stream: 'stdout' | 'stderr', chunk: Uint8Array): boolean
  /** Called once, when it was started. */
  onStart?(program: RunningProgram): void
}

export interface RunningProgram {
  /** Asks it to end (SIGTERM), and what it started; it may take its time, or not obey. */
  terminate(): void
}

export interface ProgramLimits {
  wallClockMs: number
  cpuSeconds: number
  memoryBytes: number
  processes: number
  fileBytes: number
  openFiles: number
  /** Of all that it started, together; looked at a few times a second. */
  totalMemoryBytes?: number
  /** By how much the free room of the disks of `writePaths` may sink; looked at a few times a second. */
  diskBytes?: number
}

export interface ProgramEnd {
  /** Null where a signal ended it. */
  exitCode: number | null
  signal: NodeJS.Signals | null
  /** Why we ended it, where we did. */
  endedBy: 'timeout' | 'stop' | 'output' | 'memory' | 'disk' | null
  durationMs: number
}

export interface Sandbox {
  readonly kind: SandboxKind
  /**
   * Resolves when the program and all that it started are gone. Rejects with a SandboxProblem where the request cannot
   * be held to (a host list without a sandbox that can hold to it): nothing was started then.
   */
  run(request: ProgramRequest): Promise<ProgramEnd>
}

export type SandboxKind = 'bubblewrap' | 'sandbox-runtime' | 'none'

/** A sentence for the model and people. */
export class SandboxProblem extends Error {}
