// Where a policy names a group of the workspace, and why one that is named cannot be taken away: a deny of a group that is
// not there denies nothing, and nobody would be told.
import type { StoredPolicy } from './policy.ts'

export interface GroupUse {
  kind: 'setting' | 'profile' | 'agent' | 'provider' | 'skill' | 'hook' | 'rule'
  /** `allow` or `deny`, a name, an agent's id, a hook's pattern. */
  key: string
}

export function usesOfGroup(group: string, { config }: Pick<StoredPolicy, 'config'>): GroupUse[] {
  const pattern = `group:${group}`
  const has = (...lists: (readonly string[] | undefined)[]) => lists.some((list) => list?.includes(pattern))
  const named = <Part>(kind: GroupUse['kind'], parts: Record<string, Part>, isUse: (part: Part) => boolean) =>
    Object.entries(parts).flatMap(([key, part]) => (isUse(part) ? [{ kind, key }] : []))
  return [
    ...(['allow', 'deny'] as const).flatMap((key) => (has(config[key]) ? [{ kind: 'setting' as const, key }] : [])),
    ...named('profile', config.profiles, ({ tools, reads }) => has(tools, reads)),
    ...named('agent', config.agents, ({ allow, deny }) => has(allow, deny)),
    ...named('provider', config.providers, ({ allow, deny }) => has(allow, deny)),
    // Of a skill, groups may be written without the word.
    ...named('skill', config.skills, (skill) =>
      'tools' in skill ? has(skill.tools) : has(skill.toolGroups) || skill.toolGroups.includes(group),
    ),
    ...config.hooks.flatMap((hook) => (hook.pattern === pattern ? [{ kind: 'hook' as const, key: pattern }] : [])),
    // Also one that is switched off: it would come back as one that matches nothing.
    ...config.rules.flatMap((rule) => (rule.pattern === pattern ? [{ kind: 'rule' as const, key: rule.name }] : [])),
  ]
}

/** A sentence for each group that was there before, is there no more, and is still named. */
export function findLostGroups(before: readonly { name: string }[], policy: StoredPolicy): string[] {
  return before
    .filter(({ name }) => !Object.hasOwn(policy.config.groups, name))
    .flatMap(({ name }) => {
      const [use] = usesOfGroup(name, policy)
      return use ? [`groups.${name}: is still named by the ${describeUse(use)}; take it out of there first`] : []
    })
}

const describeUse = ({ kind, key }: GroupUse): string =>
  kind === 'setting' ? `workspace’s ${key}` : kind === 'hook' ? `hook of ${key}` : `${kind} ${key}`
