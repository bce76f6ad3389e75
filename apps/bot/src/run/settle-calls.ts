// The tool calls of one answer, each as far as it can go: run, refused, or put to a person. Those that wait for a person
// do not keep the others up. What is settled stands in the rows, so this can be done again after a crash at any point.
//
//   no row, requested      execute; where the policy asks: a lease answers, or people are asked
//   asking                 waits: for people, or for the runs that it gave work to; when those have ended, as approved
//   approved               execute with that approval, and with the answer where the tool itself had asked
//   anything else          has ended: its result is in the row
import { readCallFiles, readStepCalls, type StepCall, type TranscriptMessage, useLease } from '@quartermaster/db'
import {
  type Asking,
  type Caller,
  type CallRequest,
  createExecutor,
  type Delegated,
  type ExecuteToolCall,
  type Finished,
  type Suspended,
  toolVersion,
} from '@quartermaster/tools'
import { createJournal, type RunJournal } from '../tools/journal.ts'
import { askPeople } from './ask-people.ts'
import type { toolUsesIn } from './build-messages.ts'
import { delegate, gather, readDelegated } from './delegate.ts'
import { LetGo, type RunInHand, type RunServices } from './run-services.ts'
import { resultOfBroken, resultOfCall, resultOfOutcome, type ToolResultBlock } from './tool-result.ts'

type ToolUse = ReturnType<typeof toolUsesIn>[number]

export interface SettledStep {
  /** In the order of the uses. */
  results: ToolResultBlock[]
  /** The number of their message, where the end of the last call appended it. Null: that is still to be done. */
  number: number | null
}

/** Null while one of the calls waits for a person. */
export async function settleCalls(
  services: RunServices,
  held: RunInHand,
  answer: TranscriptMessage,
  uses: readonly ToolUse[],
  /** The answer was recorded under this very claim a moment ago: there can be no rows yet. */
  fresh: boolean,
): Promise<SettledStep | null> {
  const { run, signal, leaving } = held
  const broken = new Map(answer.turn?.broken?.map((use) => [use.id, use]))
  const ids = uses.map(({ id }) => id)
  const rows = new Map(
    (fresh ? [] : await readStepCalls(services.db, run.runId, ids)).map((row) => [row.toolUseId, row]),
  )
  // What a question waited for may be long ago: only a step of this moment is decided on by what it began with.
  const { caller, policy } = (fresh && held.calling) || (await services.composeCaller(run, held.taint))
  const { conversationId, channelKind } = held.context.place
  const place = { conversationId, fileBytes: services.limitsOf(channelKind).fileBytes }
  const delegated = await readDelegated(services, held, rows.values())
  const settledUses = new Map<string, ToolResultBlock>()
  let number: number | null = null
  const journal = createJournal(services.db, run, run.steps, {
    fresh,
    place,
    onTaint: () => {
      held.taint = null
    },
    resultsWith(toolUseId, outcome) {
      // Of a run that is stopped no more is written than what its calls did; of two uses with one id neither is the last.
      if (signal.aborted || leaving.aborted || new Set(ids).size < ids.length) return null
      const last = resultOfOutcome(toolUseId, outcome, rows.get(toolUseId))
      const results = ids.map((id) => (id === toolUseId ? last : settledUses.get(id)))
      return results.every((result) => result !== undefined) ? results : null
    },
    onAppended(its) {
      number = its
    },
  })
  const execute = createExecutor({
    registry: services.registry,
    policy,
    journal,
    secrets: services.secrets,
    rateLimiter: services.rateLimiter,
    onEvent: (event) => showActivity(services, held, event),
  })
  const calls: CallContext = { services, held, journal, execute, caller: { ...caller, signal } }
  const settle = async (use: ToolUse): Promise<ToolResultBlock | null> => {
    const garbled = broken.get(use.id)
    if (garbled) return resultOfBroken(use.id, garbled)
    const row = rows.get(use.id)
    if (row && !['requested', 'approved', 'asking'].includes(row.status)) {
      const files = row.status === 'succeeded' ? await readCallFiles(services.db, run.runId, use.id) : []
      return resultOfCall(row, files)
    }
    const children = row && delegated.get(row.id)
    const gathered = row && children ? await gather(services, held, row, children) : {}
    if (!gathered || (row?.status === 'asking' && !children)) return null
    // Nothing new is begun by a process that is going down; what began before may end.
    if (leaving.aborted) return null
    return settleCall(calls, use, row && { ...row, status: gathered.answer ? 'approved' : row.status }, gathered)
  }
  const settled = await Promise.allSettled(
    uses.map(async (use) => {
      const result = await settle(use)
      if (result) settledUses.set(use.id, result)
      return result
    }),
  )
  // Only now: a call that still runs must not be left behind by the failure of another.
  const results = settled.map((one) => {
    if (one.status === 'rejected') throw one.reason
    return one.value
  })
  if (leaving.aborted) throw new LetGo('the process stops')
  return results.every((result) => result !== null) ? { results, number } : null
}

