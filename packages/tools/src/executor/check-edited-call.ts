// "Edit…" on an approval card: whether what a person made of a call's arguments may run, and what stands on the card
// then. The same stages as for a call of the model, up to the question: who edits is trusted no more than who asked.
import type { AnyTool, LeaseScope, Summary } from '../contract.ts'
import type { TrailEntry } from '../policy/decision.ts'
import type { Policy } from '../policy/policy.ts'
import type { ApproverRule } from '../policy/policy-config.ts'
import type { ToolLookup } from '../tool-lookup.ts'
import { toolVersion } from '../tool-version.ts'
import { completeArguments } from './complete-arguments.ts'
import { digestOf } from './digest.ts'
import { leaseScopeOf } from './lease-scope.ts'
import type { Caller } from './outcome.ts'
import { parseArguments } from './parse-arguments.ts'
import { Refusal } from './refusal.ts'
import { summarizeCall } from './summarize-call.ts'

export interface EditedCall {
  toolName: string
  /** Of the call as it was asked about: an approval is of one version. */
  toolVersion: string
  /** As it was asked about, and what somebody made of it. */
  arguments: unknown
  editedArguments: unknown
}

export type EditVerdict =
  | {
      ok: true
      arguments: unknown
      argumentsDigest: string
      summary: Summary
      reasons: readonly TrailEntry[]
      /** Who must approve them; null where the policy would let them run without asking. */
      approval: { approvers: ApproverRule; required: number } | null
      /** Which calls a lease that is granted with them speaks for; null: none can be granted. */
      leaseScope: LeaseScope | null
    }
  | { ok: false; problems: string[] }

export async function checkEditedCall(
  tools: ToolLookup,
  policy: Policy,
  caller: Caller,
  call: EditedCall,
): Promise<EditVerdict> {
  const tool = tools.get(call.toolName)
  if (tool === undefined) return refused(`There is no tool '${call.toolName}' any more.`)
  if (toolVersion(tool) !== call.toolVersion)
    return refused(`The tool '${tool.name}' has changed since this was asked. Deny it, and let the agent ask again.`)
  const given = parseArguments({ tool, alias: null }, keepCompleted(tool, call), caller)
  if (given instanceof Refusal) return refused(given.error)
  // What was completed is looked at again, and the digest is of what will run.
  const parsed = await completeArguments(tool, given, caller)
  if (parsed instanceof Refusal) return refused(parsed.error)
  const decision = policy.decide(tool, parsed.arguments, caller.policy)
  if (decision.verdict === 'deny') {
    const reason = decision.trail.findLast((entry) => entry.verdict === 'deny')?.reason
    return refused(`The policy does not allow that${reason ? `: ${reason}` : ''}.`)
  }
  const { approval } = decision
  return {
    ok: true,
    arguments: parsed.arguments,
    argumentsDigest: digestOf(call.toolVersion, parsed.arguments, caller.workingDirectory),
    summary: summarizeCall(tool, parsed.arguments),
    reasons: decision.trail,
    approval: approval && { approvers: approval.approvers, required: approval.required },
    leaseScope: leaseScopeOf(tool, parsed.arguments, approval),
  }
}

/** Whoever edits a command and takes out its directory means the one on the card, and not wherever it would be now. */
function keepCompleted(tool: AnyTool, { arguments: before, editedArguments: after }: EditedCall): unknown {
  if (!tool.completes || !isObject(before) || !isObject(after)) return after
  const filledIn = Object.entries(before).filter(([name]) => tool.completes?.includes(name))
  return { ...Object.fromEntries(filledIn), ...after }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const refused = (problem: string): EditVerdict => ({ ok: false, problems: [problem] })
