// What owners write down: the policy as data. `Policy` (policy.ts) compiles it; nothing else reads it.
import type { Hook } from '../contract.ts'

export type Verdict = 'allow' | 'ask' | 'deny'
export type Autonomy = 'supervised' | 'standard' | 'autonomous'
export type Role = 'owner' | 'admin' | 'approver' | 'member' | 'viewer'

/** One layer: a profile's tools, plus `allow`, minus `deny`. A layer without a profile starts from everything. */
export interface Layer {
  profile?: string
  allow?: readonly string[]
  deny?: readonly string[]
}

export interface Profile {
  description?: string
  /** Patterns: `file.read`, `file.*`, `mcp:github:*`, `group:fs`, `*`. */
  tools: readonly string[]
  /** Patterns of tools that may be called as long as the call only reads. */
  reads?: readonly string[]
}

/** Made in the console, and named by `group:<name>` wherever a pattern can stand. */
export interface Group {
  description?: string
  /** Names, prefixes and built-in groups; another group of one's own is not in a group. */
  tools: readonly string[]
}

/** The layer of one agent: also who answers for it, where no rule says. */
export interface AgentLayer extends Layer {
  approval?: Approval
}

/** A skill's permissions. No entry, no tools; `tools` overrides `toolGroups`. */
export interface SkillPermissions {
  tools?: readonly string[]
  toolGroups?: readonly string[]
}

export interface PolicyConfig {
  profile: string
  allow?: readonly string[]
  deny?: readonly string[]
  /** Canonical names of the tools that are switched off. Nothing brings them back: neither a list nor a rule. */
  disabled?: readonly string[]
  /** Made in the console; the four built-in names cannot be taken. */
  profiles?: Readonly<Record<string, Profile>>
  /** Made in the console, too; the names of the built-in ones are taken. */
  groups?: Readonly<Record<string, Group>>
  agents?: Readonly<Record<string, AgentLayer>>
  providers?: Readonly<Record<string, Layer>>
  skills?: Readonly<Record<string, SkillPermissions>>
  hooks?: readonly HookRule[]
  rules?: readonly Rule[]
  /** Who answers where neither a rule nor the agent says. */
  approval?: Approval
}

/** How an allowed call runs. The most specific pattern wins; of equals, the strictest. */
export interface HookRule {
  pattern: string
  /** As a rule's: all of them must hold. */
  conditions?: readonly Condition[]
  hook: Hook
  /** Asks even where the agent is autonomous; only with `confirm`. */
  insist?: boolean
}

/** An argument-aware rule. The strictest of all that match wins: deny > ask > allow. */
export interface Rule {
  id: string
  name: string
  pattern: string
  conditions?: readonly Condition[]
  verdict: Verdict
  approval?: Approval
  /** Calls that must and must not match, checked when the rule is saved. */
  mustMatch?: readonly Example[]
  mustNotMatch?: readonly Example[]
  /** For people: why the rule is there. It is shown on the card. */
  note?: string
  enabled?: boolean
}

export interface Example {
  tool?: string
  arguments: Readonly<Record<string, unknown>>
}

/**
 * A condition on one argument. `path` is dotted (`headers.accept`, `files.0`). `command` is matched by the shell's own
 * grammar: `git status*` covers one simple command, never what is chained, piped, substituted or redirected to it.
 */
export type Condition = { path: string } & (
  | { equals: unknown }
  | { oneOf: readonly unknown[] }
  /** `*` stands for any run of characters, anchored at both ends; no regular expressions. */
  | { glob: string }
  | { command: string }
  /** The host of a URL: `example.com`, `*.example.com`. */
  | { host: readonly string[] }
  /** A path that stays below one of these folders once `.` and `..` are resolved. */
  | { under: readonly string[] }
  | { max: number }
  | { present: boolean }
  | { not: Condition }
)

/** Who may answer, how many must, and what silence means. */
export interface Approval {
  approvers?: ApproverRule
  /** N of M: how many must approve; one denial is enough. */
  required?: number
  expiresInMs?: number
  onExpiry?: 'deny' | 'escalate'
  /** Who is asked next when it escalates; then silence denies. */
  escalateTo?: ApproverRule
  /** What "approve for this thread" would grant; false: it is not offered. */
  lease?: { maxUses: number; durationMs: number } | false
  /** Whether the arguments may be edited before approving. */
  mayEdit?: boolean
}

/** An empty rule: approvers, admins and owners. */
export interface ApproverRule {
  /** The person who asked the agent. */
  requester?: boolean
  /** Anybody but them, even if the rest of the rule names them. */
  notRequester?: boolean
  /** These roles, or a higher one. */
  roles?: readonly Role[]
  memberIds?: readonly string[]
  /** And each of these must let them answer too: how the approvers of several rules are combined. */
  allOf?: readonly ApproverRule[]
}

/** Whose call it is: what selects the layers. */
export interface PolicyContext {
  /** The key in `agents`; an agent without an entry has no layer of its own. */
  agent?: string
  provider?: string
  /** Set: the call comes out of this skill, and only what its permissions name is left. */
  skill?: string
  /** The canonical names of the agent's attached tools; null: none attached, so the default set. */
  attachments?: readonly string[] | null
  autonomy?: Autonomy
  /** Nobody is there to answer (a schedule): what would ask still asks, in the agent's home channel. */
  unattended?: boolean
  /** Strangers' content was read in this run, from these sources. */
  taint?: readonly string[]
}