interface CallContext {
  services: RunServices
  held: RunInHand
  journal: RunJournal
  execute: ExecuteToolCall
  caller: Caller
}

async function settleCall(
  calls: CallContext,
  use: ToolUse,
  row: StepCall | undefined,
  /** What the runs said that it had given work to. */
  gathered: Pick<CallRequest, 'answer' | 'taint'>,
): Promise<ToolResultBlock | null> {
  const { services, execute, caller } = calls
  const request = { ...requestOf(use, row), ...gathered }
  let outcome = await execute(request, caller)
  if (outcome.kind === 'ask') {
    const leaseId = await takeLease(calls, outcome)
    if (leaseId === null) return await ask(calls, use, outcome)
    calls.journal.isLeased(use.id, leaseId)
    const approval = { digest: outcome.digest, by: null, via: 'lease' as const }
    outcome = await execute({ ...request, approval }, caller)
  }
  if (outcome.kind === 'delegated') return await waitForOthers(calls, use, outcome)
  if (outcome.kind !== 'finished') return await ask(calls, use, outcome)
  checkRecorded(outcome)
  services.atPoint('tool-ended')
  return resultOfOutcome(use.id, outcome, row)
}

/** What was stored is what runs: of a call that was approved, the arguments of its row and not those of the answer. */
function requestOf(use: ToolUse, row: StepCall | undefined): CallRequest {
  if (row?.status !== 'approved') return { toolCallId: use.id, name: use.name, arguments: use.input }
  const { answer } = row
  return {
    toolCallId: use.id,
    name: row.toolName,
    arguments: row.arguments,
    approval: { digest: row.argumentsDigest, by: answer?.memberId ?? null, via: answer ? 'answer' : 'lease' },
    ...(answer?.byTool
      ? {
          answer: {
            verdict: answer.verdict,
            ...(answer.value === null ? {} : { value: answer.value }),
            ...(answer.reason === null ? {} : { reason: answer.reason }),
            memberId: answer.memberId,
          },
        }
      : {}),
  }
}

/** A lease that was granted before the run read what strangers wrote does not speak for what follows: it has no scope. */
async function takeLease({ services, held }: CallContext, asking: Asking): Promise<string | null> {
  const tool = services.registry.get(asking.tool)
  if (!tool || !asking.leaseScope) return null
  const call = { toolName: tool.name, toolVersion: toolVersion(tool), scope: asking.leaseScope.key }
  const lease = await useLease(services.db, held.run, call)
  return lease?.leaseId ?? null
}

async function ask(calls: CallContext, use: ToolUse, outcome: Asking | Suspended): Promise<null> {
  const { services, held, journal } = calls
  const rowId = journal.rowOf(use.id)
  if (rowId === null) throw new LetGo('a call that asks has no row')
  await askPeople(services, held, rowId, outcome)
  showWaiting(calls, use, outcome)
  return null
}

async function waitForOthers(calls: CallContext, use: ToolUse, outcome: Delegated): Promise<ToolResultBlock | null> {
  const { services, held, journal } = calls
  const rowId = journal.rowOf(use.id)
  if (rowId === null) throw new LetGo('a call that has work for others has no row')
  const refused = await delegate(services, held, rowId, outcome, use.id)
  services.atPoint('delegated')
  if (refused === null) {
    const title = outcome.tasks.map((task) => task.title).join(', ')
    held.presenter.activity({ toolUseId: use.id, tool: outcome.tool, title, state: 'waiting' })
  }
  return refused
}

/**
 * Where the record could not be written, nobody can say any more what the rows hold. The run is let go: under the next
 * claim a call that was left running is told to be interrupted, and is not started twice.
 */
function checkRecorded(outcome: Finished): void {
  if (outcome.code === 'not_recorded' || outcome.warnings.some((line) => line.startsWith('The end of this call could')))
    throw new LetGo(outcome.error ?? 'the end of a call could not be recorded')
}

function showWaiting({ held }: CallContext, use: ToolUse, outcome: Asking | Suspended): void {
  const title = outcome.kind === 'ask' ? outcome.summary.title : outcome.question.title
  held.presenter.activity({ toolUseId: use.id, tool: outcome.tool, title, state: 'waiting' })
}

type ToolEvent = Parameters<NonNullable<Parameters<typeof createExecutor>[0]['onEvent']>>[0]

function showActivity(services: RunServices, { presenter }: RunInHand, event: ToolEvent): void {
  const { toolCallId: toolUseId, tool } = event
  const title = services.registry.get(tool)?.title ?? tool
  if (event.type === 'tool-call-start') {
    services.atPoint('tool-started')
    presenter.activity({ toolUseId, tool, title, state: 'running' })
  } else if (event.type === 'tool-call-progress') {
    services.atPoint('tool-running')
    presenter.activity({ toolUseId, tool, title, state: 'running', line: event.line })
  } else if (event.type === 'tool-call-end') {
    presenter.activity({ toolUseId, tool, title, state: event.outcome.success ? 'done' : 'failed' })
  }
}
