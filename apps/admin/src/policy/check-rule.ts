// What is told about a rule while it is written: the same checks as when it is saved, example by example.
import type { Condition, RulePart, StoredPolicy } from '@quartermaster/db'
import type { AnyTool, Rule } from '@quartermaster/tools'
import { toolKit } from '../tool-kit.ts'

export interface CheckedRule {
  /** What is wrong with the pattern or the conditions; examples are then not looked at. */
  problems: string[]
  /** How many tools the pattern matches. */
  tools: number
  /** Arguments that the matched tools take, for the conditions. */
  paths: string[]
  /** Whether each example does what it must. */
  mustMatch: boolean[]
  mustNotMatch: boolean[]
  /** The stricter rule that matches whenever this one does. */
  shadowedBy: string | null
}

export const asRule = ({ decision, ...rule }: RulePart, id: string): Rule =>
  ({ ...rule, id, verdict: decision, conditions: rule.conditions as Condition[] }) as Rule

export function checkRuleAsTyped(
  part: RulePart,
  id: string,
  tools: readonly AnyTool[],
  others: readonly Rule[],
  groups: StoredPolicy['config']['groups'],
): CheckedRule {
  const rule = asRule(part, id)
  const bare = { ...rule, mustMatch: [], mustNotMatch: [] }
  const problems = toolKit.checkPolicyConfig({ profile: 'full', groups, rules: [bare] }).map(({ message }) => message)
  const matched = problems.length ? [] : tools.filter((tool) => toolKit.matchesTool(part.pattern, tool, groups))
  const holds = (examples: Pick<Rule, 'mustMatch' | 'mustNotMatch'>) =>
    !problems.length && toolKit.checkRule({ ...bare, ...examples }, tools, groups).length === 0
  const shadow =
    problems.length || !part.enabled
      ? undefined
      : toolKit
          .findShadowedRules([...others.filter((other) => other.id !== id), rule], tools, groups)
          .find((found) => found.id === id)
  return {
    problems,
    tools: matched.length,
    paths: [
      ...new Set(matched.slice(0, 50).flatMap(({ inputSchema }) => Object.keys(propertiesOf(inputSchema)))),
    ].slice(0, 200),
    mustMatch: part.mustMatch.map((example) => holds({ mustMatch: [example] })),
    mustNotMatch: part.mustNotMatch.map((example) => holds({ mustNotMatch: [example] })),
    shadowedBy: shadow?.by.name ?? null,
  }
}

function propertiesOf(schema: AnyTool['inputSchema']): Record<string, unknown> {
  const { properties } = schema as { properties?: unknown }
  return properties !== null && typeof properties === 'object' ? (properties as Record<string, unknown>) : {}
}
