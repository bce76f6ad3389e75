// Argument-aware rules. Of all that match a call the strictest wins: deny > ask > allow.
import type { AnyTool } from '../contract.ts'
import { type ArgumentTest, compileConditions, type Reading } from './conditions.ts'
import { matchesTool, type OwnGroups, type PatternIndex, parsePattern, type Signature } from './pattern.ts'
import type { Example, Rule, Verdict } from './policy-config.ts'

export interface CompiledRule {
  rule: Rule
  /** null: holds for every call. */
  test: ArgumentTest | null
}

const strictness: Record<Verdict, number> = { deny: 2, ask: 1, allow: 0 }

/** An allow must be sure; what denies or asks must not be talked out of it. */
export const readingOf = (verdict: Verdict): Reading => (verdict === 'allow' ? 'surely' : 'possibly')

export class Rules {
  readonly #byPattern = new Map<number, CompiledRule[]>()

  constructor(index: PatternIndex, rules: readonly Rule[]) {
    for (const rule of rules) {
      if (rule.enabled === false) continue
      const id = index.add(rule.pattern)
      const compiled = { rule, test: compileConditions(rule.conditions, readingOf(rule.verdict)) }
      this.#byPattern.set(id, [...(this.#byPattern.get(id) ?? []), compiled])
    }
  }

  /** What can apply to a tool, the strictest first; of equals in the order of their ids, whatever order they came in. */
  for(signature: Signature): readonly CompiledRule[] {
    return signature.patterns
      .flatMap((id) => this.#byPattern.get(id) ?? [])
      .sort((a, b) => strictness[b.rule.verdict] - strictness[a.rule.verdict] || (a.rule.id < b.rule.id ? -1 : 1))
  }
}

/** The rules that match and are as strict as the strictest that does; null where none does. */
export function matchRules(rules: readonly CompiledRule[], args: unknown): readonly Rule[] | null {
  let matching: Rule[] | null = null
  for (const { rule, test } of rules) {
    if (matching !== null && rule.verdict !== matching[0]!.verdict) break
    if (test !== null && !test(args)) continue
    if (matching === null) matching = [rule]
    else matching.push(rule)
  }
  return matching
}

/**
 * What is wrong with a rule: a pattern or a condition that cannot be read, and examples that do not do what they must.
 * An example without a tool is about the pattern's own; with tools given, their aliases and groups count too.
 */
export function checkRule(rule: Rule, tools: readonly AnyTool[] = [], groups?: OwnGroups): string[] {
  const problems: string[] = []
  const attempt = <T>(read: () => T): T | undefined => {
    try {
      return read()
    } catch (error) {
      problems.push(error instanceof Error ? error.message : String(error))
    }
  }
  attempt(() => parsePattern(rule.pattern))
  const test = attempt(() => compileConditions(rule.conditions, readingOf(rule.verdict)))
  if (problems.length > 0) return problems
  const matches = (example: Example): boolean => {
    if (example.tool !== undefined) {
      const tool = tools.find(({ name }) => name === example.tool) ?? { name: example.tool }
      if (!matchesTool(rule.pattern, tool, groups)) return false
    }
    return test == null || test(example.arguments)
  }
  for (const example of rule.mustMatch ?? [])
    if (!matches(example)) problems.push(`does not match ${shown(example)}, and must`)
  for (const example of rule.mustNotMatch ?? [])
    if (matches(example)) problems.push(`matches ${shown(example)}, and must not`)
  return problems
}

const shown = ({ tool, arguments: args }: Example): string => {
  const text = JSON.stringify(args)
  return `${tool === undefined ? '' : `${tool} `}${text.length > 200 ? `${text.slice(0, 200)}…` : text}`
}
