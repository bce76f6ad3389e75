import type { TranscriptMessage } from '@quartermaster/db'
import { orderTranscript, toBlocks, toolUsesIn } from './build-messages.ts'

export type Next =
  | { kind: 'settle'; answer: TranscriptMessage; uses: ReturnType<typeof toolUsesIn> }
  | { kind: 'ask-model'; reason: 'said' | 'paused' | 'cut' }
  /** The model has said its last word. */
  | { kind: 'end'; answer: TranscriptMessage | null }

/** What is to be done, from the transcript and nothing else. */
export function findNext(messages: readonly TranscriptMessage[], runId: string): Next {
  const ordered = orderTranscript(messages)
  const at = ordered.findLastIndex(({ role }) => role === 'assistant')
  const answer = at < 0 ? null : (ordered[at] as TranscriptMessage)
  const after = ordered.slice(at + 1)
  // A call of another run was that run's to settle, and of an answer that was broken off with a refusal nothing is done.
  const isOurs = answer?.runId === runId && answer.turn?.stopReason !== 'refusal'
  if (answer && isOurs && !after.some(({ role }) => role === 'tool')) {
    const uses = toolUsesIn(toBlocks(answer.content))
    if (uses.length) return { kind: 'settle', answer, uses }
  }
  if (after.length) return { kind: 'ask-model', reason: 'said' }
  if (answer?.runId !== runId) return { kind: 'end', answer: null }
  if (answer.turn?.stopReason === 'pause_turn') return { kind: 'ask-model', reason: 'paused' }
  if (answer.turn?.stopReason === 'max_tokens' && !wasGoingOn(ordered, at)) return { kind: 'ask-model', reason: 'cut' }
  return { kind: 'end', answer }
}

/** An answer that was cut twice is left as it is: a third part would hardly be the last. */
function wasGoingOn(ordered: readonly TranscriptMessage[], at: number): boolean {
  const before = ordered[at - 1]
  return before?.role === 'assistant' && before.turn?.stopReason === 'max_tokens'
}
