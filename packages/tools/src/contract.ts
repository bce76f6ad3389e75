// What a tool is, and what it may and may not do. Read this first.
//
// A tool never asks whether it is allowed, never reads an environment variable and never opens a database: what it
// needs from outside reaches it through its context or through the factory that made it. It fails by returning a
// result with `success: false`; what it throws is caught, but costs the model the hint that a written error gives.

/** JSON Schema, draft 2020-12. */
export type JSONSchema = boolean | { readonly [keyword: string]: unknown }

/** What a call does to the world: reads, changes something of ours, runs a program, or reaches somebody outside. */
export type Effect = 'read' | 'write' | 'execute' | 'send'

/** The default of a new workspace for a tool: ask a person, run and mark it in the log, or just run. */
export type Hook = 'confirm' | 'log' | 'silent'

/** Another system's name for a tool, so that a prompt, a policy or a client written for that system works unchanged. */
export interface Alias {
  name: string
  system: 'flynn' | 'nodyn' | 'glee' | 'lynkr' | 'iofold'
  /** Their argument name → ours. Names that are not here mean the same in both. */
  arguments?: Readonly<Record<string, string>>
  /** What their tool does without being told, in our arguments. The caller's own arguments win. */
  defaults?: Readonly<Record<string, unknown>>
}

export interface Tool<Args = never> {
  /** Canonical: `file.read`, `mcp:github:search`. */
  name: string
  /** For people: "Read a file". */
  title: string
  /** For the model. */
  description: string
  /** `filesystem`, `runtime`, `web`, … */
  category: string
  /** The policy groups it belongs to, without `group:`; `fs` for `group:fs`. */
  groups?: readonly string[]
  /** The schema of an object. */
  inputSchema: JSONSchema
  /** Of `data`. A mismatch is a warning, the output is returned all the same. */
  outputSchema?: JSONSchema
  /** The schema of an attachment's configuration; without one, a tool takes no configuration. */
  configSchema?: JSONSchema
  effect: Effect
  /** The effect of this very call, where the arguments decide it (a GET reads, a POST sends). Pure. */
  effectOf?(args: Args): Effect
  hook?: Hook
  /** May be started again after a crash: a second start changes nothing that the first did not. */
  idempotent?: boolean
  /** What it returns was written by strangers: it is wrapped, scanned, and taints the run. */
  untrusted?: boolean
  requiredSecretScopes?: readonly string[]
  aliases?: readonly Alias[]
  /** The model's API delivers the first argument before the last is written. */
  eagerInputStreaming?: boolean
  /** From the start of `execute`; then the signal is aborted, and after a grace the call ends without it. */
  timeoutMs?: number
  maxOutputBytes?: number
  rateLimit?: RateLimit
  /**
   * Fills in what the arguments leave to the moment (the shell's directory), before anybody decides: what was completed
   * is what the card shows, what is recorded, and what runs. Reads only. May refuse with a sentence.
   */
  complete?(
    args: Args,
    caller: CompletionCaller,
  ): Promise<{ ok: true; arguments: Args } | { ok: false; problem: string }>
  /** The arguments that `complete` fills in: an edit of the call that leaves them out keeps what was filled in. */
  completes?: readonly string[]
  /** What the approval card shows. Pure, and quick: it may run for a call that is never allowed. */
  summarize?(args: Args): Summary
  /**
   * Which calls "Approve for this thread" speaks for: those with the same key. Every call of the tool where a tool does
   * not say; null for a call that is asked about each time. Pure.
   */
  leaseOf?(args: Args): LeaseScope | null
  execute(args: Args, context: ToolContext): Promise<ToolResult | Suspension>
  /** Called instead of `execute` when the question of its suspension was answered, maybe on another machine. */
  resume?(args: Args, answer: Answer, context: ToolContext): Promise<ToolResult | Suspension>
}

/** A tool whose arguments are nobody's business but its own: what registries and executors handle. */
// biome-ignore lint/suspicious/noExplicitAny: the executor has validated the arguments against the tool's own schema.
export type AnyTool = Tool<any>

export interface CompletionCaller {
  workspaceId: string
  conversationId: string
  agentId: string
  config: Readonly<Record<string, unknown>>
}

