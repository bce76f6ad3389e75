// Whose calls a run's calls are: what the executor and the policy need to know of it, read once a step.
import { type AgentAttachments, type ClaimedRun, type Database, readTaint } from '@quartermaster/db'
import {
  type Caller,
  contextOfRun,
  isUnattended,
  type LynkrPolicy,
  narrowConfigs,
  type Policy,
} from '@quartermaster/tools'
import type { Policies, WorkspacePolicy } from '../policy/load-policy.ts'

/** What of a run says whose calls its calls are. */
export type CallingRun = Pick<
  ClaimedRun,
  'workspaceId' | 'conversationId' | 'runId' | 'agentId' | 'requestedBy' | 'trigger'
>

/** `known`: the taint of the run's conversation, where the run's claim holder has read it; only it can add to it. */
export type ComposeCaller = (
  run: CallingRun,
  known?: readonly string[] | null,
) => Promise<{ caller: Caller; policy: Policy }>

export function createComposeCaller(
  db: Database,
  policies: Policies,
  installation: Pick<LynkrPolicy, 'configs'>,
): ComposeCaller {
  return async (run, known = null) => {
    const [ofWorkspace, taint] = await Promise.all([
      policies.of(run.workspaceId, run.agentId),
      known ?? readTaint(db, run.conversationId),
    ])
    return composeCaller(ofWorkspace, await ofWorkspace.attachmentsOf(run.agentId), taint, installation, run)
  }
}

function composeCaller(
  { policy, agents }: WorkspacePolicy,
  attachments: AgentAttachments | null,
  taint: readonly string[],
  installation: Pick<LynkrPolicy, 'configs'>,
  run: CallingRun,
): { caller: Caller; policy: Policy } {
  const caller: Caller = {
    workspaceId: run.workspaceId,
    conversationId: run.conversationId,
    runId: run.runId,
    agentId: run.agentId,
    requesterId: run.requestedBy,
    interactive: !isUnattended(run.trigger),
    policy: contextOfRun({
      agentId: run.agentId,
      trigger: run.trigger,
      agent: agents.get(run.agentId),
      attachments: attachments && [...attachments.attached.keys()],
      taint,
    }),
    configs: narrowConfigs(attachments?.attached ?? new Map(), installation.configs),
  }
  return { caller, policy }
}
