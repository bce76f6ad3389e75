import type { PolicyContent, StoredPolicy } from '@quartermaster/db'
import type { AnyTool, ConfigProblem, LynkrPolicy, Policy, Rule } from '@quartermaster/tools'
import { data } from '../data.ts'
import { runtime } from '../runtime.ts'
import { toolKit } from '../tool-kit.ts'

/** The rules that whoever runs the installation fixed. Before a bot has said what it is, nothing is fixed. */
export async function readInstallation(): Promise<LynkrPolicy> {
  const fixed = await data.readInstallationPolicy(runtime().db)
  return toolKit.fromLynkrSettings(fixed?.settings ?? {})
}

/** As the bot compiles it: the installation's rules beside the workspace's own. */
export function configOf({ config }: StoredPolicy, installation: LynkrPolicy): StoredPolicy['config'] {
  return { ...config, rules: [...(installation.rules as StoredPolicy['config']['rules']), ...config.rules] }
}

/** Throws a PolicyConfigError. */
export const compilePolicy = (stored: StoredPolicy, installation: LynkrPolicy): Policy =>
  new toolKit.Policy(configOf(stored, installation))

/** The policy as it would be with this content live. */
export const withContent = (stored: StoredPolicy, content: PolicyContent): StoredPolicy =>
  data.withContent(stored, content)

/**
 * What is wrong with a policy, a sentence each with its place: for the functions of packages/db that change it. Rules
 * are counted as people see them, without the installation's.
 */
export function createCheck(
  installation: LynkrPolicy,
  tools: readonly AnyTool[],
): (policy: StoredPolicy) => readonly string[] {
  return (policy) => {
    const problems = toolKit.checkPolicyConfig(configOf(policy, installation))
    // Once more with the tools, whose own groups an example may be about.
    const byTools = policy.config.rules.flatMap((rule, at) =>
      problems.some(({ path }) => path.startsWith(ruleAt(at + installation.rules.length)))
        ? []
        : toolKit
            .checkRule(rule as Rule, tools, policy.config.groups)
            .map((message) => ({ path: `rules[${at}]`, message })),
    )
    return [...problems.map((problem) => nameRules(problem, installation.rules.length)), ...byTools].map(
      ({ path, message }) => (path ? `${path}: ${message}` : message),
    )
  }
}

const ruleAt = (at: number) => `rules[${at}]`

function nameRules({ path, message }: ConfigProblem, fixed: number): ConfigProblem {
  return { path: path.replace(/^rules\[(\d+)\]/, (_, at) => ruleAt(Number(at) - fixed)), message }
}
