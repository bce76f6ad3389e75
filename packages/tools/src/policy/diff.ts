// What a changed policy would have decided for calls that were recorded: the question an owner asks before saving it.
//
// Calls are taken one at a time from whatever yields them, so a year of records is a cursor and not an array. Counted
// are all; kept are the first of each kind of change, so that three that are denied are seen beside ten thousand that ask.
import type { AnyTool } from '../contract.ts'
import type { Decision } from './decision.ts'
import type { Policy, ToolSource } from './policy.ts'
import type { PolicyContext, Verdict } from './policy-config.ts'

export interface PastCall {
  id: string
  /** Canonical. */
  tool: string
  arguments: unknown
  context: PolicyContext
}

export interface ChangedCall {
  call: PastCall
  change: Change
  before: Decision
  after: Decision
}

/** `ask→ask`: other people are asked, or on other terms. */
export type Change = `${Verdict}→${Verdict}`

export interface PolicyDiff {
  calls: number
  unchanged: number
  /** Calls of tools that are not there any more: nothing can be said about them. */
  gone: number
  counts: Partial<Record<Change, number>>
  /** The first of each kind that changed, with both trails. */
  changed: readonly ChangedCall[]
  /** How many more changed than are listed. */
  notListed: number
}

export interface DiffOptions {
  /** How many calls of one kind of change are kept. */
  mostOfEach?: number
  /** How many were kept before, where the calls come in parts; it is counted on. */
  listed?: Partial<Record<Change, number>>
}

export async function diffPolicies(
  before: Policy,
  after: Policy,
  calls: Iterable<PastCall> | AsyncIterable<PastCall>,
  tools: ToolSource,
  { mostOfEach = 1_000, listed = {} }: DiffOptions = {},
): Promise<PolicyDiff> {
  const byName = new Map<string, AnyTool>(tools.list().map((tool) => [tool.name, tool]))
  const counts: Partial<Record<Change, number>> = {}
  const changed: ChangedCall[] = []
  let [total, unchanged, gone, notListed] = [0, 0, 0, 0]
  for await (const call of calls) {
    total++
    const tool = byName.get(call.tool)
    if (tool === undefined) {
      gone++
      continue
    }
    const one = before.decide(tool, call.arguments, call.context)
    const other = after.decide(tool, call.arguments, call.context)
    if (one.verdict === other.verdict && JSON.stringify(one.approval) === JSON.stringify(other.approval)) {
      unchanged++
      continue
    }
    const change: Change = `${one.verdict}→${other.verdict}`
    counts[change] = (counts[change] ?? 0) + 1
    const kept = listed[change] ?? 0
    if (kept >= mostOfEach) {
      notListed++
      continue
    }
    listed[change] = kept + 1
    changed.push({ call, change, before: one, after: other })
  }
  return { calls: total, unchanged, gone, counts, changed, notListed }
}
