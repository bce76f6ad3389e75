// The executor's record of calls, kept in the database by the holder of a run's claim: every call that was asked for
// has a row, the refused ones too, and a tool runs only after its row says `running`.
//
//   executor      the row
//   requested     requestToolCall: made, or found again where the step is replayed or a person was asked
//   decided       allow: approved.   ask: stays, for askQuestion (the run's work).   deny: written with its end
//   started       startToolCall: running, once, and only with the digest that was recorded and approved
//   finished      what ran: finishToolCall.   What was refused before: refuseToolCall.   What asks: nothing
//
// A lost claim shows as a write that changes nothing; then this throws or answers false, and the executor does not run.
import {
  type Claim,
  type Database,
  decideToolCall,
  finishToolCall,
  finishToolCallWithFiles,
  refuseToolCall,
  requestToolCall,
  startToolCall,
  taintToolCall,
} from '@quartermaster/db'
import type { Decision, Finished, Journal, Outcome, RequestedCall, TrailEntry } from '@quartermaster/tools'
import { patiently } from '../run/patience.ts'
import { type MediaPlace, mediaDeliveries } from './media-deliveries.ts'

export interface RunJournal extends Journal {
  /** The id of a call's row; null before it was requested. `toolCallId` is the model's id of the request. */
  rowOf(toolCallId: string): string | null
  /** Says that a lease answers for this call, before it is executed with that approval. */
  isLeased(toolCallId: string, leaseId: string): void
}

interface Row {
  id: string
  state: 'requested' | 'approved' | 'running' | 'closed'
}

/** For the calls of one step of a run. What they bring besides words goes to `place`; without one it is not sent. */
export function createJournal(db: Database, claim: Claim, step: number, place?: MediaPlace): RunJournal {
  // By the call itself and not by its id: of two that carry one id, only the one that started it may end it.
  const rows = new WeakMap<RequestedCall, Row>()
  const ids = new Map<string, string>()
  const leases = new Map<string, string>()

  async function approve(call: RequestedCall, row: Row, trail: readonly TrailEntry[]): Promise<void> {
    const decided = { toolCallId: row.id, decision: 'allow' as const, trail: [...trail] }
    if (!(await decideToolCall(db, claim, decided))) throw new Error(`the run of ${call.tool} is not held any more`)
    row.state = 'approved'
  }

  /** The end of what ran, with the files that it brought: people get both or neither. */
  async function finishRunning(call: RequestedCall, row: Row, outcome: Finished): Promise<boolean> {
    const { success, output, error, outputBytes, findings, taint, media } = outcome
    const end = {
      toolCallId: row.id,
      toolUseId: call.toolCallId,
      status: success ? ('succeeded' as const) : ('failed' as const),
      output,
      ...(error === null ? {} : { error }),
      outputBytes,
      findings,
      taint,
    }
    if (!place || !media.length) return finishToolCall(db, claim, end)
    const deliveries = mediaDeliveries(call.tool, media, place)
    return finishToolCallWithFiles(db, claim, end, { conversationId: place.conversationId, deliveries })
  }

  async function finish(call: RequestedCall, row: Row, outcome: Finished): Promise<void> {
    const toolCallId = row.id
    const { error, code, decision } = outcome
    const written =
      row.state === 'running'
        ? // What has happened must not be lost because the database restarts.
          await patiently(() => finishRunning(call, row, outcome))
        : await refuseToolCall(db, claim, {
            toolCallId,
            error: error ?? 'Refused.',
            ...(code === 'refused_by_policy' && decision ? { trail: decision.trail } : {}),
          })
    if (!written) throw new Error('the run is not held any more')
    row.state = 'closed'
  }

  return {
    rowOf: (toolCallId) => ids.get(toolCallId) ?? null,
    isLeased: (toolCallId, leaseId) => void leases.set(toolCallId, leaseId),

    async requested(call: RequestedCall) {
      const found = await requestToolCall(db, claim, {
        step,
        toolUseId: call.toolCallId,
        toolName: call.tool,
        toolVersion: call.toolVersion,
        effect: call.effect,
        idempotent: call.idempotent,
        arguments: call.arguments,
        argumentsDigest: call.digest,
      })
      if (!found) throw new Error('the run is not held any more')
      ids.set(call.toolCallId, found.id)
      const { id, status } = found
      if (status === 'requested' || status === 'approved') rows.set(call, { id, state: status })
      // A person said no: the row says so already, and the executor puts it into words.
      else if (status === 'denied') rows.set(call, { id, state: 'closed' })
      else throw new Error(`this call is ${status} already`)
    },

    async decided(call: RequestedCall, decision: Decision) {
      const row = rows.get(call)
      if (row?.state === 'requested' && decision.verdict === 'allow') await approve(call, row, decision.trail)
      const leaseId = leases.get(call.toolCallId)
      if (row?.state === 'requested' && decision.verdict === 'ask' && leaseId !== undefined) {
        const reason = 'approved for this conversation'
        await approve(call, row, [...decision.trail, { layer: 'hook', verdict: 'allow', reason, source: leaseId }])
      }
    },

    async started(call: RequestedCall) {
      const row = rows.get(call)
      if (row?.state !== 'approved') return false
      const started = await startToolCall(db, claim, { toolCallId: row.id, argumentsDigest: call.digest })
      // Not started, it was refused by the database itself, or belongs to somebody else: its end is not ours to write.
      row.state = started === 'started' ? 'running' : 'closed'
      return started === 'started'
    },

    async finished(call: RequestedCall, outcome: Outcome) {
      const row = rows.get(call)
      if (!row || row.state === 'closed') return
      if (outcome.kind === 'finished') await finish(call, row, outcome)
      else if (outcome.kind === 'suspended' && outcome.taint.length)
        await taintToolCall(db, claim, { toolCallId: row.id, taint: outcome.taint })
    },
  }
}
