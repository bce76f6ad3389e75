// A run, from wherever its transcript stands to its end or to the next thing it has to wait for. Nothing is kept between
// two calls: a crash, a deploy and a week of silence are the same thing, and somebody calls this again.
//
//   the last answer asks for tools      settle them; all settled: append the results, and look again; else park
//   something came after it             fetch what it points to; run the tool that it names by hand, or ask the model
//   nothing did                         the run is done
//
// What is read stays in memory while the claim lasts. The numbers of what is written tell when people wrote meanwhile.
import { appendMessage, finishRun, parkRun, readTranscript, type TranscriptMessage } from '@quartermaster/db'
import { ModelError } from '../model/index.ts'
import { checkBudget } from './budget.ts'
import { callByHand } from './call-by-hand.ts'
import { callModel } from './call-model.ts'
import { findNext, type Next } from './find-next.ts'
import { resolveReferences } from './resolve-references.ts'
import { kept, LetGo, type RunInHand, type RunServices } from './run-services.ts'
import { type SettledStep, settleCalls } from './settle-calls.ts'

export type Advanced = 'finished' | 'parked'

/** Throws LetGo when the claim is lost or the process stops. */
export async function advance(
  services: RunServices,
  held: RunInHand,
  /** As it was read with the claim. */
  known: TranscriptMessage[] | null,
): Promise<Advanced> {
  const { run, signal } = held
  const transcript = known ?? (await readTranscript(services.db, run.conversationId))
  let fresh = false
  for (;;) {
    if (signal.aborted) return await endStopped(services, held, transcript)
    const next = findNext(transcript, run.runId)
    try {
      if (next.kind === 'end') return await endDone(services, held, next)
      if (next.kind === 'ask-model') {
        await resolveReferences(services, held, transcript)
        const spoken = await callByHand(services, held, transcript)
        if (spoken?.ended) return 'finished'
        if (spoken) {
          await take(services, held, transcript, spoken.message)
          fresh = true
          continue
        }
        const { verdict, finishUp } = await checkBudget(services, held)
        if (verdict === 'end') return 'finished'
        if (verdict === 'wait') {
          if (await park(services, held)) return 'parked'
          continue
        }
        const { message, ended } = await callModel(services, held, transcript, { finishUp })
        if (ended) return 'finished'
        await take(services, held, transcript, message)
        fresh = true
        continue
      }
      const settled = await settleCalls(services, held, next.answer, next.uses, fresh)
      fresh = false
      if (signal.aborted && settled?.number == null) continue
      if (settled) await takeResults(services, held, transcript, settled)
      else if (await park(services, held)) return 'parked'
    } catch (error) {
      if (signal.aborted) continue
      if (!(error instanceof ModelError)) throw error
      return await endFailed(services, held, transcript, error)
    }
  }
}

/** Adds what was written to what is known, with whatever people wrote before it. */
async function take(
  { db }: RunServices,
  { run }: RunInHand,
  transcript: TranscriptMessage[],
  message: TranscriptMessage,
): Promise<void> {
  const known = transcript.at(-1)?.number ?? 0
  if (message.number === known + 1) transcript.push(message)
  else transcript.push(...(await readTranscript(db, run.conversationId, { after: known })))
}

/** Appends the results of a step, where the end of its last call has not done so. */
async function takeResults(
  services: RunServices,
  held: RunInHand,
  transcript: TranscriptMessage[],
  { results: content, number: appended }: SettledStep,
): Promise<void> {
  const { run } = held
  const number = appended ?? kept(await appendMessage(services.db, run, { role: 'tool', content }), run)
  await take(services, held, transcript, { number, role: 'tool', content, runId: run.runId, turn: null })
  services.atPoint('results-appended')
}

/** False: an answer came meanwhile, and there is something to do after all. */
async function park(services: RunServices, { run }: RunInHand): Promise<boolean> {
  services.atPoint('before-park')
  const outcome = await parkRun(services.db, run)
  if (outcome === 'lost') throw new LetGo('the claim is lost')
  return outcome === 'parked'
}

async function endDone(
  services: RunServices,
  held: RunInHand,
  { answer }: Next & { kind: 'end' },
): Promise<'finished'> {
  const { run } = held
  services.atPoint('before-finish')
  const stopReason = answer?.turn?.stopReason
  const refused = stopReason === 'refusal'
  const notice = refused
    ? 'The model declined to answer this.'
    : stopReason === 'max_tokens' || stopReason === 'model_context_window_exceeded'
      ? 'The answer was too long and ends here. Ask for the rest if you need it.'
      : null
  const end = await finishRun(services.db, run, {
    status: refused ? 'failed' : 'succeeded',
    ...(refused ? { error: { code: 'model_refusal', message: 'The model declined to answer.' } } : {}),
    ...(answer?.turn ? { seenMessage: answer.turn.seen } : {}),
    ...(notice && !run.parentRunId ? { notice } : {}),
  })
  kept(end, run)
  return 'finished'
}

/** Somebody stopped it, or the claim is lost: then there is nothing to write. */
async function endStopped(
  services: RunServices,
  { run, signal }: RunInHand,
  transcript: readonly TranscriptMessage[],
): Promise<'finished'> {
  if (signal.reason !== 'stop') throw new LetGo(String(signal.reason))
  const end = await finishRun(services.db, run, {
    status: 'stopped',
    seenMessage: transcript.at(-1)?.number ?? 0,
    ...(run.parentRunId ? {} : { notice: 'Stopped.' }),
  })
  kept(end, run)
  return 'finished'
}

async function endFailed(
  services: RunServices,
  { run }: RunInHand,
  transcript: readonly TranscriptMessage[],
  error: ModelError,
): Promise<'finished'> {
  const trace = services.consoleUrl ? ` What I did until then: ${services.consoleUrl}/runs/${run.runId}` : ''
  const end = await finishRun(services.db, run, {
    status: 'failed',
    error: { code: `model_${error.kind}`, message: error.message },
    // The same would fail again for what people wrote meanwhile; they are told, and can ask anew.
    seenMessage: transcript.at(-1)?.number ?? 0,
    ...(run.parentRunId ? {} : { notice: `I could not go on. ${error.message}${trace}` }),
  })
  kept(end, run)
  return 'finished'
}
