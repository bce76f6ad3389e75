// What two configurations of an agent differ in, as data: for the page, for the API, and for the count of a draft.
import type { AgentAttachment, AgentConfiguration } from './agent-configuration.ts'

export type AgentChange =
  | { kind: 'value'; field: ValueField; before: unknown; after: unknown }
  | { kind: 'list'; field: ListField; added: string[]; removed: string[] }
  /** Null: it is not attached there. */
  | { kind: 'tool'; toolId: string; before: AgentAttachment | null; after: AgentAttachment | null }

const listFields = ['toolsAllow', 'toolsDeny'] as const
type ListField = (typeof listFields)[number]
type ValueField = Exclude<keyof AgentConfiguration, ListField | 'attachments'>
const valueFields = [
  ...(['model', 'provider', 'instructions', 'profile', 'autonomy'] as const),
  ...(['approvers', 'approvalsRequired', 'budgets'] as const),
] satisfies readonly ValueField[]

/** In the order of the page. Empty: they are the same. */
export function diffConfigurations(before: AgentConfiguration, after: AgentConfiguration): AgentChange[] {
  const values = valueFields
    .filter((field) => !isSame(before[field], after[field]))
    .map((field): AgentChange => ({ kind: 'value', field, before: before[field], after: after[field] }))
  const lists = listFields.flatMap((field): AgentChange[] => {
    const added = after[field].filter((entry) => !before[field].includes(entry))
    const removed = before[field].filter((entry) => !after[field].includes(entry))
    return added.length || removed.length ? [{ kind: 'list', field, added, removed }] : []
  })
  return [...values, ...lists, ...diffAttachments(before.attachments, after.attachments)]
}

function diffAttachments(before: readonly AgentAttachment[], after: readonly AgentAttachment[]): AgentChange[] {
  const [was, is] = [byTool(before), byTool(after)]
  return [...new Set([...was.keys(), ...is.keys()])].sort().flatMap((toolId): AgentChange[] => {
    const change = { before: was.get(toolId) ?? null, after: is.get(toolId) ?? null }
    return isSame(change.before, change.after) ? [] : [{ kind: 'tool', toolId, ...change }]
  })
}

const byTool = (attachments: readonly AgentAttachment[]) => new Map(attachments.map((each) => [each.toolId, each]))

/** By value. Postgres orders the keys of an object by its own mind, so their order means nothing. */
const isSame = (one: unknown, other: unknown) => sorted(one) === sorted(other)

const sorted = (value: unknown): string =>
  JSON.stringify(value ?? null, (_key, part) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).sort(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  )

/** For the audit, which is kept for ever: what changed, without the texts. The versions have those. */
export function summarizeChanges(changes: readonly AgentChange[]): Record<string, unknown> {
  const tools = changes.filter((change) => change.kind === 'tool')
  const named = (which: (change: (typeof tools)[number]) => boolean) => tools.filter(which).map(({ toolId }) => toolId)
  const parts = {
    changed: changes.flatMap((change) => (change.kind === 'tool' ? [] : [change.field])),
    attached: named(({ before }) => before === null),
    detached: named(({ after }) => after === null),
    configured: named(({ before, after }) => before !== null && after !== null),
  }
  return Object.fromEntries(Object.entries(parts).filter(([, list]) => list.length > 0))
}
