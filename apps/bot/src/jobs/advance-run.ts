// A claimed run: see what the claims before left behind, and advance it until it ends or parks.
import {
  type ClaimedRun,
  limits as dataLimits,
  enqueueDelivery,
  finishRun,
  inTransaction,
  interruptToolCalls,
  isConnectionLost,
  type RunContext,
  releaseRun,
  type TakenRun,
} from '@quartermaster/db'
import { advance } from '../run/advance.ts'
import { patiently } from '../run/patience.ts'
import { type HeldRun, LetGo, type RunServices } from '../run/run-services.ts'
import type { HeldRuns } from './held-runs.ts'

/** Resolves when the work has ended. Never throws. */
export function advanceRun(services: RunServices, heldRuns: HeldRuns, taken: TakenRun): Promise<void> {
  return heldRuns.hold(taken.run, (held) => workOn(services, held, taken))
}

async function workOn(services: RunServices, held: HeldRun, { context, transcript, taint }: TakenRun): Promise<void> {
  const { db, log } = services
  const { run } = held
  try {
    services.atPoint('run-claimed')
    const problem = problemOf(run, context)
    if (problem) return void (await fail(services, run, problem))
    if (run.leftRunning) await tellInterrupted(services, run, context)
    const { place } = context
    const presenter = services.present(
      {
        workspaceId: run.workspaceId,
        conversationId: place.conversationId,
        channelId: place.channelId,
        conversationKey: place.conversationKey,
        runId: run.runId,
      },
      // A child's words are its parent's business.
      run.parentRunId ? 'none' : place.channelKind,
    )
    try {
      await advance(services, { ...held, context, presenter, calling: null, taint }, transcript)
    } finally {
      await presenter.end()
    }
  } catch (error) {
    if (error instanceof LetGo || isConnectionLost(error)) {
      log.info({ runId: run.runId, reason: (error as Error).message }, 'the run is let go')
      // Nothing comes of it where the claim is lost already. A database that stays away lets the claim run out.
      await patiently(() => releaseRun(db, run)).catch((cause) =>
        log.warn({ error: cause }, 'a run was not given back'),
      )
      return
    }
    log.error({ error, runId: run.runId }, 'a run failed')
    await fail(services, run, {
      code: 'internal_error',
      message: 'Something inside Quartermaster failed. The log of the bot has the details.',
    }).catch((cause) => log.error({ error: cause, runId: run.runId }, 'the end of a run could not be written'))
  }
}

interface RunProblem {
  code: string
  message: string
}

function problemOf(run: ClaimedRun, context: RunContext): RunProblem | null {
  if (run.lostClaims >= dataLimits.lostClaims)
    return {
      code: 'process_lost',
      message: `I gave up: ${run.lostClaims} processes were lost while they worked on this.`,
    }
  if (!context.version)
    return { code: 'no_version', message: `${context.agentName} has no published version, so it cannot answer.` }
  return null
}

async function fail({ db }: RunServices, run: ClaimedRun, problem: RunProblem): Promise<void> {
  await patiently(() =>
    finishRun(db, run, {
      status: 'failed',
      error: problem,
      ...(run.parentRunId ? {} : { notice: problem.message }),
    }),
  )
}

/** What nobody saw the end of is said in the chat, in the transaction that marks it. */
async function tellInterrupted({ db }: RunServices, run: ClaimedRun, context: RunContext): Promise<void> {
  const { conversationId } = context.place
  await inTransaction(db, async (tx) => {
    // The conversation's row comes before the run's (see runs.ts on locks).
    await tx.query('SELECT 1 FROM conversations WHERE id = $1 FOR NO KEY UPDATE', [conversationId])
    const calls = await interruptToolCalls({ pool: tx }, run)
    const names = calls.filter(({ status }) => status === 'interrupted').map(({ toolName }) => toolName)
    if (!names.length) return
    const text = `The process that ran ${names.join(', ')} was lost. Nobody knows whether it finished; it was not started again.`
    await enqueueDelivery({ pool: tx }, { conversationId, kind: 'notice', payload: { kind: 'notice', text } })
  })
}
