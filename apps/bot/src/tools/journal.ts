// The executor's record of calls, kept in the database by the holder of a run's claim: every call that was asked for
// has a row, the refused ones too, and a tool runs only after its row says `running`.
//
//   executor      the row
//   requested     requestToolCall: made, or found again where the step is replayed or a person was asked
//   decided       allow: approved.   ask: stays, for askQuestion (the run's work).   deny: written with its end
//   started       startToolCall: running, once, and only with the digest that was recorded and approved
//   finished      what ran: finishToolCall, or finishLastToolCall with the step's results.   What was refused before: refuseToolCall.   What waits: nothing
//
// Of a call that can have no row yet nothing is written before there is something to say: where it is allowed, request,
// decision and start are one statement (beginToolCall), still before the tool runs.
//
// A lost claim shows as a write that changes nothing; then this throws or answers false, and the executor does not run.
import {
  addUsage,
  beginToolCall,
  type Claim,
  type Database,
  decideToolCall,
  finishLastToolCall,
  finishToolCall,
  finishToolCallWithFiles,
  newId,
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
  /** `new`: nothing is written yet. `allowed`: neither, and the policy allows it. */
  state: 'new' | 'allowed' | 'requested' | 'approved' | 'running' | 'closed'
  trail?: readonly TrailEntry[]
}

export interface JournalOptions {
  /** The model has just asked for these calls, so there can be no rows yet. */
  fresh?: boolean
  /** Where what they bring besides words goes; without one it is not sent. */
  place?: MediaPlace
  /** Told before a call's record gets sources of strangers' content. */
  onTaint?(): void
  /** The results of the whole step, where this call is the last of it that ends; null where it is not. */
  resultsWith?(toolCallId: string, outcome: Finished): readonly unknown[] | null
  /** Told when they were appended, as the message of this number, in the statement that ended the call. */
  onAppended?(number: number): void
}

/** For the calls of one step of a run. */
export function createJournal(
  db: Database,
  claim: Claim,
  step: number,
  { fresh = false, place, onTaint, resultsWith, onAppended }: JournalOptions = {},
): RunJournal {
  // By the call itself and not by its id: of two that carry one id, only the one that started it may end it.
  const rows = new WeakMap<RequestedCall, Row>()
  const ids = new Map<string, string>()
  const leases = new Map<string, string>()
  /** The ids of calls of which nothing was written when they were requested. */
  const held = new Set<string>()

  async function approve(call: RequestedCall, row: Row, trail: readonly TrailEntry[]): Promise<void> {
    const decided = { toolCallId: row.id, decision: 'allow' as const, trail: [...trail] }
    if (!(await decideToolCall(db, claim, decided))) throw new Error(`the run of ${call.tool} is not held any more`)
    row.state = 'approved'
  }

  const requestOf = (call: RequestedCall) => ({
    step,
    toolUseId: call.toolCallId,
    toolName: call.tool,
    toolVersion: call.toolVersion,
    effect: call.effect,
    idempotent: call.idempotent,
    arguments: call.arguments,
    argumentsDigest: call.digest,
  })

  async function request(call: RequestedCall): Promise<void> {
    const found = await requestToolCall(db, claim, requestOf(call))
    if (!found) throw new Error('the run is not held any more')
    ids.set(call.toolCallId, found.id)
    const { id, status } = found
    if (status === 'requested' || status === 'approved') rows.set(call, { id, state: status })
    // A person said no: the row says so already, and the executor puts it into words.
    else if (status === 'denied') rows.set(call, { id, state: 'closed' })
    else throw new Error(`this call is ${status} already`)
  }

  /** What was held back, in steps of its own: it does not come to a start. */
  async function catchUp(call: RequestedCall, held: Row): Promise<Row> {
    rows.delete(call)
    await request(call)
    const row = rows.get(call) as Row
    if (held.state === 'allowed' && row.state === 'requested') await approve(call, row, held.trail ?? [])
    return row
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
    if (!place || !media.length) {
      const results = resultsWith?.(call.toolCallId, outcome)
      if (!results) return finishToolCall(db, claim, end)
      const number = await finishLastToolCall(db, claim, end, results)
      if (number !== null) onAppended?.(number)
      return number !== null
    }
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
    // Where the process ends between the two, a picture was looked at for nothing; nothing is counted twice.
    const { use } = outcome
    if (use) await patiently(() => addUsage(db, claim, use))
  }

  return {
    rowOf: (toolCallId) => ids.get(toolCallId) ?? null,
    isLeased: (toolCallId, leaseId) => void leases.set(toolCallId, leaseId),

    requested(call: RequestedCall) {
      // Of two with one id the second finds the row of the first, whatever that has come to.
      if (!fresh || held.has(call.toolCallId)) return request(call)
      held.add(call.toolCallId)
      rows.set(call, { id: newId('call'), state: 'new' })
    },

    async decided(call: RequestedCall, decision: Decision) {
      let row = rows.get(call)
      if (row?.state === 'new') {
        if (decision.verdict === 'allow') return void Object.assign(row, { state: 'allowed', trail: decision.trail })
        row = await catchUp(call, row)
      }
      if (row?.state === 'requested' && decision.verdict === 'allow') await approve(call, row, decision.trail)
      const leaseId = leases.get(call.toolCallId)
      if (row?.state === 'requested' && decision.verdict === 'ask' && leaseId !== undefined) {
        const reason = 'approved for this conversation'
        await approve(call, row, [...decision.trail, { layer: 'hook', verdict: 'allow', reason, source: leaseId }])
      }
    },

    async started(call: RequestedCall) {
      const row = rows.get(call)
      if (row?.state === 'allowed') {
        const begun = await beginToolCall(db, claim, { ...requestOf(call), id: row.id, trail: row.trail ?? [] })
        row.state = begun ? 'running' : 'closed'
        if (begun) ids.set(call.toolCallId, row.id)
        return begun
      }
      if (row?.state !== 'approved') return false
      const started = await startToolCall(db, claim, { toolCallId: row.id, argumentsDigest: call.digest })
      // Not started, it was refused by the database itself, or belongs to somebody else: its end is not ours to write.
      row.state = started === 'started' ? 'running' : 'closed'
      return started === 'started'
    },

    async finished(call: RequestedCall, outcome: Outcome) {
      if (outcome.kind !== 'ask' && outcome.taint.length) onTaint?.()
      let row = rows.get(call)
      if (!row || row.state === 'closed') return
      if (row.state === 'new' || row.state === 'allowed') row = await catchUp(call, row)
      if (outcome.kind === 'finished') await finish(call, row, outcome)
      else if (outcome.kind !== 'ask' && outcome.taint.length)
        await taintToolCall(db, claim, { toolCallId: row.id, taint: outcome.taint })
    },
  }
}
