import { data } from '../../../data.ts'
import { withContent } from '../../../policy/compile-policy.ts'
import type { PolicyView } from '../../../policy/read-policy.ts'

/** Where the policy names a group, in words: each would be left with a pattern that matches nothing. */
export function usersOfGroup(view: PolicyView, group: string): string[] {
  const agents = new Map(view.agents.map(({ id, name }) => [id, name]))
  return data.usesOfGroup(group, withContent(view.stored, view.content)).map(({ kind, key }) => {
    if (kind === 'setting') return `the workspace’s ${key}`
    if (kind === 'hook') return `a hook`
    if (kind === 'rule') return `the rule “${key}”`
    return `the ${kind} ${kind === 'agent' ? (agents.get(key) ?? key) : key}`
  })
}
