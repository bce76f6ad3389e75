// What-if: a draft put to the calls that were recorded, page by page, beside the live policy. Both decide the same call
// in the same context, so that what differs is the draft's doing and nothing else's.
import type { PolicyContent, RecordedCall, StoredPolicy } from '@quartermaster/db'
import type { Change, LynkrPolicy, PastCall, PolicyContext, Verdict } from '@quartermaster/tools'
import { data } from '../data.ts'
import { type PageKey, writePageKey } from '../paging.ts'
import { runtime } from '../runtime.ts'
import { toolKit } from '../tool-kit.ts'
import { because } from './because.ts'
import { compilePolicy, withContent } from './compile-policy.ts'
import { policyLimits as limits } from './limits.ts'
import type { PolicyTools } from './read-tools.ts'
import { showArguments } from './show-arguments.ts'
import { takeTurns } from './take-turns.ts'

export interface Replay {
  stored: StoredPolicy
  content: PolicyContent
  installation: LynkrPolicy
  tools: PolicyTools
  agents: readonly { id: string; name: string }[]
  /** Null: all that was ever recorded. */
  since: Date | null
  /** Where a replay before this one ended. */
  after: PageKey | null
  signal: AbortSignal
}

/** A page more is done; what it counts is of this page alone. */
export interface ReplayedPage {
  calls: number
  unchanged: number
  gone: number
  counts: Partial<Record<Change, number>>
  changed: ReplayedCall[]
  notListed: number
  /** How far back it has come. */
  reached: string
  /** 0 to 1, by time. */
  progress: number
}

export interface ReplayedCall {
  id: string
  at: string
  agent: string
  tool: string
  arguments: string
  was: Verdict
  would: Verdict
  because: string
}

/** `next`: where to go on, where time was over before the calls were. */
export interface ReplayEnd {
  next: string | null
}

export async function* replayDraft(replay: Replay): AsyncGenerator<ReplayedPage, ReplayEnd> {
  const { stored, since, signal } = replay
  const { db } = runtime()
  const { workspaceId } = stored
  const live = compilePolicy(stored, replay.installation)
  const draft = compilePolicy(withContent(stored, replay.content), replay.installation)
  const contextOf = createContexts(stored)
  const names = new Map(replay.agents.map(({ id, name }) => [id, name]))
  const begun = Date.now()
  const newest = replay.after?.at.getTime() ?? begun
  const oldest = since ?? (await data.firstRecordedCall(db, workspaceId)) ?? new Date(begun)
  let after = replay.after && { requestedAt: replay.after.at, id: replay.after.id }
  const listed: Partial<Record<Change, number>> = {}
  for (;;) {
    const calls = await data.readRecordedCalls(db, { workspaceId, since, after, limit: limits.replayPageRows })
    const past: (PastCall & { record: RecordedCall })[] = []
    for (const record of calls)
      past.push({
        id: record.id,
        tool: record.tool,
        arguments: record.arguments,
        context: await contextOf(record),
        record,
      })
    const diff = await toolKit.diffPolicies(
      live,
      draft,
      takeTurns(past, { turnMs: limits.replayTurnMs, signal }),
      replay.tools,
      {
        mostOfEach: limits.replayListedOfEach,
        listed,
      },
    )
    if (signal.aborted) return { next: null }
    const last = calls.at(-1)
    const isOver = calls.length < limits.replayPageRows
    const reached = isOver ? oldest : (last as RecordedCall).requestedAt
    yield {
      calls: diff.calls,
      unchanged: diff.unchanged,
      gone: diff.gone,
      counts: diff.counts,
      changed: diff.changed.map(({ call, before, after: would }) => {
        const { record } = call as (typeof past)[number]
        return {
          id: record.id,
          at: record.requestedAt.toISOString(),
          agent: names.get(record.agentId) ?? record.agentId,
          tool: record.tool,
          arguments: showArguments(record.arguments),
          was: before.verdict,
          would: would.verdict,
          because: because(before, would),
        }
      }),
      notListed: diff.notListed,
      reached: reached.toISOString(),
      progress: isOver ? 1 : share(newest - reached.getTime(), newest - oldest.getTime()),
    }
    if (isOver || !last) return { next: null }
    after = last
    if (Date.now() - begun > limits.replayMs) return { next: writePageKey({ at: last.requestedAt, id: last.id }) }
  }
}

const share = (part: number, whole: number) => (whole <= 0 ? 1 : Math.min(1, Math.max(0, part / whole)))

/**
 * The context of a recorded call, as the bot makes it (contextOfRun). The agent, its attachments and its autonomy are
 * those of now: the question is what the draft would do from now on. The trigger and what had been read of strangers are
 * those of then.
 */
function createContexts(stored: StoredPolicy): (call: RecordedCall) => Promise<PolicyContext> {
  const attachments = new Map<string, readonly string[] | null>()
  const kept = new Map<string, PolicyContext>()
  return async ({ agentId, trigger, taint }) => {
    const key = `${agentId} ${trigger}`
    const known = taint.length ? undefined : kept.get(key)
    if (known) return known
    if (!attachments.has(agentId)) {
      const found = await data.loadAttachments(runtime().db, agentId)
      attachments.set(agentId, found && [...found.attached.keys()])
    }
    const context = toolKit.contextOfRun({
      agentId,
      trigger,
      agent: stored.agents.get(agentId),
      attachments: attachments.get(agentId) ?? null,
      taint,
    })
    if (!taint.length) kept.set(key, context)
    return context
  }
}

/** For one call that somebody makes up: what an agent of now would be told. */
export async function contextOfAgent(stored: StoredPolicy, agentId: string): Promise<PolicyContext> {
  const call = { agentId, trigger: 'message', taint: [] } as unknown as RecordedCall
  return createContexts(stored)(call)
}