export interface ToolContext {
  /** Aborted when the call must end: stopped by a person, timed out, the process is going down. Obey within a second. */
  signal: AbortSignal
  workspaceId: string
  conversationId: string
  runId: string
  toolCallId: string
  agentId: string
  /** The member who asked for what the agent is doing; null where nobody did (a schedule). */
  requesterId: string | null
  /** Whether somebody is there to answer a question. */
  interactive: boolean
  /** The attachment's configuration, valid by the tool's `configSchema`; empty where there is none. */
  config: Readonly<Record<string, unknown>>
  /** The values of the tool's own scopes, by secret name, and no others. */
  secrets: ReadonlyMap<string, string>
  /**
   * Output as it comes, for a tool that produces much of it. It is counted as it streams; past the limit the signal is
   * aborted and `write` returns false. What was written precedes the result's `output`.
   */
  write(chunk: string | Uint8Array): boolean
  /** One line for people about what is being done right now. The model does not see it. */
  progress(line: string): void
  /** Says that strangers' content was read after all, where `untrusted` depends on the call. */
  taint(source: string): void
  /** Says what a model cost that the tool asked. It counts to the run, and to its budget, however the call ends. */
  spend(use: ModelUse): void
}

export interface ModelUse {
  inputTokens: number
  outputTokens: number
  /** Millionths of a dollar. */
  costMicros: number
}

export interface ToolResult {
  success: boolean
  /** For the model and people. */
  output: string
  /** What went wrong and what would help, where `success` is false. */
  error?: string
  /** The same result for programs; checked against `outputSchema`. */
  data?: unknown
  media?: readonly Media[]
}

export interface Media {
  mimeType: string
  /** Base64. */
  data: string
  filename?: string
}

/** "I need a person", or others. The call waits without costing anything, and `resume` goes on with the answer. */
export interface Suspension {
  suspend: ToolQuestion | Delegation
}

/**
 * Work for others: each task becomes a run of its own, with the person who asked for this one. When all of them have
 * ended, however they did, `resume` gets their ends as the answer's `value`, in the order of the tasks.
 */
export interface Delegation {
  kind: 'runs'
  tasks: readonly DelegatedTask[]
}

export interface DelegatedTask {
  /** What the run is called in lists. */
  title: string
  /** What its agent is asked, in words. */
  task: string
  /** Another agent of the workspace; the one that calls where nobody says. */
  agentId?: string
}

export interface DelegatedEnd {
  title: string
  runId: string
  status: 'succeeded' | 'failed' | 'stopped'
  /** The last thing that its agent said; empty where it said nothing. */
  output: string
  error: string | null
}

export type ToolQuestion =
  | { kind: 'confirmation'; title: string; body?: string }
  | { kind: 'choice' | 'multi_choice'; title: string; body?: string; options: readonly string[] }
  | { kind: 'text'; title: string; body?: string }
  | { kind: 'form'; title: string; body?: string; tabs: readonly FormTab[] }
  | { kind: 'plan'; title: string; body: string; data?: unknown }

export interface FormTab {
  title: string
  question: string
  options?: readonly string[]
  multiple?: boolean
}

export interface Answer {
  verdict: 'approve' | 'deny'
  /** What was chosen or written; an array for several, one entry a tab for a form; of a Delegation a DelegatedEnd a task. */
  value?: unknown
  reason?: string
  memberId: string | null
}

/** What a card shows before anybody decides: in words, before → after, who is reached. */
export interface Summary {
  /** One sentence in the imperative: "Write 12 lines to notes.md". */
  title: string
  /** Facts worth a line each. */
  facts?: readonly { label: string; value: string }[]
  diff?: { path: string; before: string; after: string }
  /** The people, addresses or hosts that are reached. */
  recipients?: readonly string[]
}

export interface LeaseScope {
  /** Equal for the calls that share a lease. */
  key: string
  /** What they are calls of, for the card: "`npm test …` in this folder". */
  words: string
}

export interface RateLimit {
  calls: number
  perMs: number
}

export function isSuspension(value: ToolResult | Suspension): value is Suspension {
  return 'suspend' in value
}

export const succeeded = (output: string, more: Omit<ToolResult, 'success' | 'output'> = {}): ToolResult => ({
  success: true,
  output,
  ...more,
})

export const failed = (
  error: string,
  more: Omit<ToolResult, 'success' | 'error'> | { output?: string } = {},
): ToolResult => ({
  success: false,
  output: '',
  ...more,
  error,
})
