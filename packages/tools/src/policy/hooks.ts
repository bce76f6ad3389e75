// How an allowed call runs: `confirm`, `log` or `silent`.
//
// The most specific pattern wins (a name before a prefix before a group before `*`); of the same pattern, one whose
// conditions hold before one without conditions; of equals, the strictest. Where none matches, the tool's own default
// counts, and where it has none, its effect: a read is silent, a write is logged, the rest asks.
import type { Effect, Hook } from '../contract.ts'
import { type ArgumentTest, compileConditions } from './conditions.ts'
import type { PatternIndex, Signature } from './pattern.ts'
import type { HookRule } from './policy-config.ts'

export interface CompiledHook {
  hook: Hook
  pattern: string
  insist: boolean
  /** null: holds for every call. */
  test: ArgumentTest | null
}

const strictness: Record<Hook, number> = { confirm: 2, log: 1, silent: 0 }

export const defaultHook = (declared: Hook | undefined, effect: Effect): Hook =>
  declared ?? (effect === 'read' ? 'silent' : effect === 'write' ? 'log' : 'confirm')

export class Hooks {
  readonly #byPattern = new Map<number, (CompiledHook & { rank: number })[]>()

  constructor(index: PatternIndex, rules: readonly HookRule[]) {
    for (const rule of rules) {
      const id = index.add(rule.pattern)
      const compiled = {
        hook: rule.hook,
        pattern: rule.pattern,
        insist: rule.insist === true,
        // A hook that asks must not be talked out of it by a disguise; one that lowers must be sure.
        test: compileConditions(rule.conditions, rule.hook === 'confirm' ? 'possibly' : 'surely'),
        rank: index.rank(id),
      }
      this.#byPattern.set(id, [...(this.#byPattern.get(id) ?? []), compiled])
    }
  }

  /** What can apply to a tool, the first that holds decides. Ends at the first that always holds. */
  for(signature: Signature): readonly CompiledHook[] {
    const found = signature.patterns.flatMap((id) => this.#byPattern.get(id) ?? [])
    found.sort(
      (a, b) =>
        b.rank - a.rank ||
        Number(b.test !== null) - Number(a.test !== null) ||
        strictness[b.hook] - strictness[a.hook] ||
        Number(b.insist) - Number(a.insist),
    )
    const always = found.findIndex(({ test }) => test === null)
    return always < 0 ? found : found.slice(0, always + 1)
  }
}
