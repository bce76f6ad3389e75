// What the policy says about every tool of the registry for one configuration of an agent: the same `Policy` the bot
// decides with, so that nobody has to guess what publishing changes.
import type { AgentConfiguration, StoredPolicy } from '@quartermaster/db'
import type { LynkrPolicy, PolicyContext, TrailEntry, Verdict } from '@quartermaster/tools'
import { data } from '../data.ts'
import { toolKit } from '../tool-kit.ts'
import type { AgentTools } from './read-tools.ts'

export interface ToolDecision {
  verdict: Verdict
  /** The reasons in their order; the last one decides. */
  trail: { layer: string; verdict: Verdict; reason: string }[]
  /** Rules that may decide otherwise, by the arguments of a call. */
  byArguments: { name: string; verdict: Verdict }[]
}

export type Decided =
  | { ok: true; decisions: ReadonlyMap<string, ToolDecision> }
  /** The policy as it would be cannot be used; a sentence each. */
  | { ok: false; problems: string[] }

interface Asked {
  agentId: string
  configuration: AgentConfiguration
  stored: StoredPolicy
  installation: Pick<LynkrPolicy, 'rules'>
  tools: AgentTools
}

export function decideTools({ agentId, configuration, stored, installation, tools }: Asked): Decided {
  const { profile, toolsAllow, toolsDeny, approvers, approvalsRequired, provider, autonomy } = configuration
  const layer = data.layerOfAgent({
    ...{ profile, allow: toolsAllow, deny: toolsDeny, approvers, required: approvalsRequired },
  })
  const config = {
    ...stored.config,
    agents: { ...stored.config.agents, [agentId]: layer },
    rules: [...installation.rules, ...stored.config.rules],
  }
  const problems = toolKit.checkPolicyConfig(config).map(({ path, message }) => `${path}: ${message}`)
  if (problems.length) return { ok: false, problems: problems.map((text) => text.replace(`agents.${agentId}.`, '')) }
  const policy = new toolKit.Policy(config)
  const context: PolicyContext = {
    agent: agentId,
    provider,
    autonomy,
    attachments: configuration.attachments.length
      ? configuration.attachments.flatMap(({ toolId }) => {
          const row = tools.byId.get(toolId)
          return row && !row.unavailable ? [row.name] : []
        })
      : null,
  }
  const conditional = config.rules.filter((rule) => rule.enabled !== false && rule.conditions?.length)
  const decisions = new Map<string, ToolDecision>()
  for (const [name, tool] of tools.described) {
    const { verdict, trail } = policy.decide(tool, {}, context)
    decisions.set(name, {
      verdict,
      trail: trail.map((entry) => inWords(entry, agentId)),
      byArguments:
        verdict === 'deny' && trail.at(-1)?.layer !== 'rule'
          ? []
          : conditional
              .filter((rule) => toolKit.matchesTool(rule.pattern, tool))
              .map((rule) => ({ name: rule.name, verdict: rule.verdict })),
    })
  }
  return { ok: true, decisions }
}

/** The policy knows agents by their ids, and the reader looks at this one. */
const inWords = ({ layer, verdict, reason }: TrailEntry, agentId: string) => ({
  layer,
  verdict,
  reason: reason.replaceAll(`the agent ${agentId}`, 'this agent'),
})
