// The policy of each workspace, compiled and kept until it changes, with what is attached to its agents. A change reaches
// us as a notice; a notice can be missed, so what is kept is checked against the revision from time to time, and all of
// it is dropped after a break of the connection. A policy that cannot be read or compiled is thrown: whoever asks for it
// must then refuse the call.
import {
  type AgentAttachments,
  type Database,
  loadAttachments,
  loadPolicy,
  type Notice,
  type PolicyNotice,
  Problem,
  policyRevision,
  type StoredPolicy,
} from '@quartermaster/db'
import { type LynkrPolicy, Policy, PolicyConfigError } from '@quartermaster/tools'
import { limits } from '../limits.ts'

export interface WorkspacePolicy {
  revision: number
  policy: Policy
  agents: StoredPolicy['agents']
  /** What is attached to one of them. Whoever changes that moves the revision, so it is kept as long as the rest. */
  attachmentsOf(agentId: string): Promise<AgentAttachments | null>
}

export interface Policies {
  /** What holds for this agent now. */
  of(workspaceId: string, agentId: string): Promise<WorkspacePolicy>
  onNotice(notice: Notice): void
}

interface Kept {
  value: WorkspacePolicy
  checkedAt: number
}

/** `installation`: the rules that hold in every workspace, beside its own. Deny wins, so none of them is undone. */
export function createPolicies(
  db: Database,
  installation: Pick<LynkrPolicy, 'rules'>,
  now: () => number = Date.now,
): Policies {
  const kept = new Map<string, Kept>()
  const loading = new Map<string, Promise<WorkspacePolicy>>()
  /** The newest revision that was told while its workspace was being read: an older one is not kept. */
  const told = new Map<string, number>()
  let breaks = 0

  async function read(workspaceId: string): Promise<WorkspacePolicy> {
    const breaksBefore = breaks
    for (;;) {
      const stored = await loadPolicy(db, workspaceId)
      if (!stored) throw new Problem('There is no such workspace.', 'Nothing is allowed in it.')
      if (stored.revision < (told.get(workspaceId) ?? 0)) continue // A notice comes after its commit: this ends.
      const value = {
        revision: stored.revision,
        policy: compile(stored, installation),
        agents: stored.agents,
        attachmentsOf: keepReads((agentId) => loadAttachments(db, agentId)),
      }
      if (breaks === breaksBefore) keep(workspaceId, value)
      return value
    }
  }

  function keep(workspaceId: string, value: WorkspacePolicy): void {
    kept.delete(workspaceId)
    const oldest = kept.size >= limits.policiesKept ? kept.keys().next().value : undefined
    if (oldest !== undefined) kept.delete(oldest)
    kept.set(workspaceId, { value, checkedAt: now() })
  }

  /** Those who ask while it is being read share one read. */
  function load(workspaceId: string): Promise<WorkspacePolicy> {
    const known = loading.get(workspaceId)
    if (known) return known
    const reading = read(workspaceId).finally(() => {
      loading.delete(workspaceId)
      told.delete(workspaceId)
    })
    loading.set(workspaceId, reading)
    return reading
  }

  async function current(workspaceId: string): Promise<WorkspacePolicy> {
    const found = kept.get(workspaceId)
    if (!found) return load(workspaceId)
    if (now() - found.checkedAt < limits.policyCheckMs) return found.value
    if ((await policyRevision(db, workspaceId)) !== found.value.revision) return load(workspaceId)
    found.checkedAt = now()
    return found.value
  }

  return {
    async of(workspaceId, agentId) {
      const value = await current(workspaceId)
      if (hasAgent(value, agentId)) return value
      // Younger than what is kept. Without its layer nothing would narrow it, so it is not used without.
      const newer = await load(workspaceId)
      if (hasAgent(newer, agentId)) return newer
      throw new Problem(`The agent ${agentId} is not one of this workspace.`, 'Nothing is allowed to it.')
    },
    onNotice(notice) {
      if (notice.kind === 'gap') {
        breaks++
        kept.clear()
        return
      }
      const { workspaceId, revision } = JSON.parse(notice.payload) as PolicyNotice
      if (loading.has(workspaceId)) told.set(workspaceId, Math.max(revision, told.get(workspaceId) ?? 0))
      if ((kept.get(workspaceId)?.value.revision ?? revision) < revision) kept.delete(workspaceId)
    },
  }
}

/** Each key is read once, by however many ask. What could not be read is asked for again. */
function keepReads<T>(read: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const kept = new Map<string, Promise<T>>()
  return (key) => {
    const known = kept.get(key)
    if (known) return known
    const reading = read(key)
    kept.set(key, reading)
    reading.catch(() => kept.delete(key))
    return reading
  }
}

const hasAgent = ({ policy }: WorkspacePolicy, agentId: string): boolean =>
  Object.hasOwn(policy.config.agents ?? {}, agentId)

function compile({ config }: StoredPolicy, installation: Pick<LynkrPolicy, 'rules'>): Policy {
  try {
    return new Policy({ ...config, rules: [...installation.rules, ...config.rules] })
  } catch (error) {
    if (!(error instanceof PolicyConfigError)) throw error
    throw new Problem(
      `The workspace's policy cannot be used: ${error.message}`,
      'Correct it in the policy. Until then every tool call of the workspace is refused.',
      { cause: error },
    )
  }
}
