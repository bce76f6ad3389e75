// A policy's content taken apart: what two of them differ in, and how two people's changes to one become one. A part is
// what is saved, audited and merged as a whole: one setting, one provider's layer, one profile, group, skill or rule.
import { type PolicyContent, sameContent } from './policy-content.ts'

export type PartKind = 'setting' | 'provider' | 'profile' | 'group' | 'skill' | 'rule' | 'order'

export interface PartChange {
  kind: PartKind
  /** A setting's or a provider's name, a profile's, group's or skill's name, a rule's id; `rules` for their order. */
  key: string
  /** Undefined: there was none. */
  before?: unknown
  /** Undefined: it is taken away. */
  after?: unknown
}

const settingNames = ['profile', 'allow', 'deny', 'hooks', 'approval'] as const

type Parts = Map<string, { kind: PartKind; key: string; value: unknown }>

function partsOf(content: PolicyContent): Parts {
  const parts: Parts = new Map()
  const add = (kind: PartKind, key: string, value: unknown) => parts.set(`${kind} ${key}`, { kind, key, value })
  for (const name of settingNames) add('setting', name, content.settings[name])
  for (const [name, layer] of Object.entries(content.settings.providers)) add('provider', name, layer)
  for (const profile of content.profiles) add('profile', profile.name, profile)
  for (const group of content.groups) add('group', group.name, group)
  for (const skill of content.skills) add('skill', skill.name, skill)
  for (const rule of content.rules) add('rule', rule.id, rule)
  return parts
}

/** What leads from one to the other, part by part, in the order in which a policy is written down. */
export function changedParts(before: PolicyContent, after: PolicyContent): PartChange[] {
  const [one, other] = [partsOf(before), partsOf(after)]
  const changes: PartChange[] = []
  for (const id of new Set([...one.keys(), ...other.keys()])) {
    const [was, is] = [one.get(id), other.get(id)]
    if (was && is && sameContent(was.value, is.value)) continue
    const { kind, key } = (is ?? was)!
    changes.push({ kind, key, ...(was && { before: was.value }), ...(is && { after: is.value }) })
  }
  const both = new Set(before.rules.map(({ id }) => id).filter((id) => after.rules.some((rule) => rule.id === id)))
  const orderOf = (content: PolicyContent) => content.rules.map(({ id }) => id).filter((id) => both.has(id))
  if (!sameContent(orderOf(before), orderOf(after)))
    changes.push({ kind: 'order', key: 'rules', before: orderOf(before), after: orderOf(after) })
  return changes
}

export interface MergedContent {
  content: PolicyContent
  /** What both changed, to different things: the content has mine. */
  conflicts: { kind: PartKind; key: string }[]
}

/**
 * My changes to `base`, put onto what others made of it meanwhile. Of the lists of patterns each pattern is merged for
 * itself; of any other part that both changed, mine stays and is named.
 */
export function mergeContent(base: PolicyContent, mine: PolicyContent, theirs: PolicyContent): MergedContent {
  const changes = changedParts(base, mine)
  const theirChanges = new Map(changedParts(base, theirs).map((change) => [`${change.kind} ${change.key}`, change]))
  const content: PolicyContent = structuredClone(theirs)
  const conflicts: MergedContent['conflicts'] = []
  for (const change of changes) {
    const { kind, key, before, after } = change
    const their = theirChanges.get(`${kind} ${key}`)
    if (kind === 'setting' && (key === 'allow' || key === 'deny')) {
      content.settings[key] = mergeList(before as string[], after as string[], theirs.settings[key])
      continue
    }
    if (their && !sameContent(their.after ?? null, after ?? null)) conflicts.push({ kind, key })
    put(content, change)
  }
  // Where a rule stands decides nothing. Where I moved some, all that I know stand as with me.
  if (changes.some(({ kind }) => kind === 'order')) content.rules = orderLike(content, mine)
  return { content, conflicts }
}

const mergeList = (base: readonly string[], mine: readonly string[], theirs: readonly string[]): string[] => [
  ...theirs.filter((pattern) => !base.includes(pattern) || mine.includes(pattern)),
  ...mine.filter((pattern) => !base.includes(pattern) && !theirs.includes(pattern)),
]

function put(content: PolicyContent, { kind, key, after }: PartChange): void {
  if (kind === 'setting') Object.assign(content.settings, { [key]: after })
  else if (kind === 'provider') {
    const { [key]: _, ...others } = content.settings.providers
    content.settings.providers = after === undefined ? others : { ...others, [key]: after as object }
  } else if (kind === 'profile') content.profiles = putNamed(content.profiles, 'name', key, after)
  else if (kind === 'group') content.groups = putNamed(content.groups, 'name', key, after)
  else if (kind === 'skill') content.skills = putNamed(content.skills, 'name', key, after)
  else if (kind === 'rule') content.rules = putNamed(content.rules, 'id', key, after)
}

function putNamed<Part, Key extends keyof Part>(
  parts: readonly Part[],
  key: Key,
  value: string,
  after: unknown,
): Part[] {
  const at = parts.findIndex((part) => part[key] === value)
  const others = parts.filter((_, index) => index !== at)
  if (after === undefined) return others
  return at < 0 ? [...others, after as Part] : [...parts.slice(0, at), after as Part, ...parts.slice(at + 1)]
}

function orderLike(content: PolicyContent, mine: PolicyContent): PolicyContent['rules'] {
  const places = new Map(mine.rules.map(({ id }, index) => [id, index]))
  // A rule that only they have stays behind the rule that it follows with them.
  let last = -1
  const place = new Map<string, number>()
  for (const [index, { id }] of content.rules.entries()) {
    last = places.get(id) ?? last
    place.set(id, (places.get(id) ?? last + 0.5) + index / 10_000)
  }
  return [...content.rules].sort((a, b) => place.get(a.id)! - place.get(b.id)!)
}
