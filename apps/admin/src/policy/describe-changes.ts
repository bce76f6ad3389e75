// What a draft changes, as lines of the policy written down: the heading of each part that differs, and under it only
// the lines that go and come.
import type { DraftRule, GroupPart, PartChange, PolicyContent, ProfilePart, SkillPart } from '@quartermaster/db'
import { describeApproval, describeConditions, describeRule } from './describe-rule.ts'

export interface ChangeLine {
  sign: ' ' | '-' | '+'
  text: string
}

interface LayerLike {
  profile?: string
  allow?: readonly string[]
  deny?: readonly string[]
}

const settingHeads: Record<string, string> = {
  profile: 'tools.profile:',
  allow: 'tools.allow:',
  deny: 'tools.deny:',
  hooks: 'hooks:',
  approval: 'approval:',
}

export function describeChanges(changes: readonly PartChange[], { before, after }: Contents): ChangeLine[] {
  const blocks = new Map<string, ChangeLine[]>()
  for (const change of changes) {
    const head = headOf(change)
    const lines = change.kind === 'order' ? orderLines(change, before, after) : diffLines(change)
    blocks.set(head, [...(blocks.get(head) ?? []), ...lines])
  }
  return [...blocks].flatMap(([head, lines]) => [{ sign: ' ' as const, text: head }, ...lines])
}

interface Contents {
  before: PolicyContent
  after: PolicyContent
}

function headOf({ kind, key }: PartChange): string {
  if (kind === 'setting') return settingHeads[key] ?? `${key}:`
  if (kind === 'order') return 'rules, in this order:'
  return kind === 'rule' ? 'rules:' : `${kind}s.${key}:`
}

function diffLines(change: PartChange): ChangeLine[] {
  const was = change.before === undefined ? [] : linesOf(change, change.before)
  const is = change.after === undefined ? [] : linesOf(change, change.after)
  return diff(was, is)
}

/** The lines that go and those that come, each where it stands; what stays is left out. */
function diff(was: readonly string[], is: readonly string[]): ChangeLine[] {
  const kept = longestCommon(was, is)
  const lines: ChangeLine[] = []
  let [a, b] = [0, 0]
  for (const [i, j] of [...kept, [was.length, is.length] as const]) {
    for (; a < i; a++) lines.push({ sign: '-', text: was[a] as string })
    for (; b < j; b++) lines.push({ sign: '+', text: is[b] as string })
    a = i + 1
    b = j + 1
  }
  return lines
}

/** Beyond this, whatever differs is told as a whole: nobody reads more, and the table would be large. */
const mostCompared = 400

function longestCommon(was: readonly string[], is: readonly string[]): (readonly [number, number])[] {
  if (was.length > mostCompared || is.length > mostCompared) return []
  const width = is.length + 1
  const table = new Uint16Array((was.length + 1) * width)
  const at = (i: number, j: number) => table[i * width + j] as number
  for (let i = was.length - 1; i >= 0; i--)
    for (let j = is.length - 1; j >= 0; j--)
      table[i * width + j] = was[i] === is[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1))
  const pairs: [number, number][] = []
  for (let i = 0, j = 0; i < was.length && j < is.length; )
    if (was[i] === is[j]) pairs.push([i++, j++])
    else if (at(i + 1, j) >= at(i, j + 1)) i++
    else j++
  return pairs
}

function linesOf({ kind, key }: PartChange, value: unknown): string[] {
  switch (kind) {
    case 'rule':
      return ruleLines(value as DraftRule)
    case 'provider':
      return layerLines(value as LayerLike)
    case 'profile': {
      const { description, tools, reads } = value as ProfilePart
      return [
        ...textLine('description', description),
        ...listLines(tools),
        ...reads.map((pattern) => `  - ${pattern}   # to read only`),
      ]
    }
    case 'group': {
      const { description, tools } = value as GroupPart
      return [...textLine('description', description), ...listLines(tools)]
    }
    case 'skill': {
      const { description, instructions, tools, toolGroups } = value as SkillPart
      return [
        ...textLine('description', description),
        ...textLine('instructions', instructions),
        ...listLines(tools.length ? tools : toolGroups.map((group) => group.replace(/^(?!group:)/, 'group:'))),
      ]
    }
    default:
      return settingLines(key, value)
  }
}

function settingLines(key: string, value: unknown): string[] {
  if (key === 'profile') return [`  ${value}`]
  if (key === 'approval') return describeApproval(value as object).map((phrase) => `  - ${phrase}`)
  if (key === 'hooks')
    return (value as PolicyContent['settings']['hooks']).map(
      ({ pattern, conditions, hook, insist }) =>
        `  - ${hook}: ${pattern}${describeConditions(conditions ?? [])}${insist ? ', also of an autonomous agent' : ''}`,
    )
  return listLines(value as string[])
}

function ruleLines(rule: DraftRule): string[] {
  const { name, mustMatch, mustNotMatch, approval, note, enabled } = rule
  const examples =
    mustMatch.length + mustNotMatch.length > 0
      ? `examples: ${mustMatch.length} match, ${mustNotMatch.length} do not ✓`
      : 'no examples'
  return [
    `  - ${describeRule(rule)}   # ${name}${enabled ? '' : ', switched off'}; ${examples}`,
    ...describeApproval(approval).map((phrase) => `      ${phrase}`),
    ...textLine('    note', note),
  ]
}

const listLines = (patterns: readonly string[]) => patterns.map((pattern) => `  - ${pattern}`)

const layerLines = ({ profile, allow = [], deny = [] }: LayerLike) => [
  ...(profile ? [`  profile: ${profile}`] : []),
  ...allow.map((pattern) => `  allow: ${pattern}`),
  ...deny.map((pattern) => `  deny: ${pattern}`),
]

function textLine(name: string, text: string): string[] {
  if (!text) return []
  const [first = '', ...more] = text.split('\n')
  return [`  ${name}: ${first.slice(0, 160)}${more.length || first.length > 160 ? ' …' : ''}`]
}

function orderLines({ before, after }: PartChange, was: PolicyContent, is: PolicyContent): ChangeLine[] {
  const names = new Map([...was.rules, ...is.rules].map(({ id, name }) => [id, name]))
  const named = (ids: unknown) => (ids as string[]).map((id) => `  - ${names.get(id) ?? id}`)
  return diff(named(before), named(after))
}
