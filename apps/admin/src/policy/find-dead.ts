import type { StoredPolicy } from '@quartermaster/db'
import { toolKit } from '../tool-kit.ts'
import { withContent } from './compile-policy.ts'
import type { PolicyView } from './read-policy.ts'

export interface DeadEntry {
  path: string
  pattern: string
  /** Where it stands, as people call it. */
  place: string
  reason: string
}

/** Dead patterns of the content that is shown, the agents' own among them. None where the policy cannot be compiled. */
export function findDead({ content, stored, tools, agents }: PolicyView): DeadEntry[] {
  const { config } = withContent(stored, content)
  // An agent without a version has `deny: *`, which nobody wrote.
  const written = Object.entries(config.agents).filter(([id]) => stored.agents.has(id))
  const whole = { ...config, agents: Object.fromEntries(written) }
  if (toolKit.checkPolicyConfig(whole).length) return []
  const names = new Map(agents.map(({ id, name }) => [id, name]))
  const rules = content.rules.map(({ name }) => name)
  return new toolKit.Policy(whole).deadPatterns(tools).map(({ path, pattern, reason }) => ({
    path,
    pattern,
    place: placeOf(path, names, rules),
    reason: reason === 'matches no tool' ? reasonOf(pattern, tools.gone, whole.groups) : reason,
  }))
}

/** A tool that was there and is not any more is worth knowing of: it may come back, or the pattern may go. */
function reasonOf(pattern: string, gone: readonly string[], groups: StoredPolicy['config']['groups']): string {
  const once = gone.filter((name) => toolKit.matchesTool(pattern, { name }, groups))
  if (!once.length) return 'matches no tool'
  return `matches no tool: ${once.slice(0, 3).join(', ')}${once.length > 3 ? ` and ${once.length - 3} more` : ''} ${once.length === 1 ? 'is' : 'are'} gone`
}

function placeOf(path: string, agents: ReadonlyMap<string, string>, rules: readonly string[]): string {
  const [, kind = path, rest = ''] = /^(\w+)(?:\.|\[|$)(.*)$/s.exec(path) ?? []
  if (kind === 'rules') return `the rule “${rules[Number.parseInt(rest, 10)] ?? rest}”`
  if (kind === 'hooks') return `hook ${Number.parseInt(rest, 10) + 1}`
  if (kind === 'allow' || kind === 'deny') return `the workspace’s ${kind}`
  const name = rest.replace(/\.(allow|deny|tools|reads|toolGroups)\[\d+\]$/, '')
  const list = /\.(\w+)\[\d+\]$/.exec(rest)?.[1]
  if (kind === 'profiles') return `the profile ${name}`
  if (kind === 'groups') return `the group ${name}`
  if (kind === 'skills') return `the skill ${name}`
  if (kind === 'providers') return `the ${list} of the provider ${name}`
  return `the ${list} of the agent ${agents.get(name) ?? name}`
}
