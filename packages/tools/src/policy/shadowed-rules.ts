// Rules that never decide, because a stricter one matches whenever they do. Only what is certain is said: the stricter
// rule matches every tool that there is and that the other one matches, and asks for nothing that the other one does not
// ask for as well. (An allow is read `surely` and the others `possibly`; what surely holds also possibly holds.)
import { isDeepStrictEqual } from 'node:util'
import type { AnyTool } from '../contract.ts'
import { matchesTool, type OwnGroups } from './pattern.ts'
import type { Condition, Rule, Verdict } from './policy-config.ts'

export interface ShadowedRule {
  /** The id of the rule that never decides. */
  id: string
  /** The stricter rule. */
  by: { id: string; name: string }
}

const strictness: Record<Verdict, number> = { deny: 2, ask: 1, allow: 0 }

/** By the tools that there are now: a new one may be matched by the one and not by the other. */
export function findShadowedRules(
  rules: readonly Rule[],
  tools: readonly AnyTool[],
  groups?: OwnGroups,
): ShadowedRule[] {
  const enabled = rules.filter((rule) => rule.enabled !== false)
  const matched = new Map<string, ReadonlySet<string>>()
  const toolsOf = (pattern: string): ReadonlySet<string> => {
    let names = matched.get(pattern)
    if (!names) {
      names = new Set(tools.filter((tool) => matchesTool(pattern, tool, groups)).map(({ name }) => name))
      matched.set(pattern, names)
    }
    return names
  }
  return enabled.flatMap((rule) => {
    const own = toolsOf(rule.pattern)
    // One that matches no tool is dead, which is said elsewhere.
    if (own.size === 0) return []
    const by = enabled.find(
      (other) =>
        strictness[other.verdict] > strictness[rule.verdict] &&
        includesAll(toolsOf(other.pattern), own) &&
        (other.conditions ?? []).every((condition) => (rule.conditions ?? []).some((one) => isSame(one, condition))),
    )
    return by ? [{ id: rule.id, by: { id: by.id, name: by.name } }] : []
  })
}

const includesAll = (names: ReadonlySet<string>, some: ReadonlySet<string>): boolean =>
  [...some].every((name) => names.has(name))

const isSame = (one: Condition, other: Condition): boolean => isDeepStrictEqual(one, other)
