// What the policy says about every tool of the registry for one configuration of an agent: the same `Policy` the bot
// decides with, so that nobody has to guess what publishing changes.
import type { AgentConfiguration, StoredPolicy } from '@quartermaster/db'
import type { AnyTool, LynkrPolicy, PolicyContext, TrailEntry, Verdict } from '@quartermaster/tools'
import { data } from '../data.ts'
import { toolKit } from '../tool-kit.ts'
import type { AgentTools } from './read-tools.ts'

export interface ToolDecision {
  verdict: Verdict
  /** The reasons in their order; the last one decides. */
  trail: readonly TrailEntry[]
  /** What may decide otherwise, once the arguments of a call are known. */
  byArguments: ByArguments[]
}

export interface ByArguments {
  /** A rule or a hook with conditions, or what the call does: a GET reads, a POST sends. */
  kind: 'rule' | 'hook' | 'effect'
  /** The rule's name, the hook's pattern, the effect. */
  name: string
  verdict: Verdict
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
  const rules = config.rules.filter((rule) => rule.enabled !== false && rule.conditions?.length)
  const hooks = config.hooks.filter((hook) => hook.conditions?.length)
  const byArgumentsOf = (tool: AnyTool, verdict: Verdict): ByArguments[] => {
    const isMeant = ({ pattern }: { pattern: string }) => toolKit.matchesTool(pattern, tool, config.groups)
    const effects = tool.effectOf ? [...new Set(['read', tool.effect] as const)] : []
    return [
      ...rules.filter(isMeant).map((rule) => ({ kind: 'rule' as const, name: rule.name, verdict: rule.verdict })),
      ...hooks.filter(isMeant).map(({ pattern, hook }) => {
        const asks: Verdict = hook === 'confirm' ? 'ask' : 'allow'
        return { kind: 'hook' as const, name: pattern, verdict: asks }
      }),
      ...effects
        .map((effect) => ({
          kind: 'effect' as const,
          name: effect,
          verdict: policy.decide({ ...tool, effectOf: () => effect }, {}, context).verdict,
        }))
        .filter((other) => other.verdict !== verdict),
    ]
  }
  const source = { version: 1, list: () => [...tools.described.values()] }
  const decisions = new Map<string, ToolDecision>()
  for (const [name, tool] of tools.described) {
    const { verdict, trail } = policy.decide(tool, {}, context)
    decisions.set(name, {
      verdict,
      trail,
      // Where the tool is not there, no argument brings it back.
      byArguments: policy.resolve(source, context).get(name)?.verdict === 'deny' ? [] : byArgumentsOf(tool, verdict),
    })
  }
  return { ok: true, decisions }
}
